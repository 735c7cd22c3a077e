import * as api from '../../api/kv.ts'
import type { EngineConfig } from '../../api/kv.ts'
import { printWarnings } from '../../api/secrets.ts'
import { asJson } from '../../core/answer.ts'
import { record } from '../../core/command.ts'
import { TugError, usageError } from '../../core/errors.ts'
import { objectFrom } from '../../core/json.ts'
import { read } from '../../read/read.ts'
import { decideSettings } from '../../write/settings.ts'
import type { Applied, Decision, ItemRun, Work } from '../../write/work.ts'
import { onlyTarget } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { deleteAfterColumn, engineSettings, isSameSetting, maxVersionsColumn, settingEntries } from './data/settings.ts'
import { readConfig, refuseVersion1 } from './mount/engine.ts'

const plain = (name: keyof EngineConfig) => ({ name, value: (config: EngineConfig) => config[name] })

/** The settings of an engine; OpenBao has one more. */
const configView = (mount: string, config: EngineConfig | undefined) =>
  record<EngineConfig>(
    [
      maxVersionsColumn('the default, 10'),
      plain('cas_required'),
      deleteAfterColumn('never'),
      ...(config?.metadata_cas_required === undefined ? [] : [plain('metadata_cas_required')]),
    ],
    () => mount,
  )

export const configGet = read({
  name: 'get',
  summary: 'Show the settings of the whole engine',
  endpoint: api.readConfig,
  also: [api.readMount],
  params: {},
  examples: [
    { line: 'kv config get', note: 'the settings of the mount secret' },
    { line: 'kv config get --mount secret -o json', note: 'of another mount, for a script' },
  ],
  send: async (context) => {
    const response = await readConfig(context)
    printWarnings(context.io, response)
    return { value: response.value.data, body: response.body }
  },
  view: (_, { settings }, config) => configView(settings.route.mount, config),
})

export const configSet = write({
  name: 'set',
  summary: 'Change settings of the whole engine',
  description: `Only the given settings change, and only if they differ. --max-versions 0 is the server's default of 10. A duration is sent in hours, minutes and seconds; a negative one (-1s) disables deletion for the whole engine, including the settings of single secrets.`,
  endpoint: api.writeConfig,
  also: [api.readConfig, api.readMount],
  params: engineSettings,
  examples: [
    { line: 'kv config set --max-versions 20', note: 'keep twenty versions of each secret' },
    {
      line: 'kv config set --cas-required --delete-version-after 90d',
      note: 'require check-and-set; versions expire after 90 days',
    },
  ],
  async open(input, context): Promise<Work> {
    const entries = settingEntries(input)
    if (entries.length === 0)
      throw usageError('nothing to set', 'give --max-versions, --cas-required or --delete-version-after')
    const { mount } = context.settings.route
    return {
      action: 'config set',
      target: 'mount',
      noun: 'mount',
      ...onlyTarget(mount, {
        async decide(): Promise<Decision> {
          const present = await readConfig(context).then(
            async ({ value }) => {
              // A version 1 engine shows its plain key "config".
              if (value.data.max_versions === undefined) await refuseVersion1(context, 'config')
              return asJson(value.data)
            },
            async (error: unknown) => {
              const isSilent = error instanceof TugError && [400, 403, 404, 405, 501].includes(error.facts.status ?? 0)
              if (!isSilent || error.reason === 'no_mount') throw error
              await refuseVersion1(context, 'config')
              return undefined
            },
          )
          const apply = async (item: ItemRun): Promise<Applied> => {
            const checkCommand = context.commandLine('kv config get')
            const response = await item.context.http.send(
              api.writeConfig({}, { body: objectFrom(entries), checkCommand }),
            )
            printWarnings(context.io, response)
            return {
              words: `${mount}/: set ${entries.map(([key]) => key).join(', ')}`,
              facts: Object.fromEntries(entries),
              rawBody: response.body,
            }
          }
          return decideSettings(present, entries, { apply, isEqual: isSameSetting })
        },
      }),
    }
  },
})
