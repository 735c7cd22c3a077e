import { mergePatch } from '../../core/endpoint.ts'
import * as api from '../../api/kv.ts'
import { at, text } from '../../core/answer.ts'
import { command, group, record } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { showMomentAndAge } from '../../core/duration.ts'
import type { Showing } from '../../core/output.ts'
import { shellQuote } from '../../core/shell.ts'
import { usageError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { objectFrom } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import type { HttpRequest } from '../../core/request.ts'
import { secretPath } from './place.ts'
import { failureFor404, readMetadata } from './read.ts'
import { customMetadataFlag, secretSettings, settingEntries } from './settings.ts'
import { momentOf, versionsOf } from './versions.ts'
import { sendWrite } from './write.ts'

const time = (name: string) => ({
  name,
  value: (value: Json) => at(value, name),
  show: (value: Json, showing: Pick<Showing, 'now' | 'lasting'>) => {
    const shown = text(value, name) ?? ''
    const moment = new Date(shown)
    return Number.isNaN(moment.getTime()) ? shown : showMomentAndAge(moment, showing)
  },
})
const plain = (name: string) => ({ name, value: (value: Json) => at(value, name) })

/** A key's metadata, with its versions counted by state at a moment. */
const metadataView = (moment: Date) =>
  record<Json>(
    [
      plain('current_version'),
      plain('oldest_version'),
      {
        name: 'versions',
        value: (value) => at(value, 'versions'),
        show: (value) => countStates(value, moment),
      },
      time('created_time'),
      time('updated_time'),
      plain('max_versions'),
      plain('cas_required'),
      plain('delete_version_after'),
      plain('custom_metadata'),
    ],
    (value) => String(at(value, 'current_version') ?? ''),
  )

/** `2 live, 1 deleted`. */
function countStates(metadata: Json, now: Date): string {
  const states = versionsOf(metadata, now).map(({ state }) => state)
  const counted = (['live', 'deleted', 'destroyed'] as const).flatMap((state) => {
    const count = states.filter((one) => one === state).length
    return count === 0 ? [] : [`${count} ${state}`]
  })
  return counted.length === 0 ? 'none' : counted.join(', ')
}

const get = command({
  name: 'get',
  summary: "Show a secret's settings, custom metadata and versions",
  endpoint: api.readMetadata,
  params: { path: secretPath },
  examples: [
    { line: 'kv metadata get app/db', note: 'settings and custom metadata' },
    { line: 'kv metadata get app/api -o json --query custom_metadata.owner', note: 'one of them, for a script' },
  ],
  async run({ path }, context) {
    const { metadata, response } = await readMetadata(context, path)
    return { data: metadata, view: metadataView(momentOf(context, response)), rawBody: response.body }
  },
})

const nothingToSet =
  'give --max-versions, --cas-required, --delete-version-after, --custom-metadata k=v or --clear-custom-metadata'
const clearFlag = flag.boolean('remove all custom metadata')

const put = command({
  name: 'put',
  summary: "Set a secret's settings and custom metadata",
  description: `Omitted settings are kept; --custom-metadata replaces the whole map. Creates the secret, without a version, if it doesn't exist.`,
  endpoint: api.writeMetadata,
  params: {
    path: secretPath,
    ...secretSettings,
    customMetadata: customMetadataFlag('the custom metadata, replacing the current one'),
    clearCustomMetadata: clearFlag,
  },
  examples: [
    {
      line: 'kv metadata put app/db --max-versions 5 --cas-required',
      note: 'keep five versions, require check-and-set',
    },
    {
      line: 'kv metadata put app/db --custom-metadata owner=platform --custom-metadata rotation=90d',
      note: 'information for people',
    },
  ],
  async run({ path, customMetadata, clearCustomMetadata, ...settings }, context) {
    const entries = settingEntries(settings)
    if (clearCustomMetadata === true && customMetadata.length > 0)
      throw usageError(
        '--clear-custom-metadata and --custom-metadata exclude each other',
        '--custom-metadata replaces the whole map anyway',
      )
    if (clearCustomMetadata === true || customMetadata.length > 0)
      entries.push(['custom_metadata', objectFrom(customMetadata)])
    if (entries.length === 0) throw usageError('nothing to set', nothingToSet)
    await sendMetadata(context, path, api.writeMetadata({ path }, { body: objectFrom(entries) }))
    return undefined
  },
})

const patch = command({
  name: 'patch',
  summary: "Change some of a secret's settings and custom metadata",
  description: `Only the given settings change; --custom-metadata adds to the map. The secret must exist.`,
  endpoint: api.patchMetadata,
  params: {
    path: secretPath,
    ...secretSettings,
    customMetadata: customMetadataFlag('add to the custom metadata'),
    removeCustomMetadata: flag.texts('remove this key of the custom metadata', { placeholder: 'key' }),
    clearCustomMetadata: clearFlag,
  },
  examples: [
    { line: 'kv metadata patch app/db --custom-metadata owner=platform', note: 'one added, the others kept' },
    {
      line: 'kv metadata patch app/api --remove-custom-metadata rotation --delete-version-after 0',
      note: 'remove one key; versions no longer expire',
    },
  ],
  async run({ path, customMetadata, removeCustomMetadata, clearCustomMetadata, ...settings }, context) {
    const entries = settingEntries(settings)
    const changes: [string, Json][] = [
      ...customMetadata,
      ...removeCustomMetadata.map((key): [string, Json] => [key, null]),
    ]
    const keys = changes.map(([key]) => key)
    const twice = keys.find((key, index) => keys.indexOf(key) !== index)
    if (twice !== undefined) throw usageError(`the custom metadata '${twice}' is both set and removed`)
    if (clearCustomMetadata === true && changes.length > 0)
      throw usageError(
        '--clear-custom-metadata excludes --custom-metadata and --remove-custom-metadata',
        'kv metadata put --custom-metadata k=v replaces the whole map',
      )
    if (clearCustomMetadata === true) entries.push(['custom_metadata', null])
    else if (changes.length > 0) entries.push(['custom_metadata', objectFrom(changes)])
    if (entries.length === 0) throw usageError('nothing to change', nothingToSet)
    await sendMetadata(context, path, api.patchMetadata({ path }, { ...mergePatch(objectFrom(entries)), allow: [404] }))
    return undefined
  },
})

const remove = command({
  name: 'delete',
  summary: 'Permanently remove a secret: every version and all metadata',
  description: `Asks first. There is no undo. A server also reports success for a path that doesn't exist, and for a folder, which it leaves unchanged.`,
  endpoint: api.deleteMetadata,
  params: { path: secretPath },
  examples: [
    { line: 'kv metadata delete team/payments/old-gateway', note: 'asks, then removes all of it' },
    { line: 'kv metadata delete team/payments/old-gateway --yes', note: 'in a script' },
  ],
  async run({ path }, context) {
    await context.io.confirm(`Permanently remove every version and all metadata of ${path}?`)
    await sendWrite(context, path, api.deleteMetadata({ path }))
    context.io.note(`${path}: asked to remove every version and all metadata`)
    return undefined
  },
})

async function sendMetadata(context: Context, path: string, request: HttpRequest): Promise<void> {
  const response = await sendWrite(context, path, request)
  if (response.status === 404) {
    const failure = failureFor404(context, response, path, undefined)
    throw failure.with({ hints: [...failure.hints, `create it: tug kv metadata put ${shellQuote(path)} …`] })
  }
  context.io.note(`${path}: metadata written`)
}

export const metadata = group('metadata', "A secret's settings and custom metadata", [get, put, patch, remove])
