import * as api from '../../../api/kv.ts'
import type { EngineConfig } from '../../../api/kv.ts'
import { sayWarnings } from '../../../api/secrets.ts'
import { asJson } from '../../../core/answer.ts'
import { command, record } from '../../../core/command.ts'
import { deleteAfterColumn, maxVersionsColumn } from '../settings.ts'
import { explainEmpty } from '../version1.ts'

const plain = (name: keyof EngineConfig) => ({ name, value: (config: EngineConfig) => config[name] })

/** The settings of an engine; OpenBao has one more. */
const configView = (mount: string, config: EngineConfig) =>
  record<EngineConfig>(
    [
      maxVersionsColumn('the default, 10'),
      plain('cas_required'),
      deleteAfterColumn('never'),
      ...(config.metadata_cas_required === undefined ? [] : [plain('metadata_cas_required')]),
    ],
    () => mount,
  )

export const get = command({
  name: 'get',
  summary: 'Show the settings of the whole engine',
  endpoint: api.readConfig,
  also: [api.readMount],
  params: {},
  examples: [
    { line: 'kv config get', note: 'the settings of the mount secret' },
    { line: 'kv config get --mount secret -o json', note: 'of another mount, for a script' },
  ],
  async run(_, context) {
    const response = await context.http.send(api.readConfig({}, { allow: [404] }))
    if (response.status === 404) {
      await explainEmpty(context)
      throw response.failure()
    }
    sayWarnings(context.io, response)
    const config = response.value.data
    return { data: asJson(config), view: configView(context.settings.route.mount, config), rawBody: response.body }
  },
})
