import * as api from '../../api/kv.ts'
import { at } from '../../core/answer.ts'
import { command, group, record } from '../../core/command.ts'
import type { Json } from '../../core/json.ts'
import { objectFrom } from '../../core/json.ts'
import { usageError } from '../../core/errors.ts'
import { engineSettings, settingEntries } from './settings.ts'
import { sayWarnings } from '../../api/secrets-warnings.ts'

const configView = record<Json>(
  [
    { name: 'max_versions', value: (value) => at(value, 'max_versions') },
    { name: 'cas_required', value: (value) => at(value, 'cas_required') },
    { name: 'delete_version_after', value: (value) => at(value, 'delete_version_after') },
  ],
  (value) => String(at(value, 'max_versions') ?? ''),
)

const get = command({
  name: 'get',
  summary: "Show the engine's settings",
  endpoint: api.readConfig,
  params: {},
  examples: [
    { line: 'kv config get', note: 'the settings of the mount secret' },
    { line: 'kv config get --mount secret -o json', note: 'of a named mount, for a script' },
  ],
  async run(_, context) {
    const response = await context.http.send(api.readConfig({}))
    sayWarnings(context.io, response)
    return { data: at(response.json(), 'data') ?? null, view: configView, rawBody: response.body }
  },
})

const set = command({
  name: 'set',
  summary: "Change the engine's settings",
  description: `Only the given settings change. 0 versions means the server's default of 10. Durations are sent in hours, minutes and seconds; a negative one (-1s) turns expiry off for the whole engine, including secrets with a setting of their own.`,
  endpoint: api.writeConfig,
  params: engineSettings,
  examples: [
    { line: 'kv config set --max-versions 20', note: 'keep twenty versions of each secret' },
    {
      line: 'kv config set --cas-required --delete-version-after 90d',
      note: 'require check-and-set; versions expire after 90 days',
    },
  ],
  async run(input, context) {
    const entries = settingEntries(input)
    if (entries.length === 0)
      throw usageError('nothing to set', 'give --max-versions, --cas-required or --delete-version-after')
    sayWarnings(context.io, await context.http.send(api.writeConfig({}, { body: objectFrom(entries) })))
    const { mount } = context.settings.route
    context.io.note(`${mount}: ${entries.map(([key]) => key).join(', ')} set`)
    return undefined
  },
})

export const config = group('config', "The engine's settings", [get, set])
