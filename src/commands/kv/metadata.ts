import * as api from '../../api/kv.ts'
import type { SecretMetadata } from '../../api/kv.ts'
import { asJson } from '../../core/answer.ts'
import type { DoneResult } from '../../core/command.ts'
import { command, record, writeFacts } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { readableTime, showMomentAndAge } from '../../core/duration.ts'
import { mergePatch } from '../../core/endpoint.ts'
import type { TugError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectFrom } from '../../core/json.ts'
import type { Showing } from '../../core/output.ts'
import { flag } from '../../core/param.ts'
import type { HttpRequest, RequestPolicy } from '../../core/request.ts'
import { customMetadataWords } from './lines.ts'
import { nothingTo } from './messages.ts'
import { createIt, putInstead, resetByPatch, setAndRemoved } from './change-messages.ts'
import { explainMissing, failureFor404 } from './missing.ts'
import { placeHints, refuseMisplaced, secretPath } from './place.ts'
import { readMetadata } from './read.ts'
import {
  checkCustomMetadata,
  customMetadataFlag,
  deleteAfterColumn,
  maxVersionsColumn,
  secretSettings,
  settingEntries,
} from './settings.ts'
import { refuseVersion1 } from './version1.ts'
import { versionsOf } from './versions.ts'
import { isPatchRefused, sendWrite } from './write.ts'
import type { LineWord } from '../../core/shell.ts'

const time = (name: 'created_time' | 'updated_time') => ({
  name,
  value: (metadata: SecretMetadata) => metadata[name],
  show: (metadata: SecretMetadata, showing: Pick<Showing, 'now' | 'absoluteTimes'>) => {
    const shown = metadata[name] ?? ''
    const moment = new Date(shown)
    return Number.isNaN(moment.getTime()) ? shown : showMomentAndAge(moment, showing)
  },
})
const plain = (name: keyof SecretMetadata) => ({ name, value: (metadata: SecretMetadata) => asJson(metadata[name]) })

/** A secret's metadata, with its versions counted as they are at a moment. OpenBao versions the metadata too. */
const metadataView = (path: string, metadata: SecretMetadata, moment: Date) =>
  record<SecretMetadata>(
    [
      plain('current_version'),
      plain('oldest_version'),
      time('created_time'),
      time('updated_time'),
      maxVersionsColumn("the mount's setting"),
      plain('cas_required'),
      deleteAfterColumn("the mount's setting"),
      { ...plain('custom_metadata'), show: ({ custom_metadata: custom }) => customMetadataWords(asJson(custom)) },
      ...(['current_metadata_version', 'metadata_cas_required'] as const)
        .filter((name) => metadata[name] !== undefined)
        .map(plain),
      {
        ...plain('versions'),
        show: (value, { absoluteTimes }) => (absoluteTimes ? countStates(value, moment) : versionLines(value, moment)),
      },
    ],
    () => path,
  )

/** `2 live, 1 deleted`. */
function countStates(metadata: SecretMetadata, now: Date): string {
  const states = versionsOf(metadata, now).map(({ state }) => state)
  const counted = (['live', 'deleted', 'destroyed'] as const).flatMap((state) => {
    const count = states.filter((one) => one === state).length
    return count === 0 ? [] : [`${count} ${state}`]
  })
  return counted.length === 0 ? 'none' : counted.join(', ')
}

/** The newest versions, one per line, or as many as are usually kept. */
function versionLines(metadata: SecretMetadata, now: Date): string {
  const versions = versionsOf(metadata, now)
  if (versions.length === 0) return 'none'
  const digits = String(versions[0]?.version).length
  const lines = versions.slice(0, mostShown).map(({ version, state, created_time, deletion_time }) => {
    const written = `${String(version).padStart(digits)}  ${state.padEnd('destroyed'.length)}  written ${readableTime(created_time)}`
    if (deletion_time === '') return written
    return `${written}, ${state === 'live' ? 'expires' : 'deleted'} ${readableTime(deletion_time)}`
  })
  const rest = versions.length - lines.length
  return [countStates(metadata, now), ...lines, ...(rest > 0 ? [`and ${rest} older`] : [])].join('\n')
}

const mostShown = 10

export const metadataGet = command({
  name: 'get',
  summary: "Show a secret's settings, custom metadata and versions",
  endpoint: api.readMetadata,
  also: [api.list],
  params: { path: secretPath },
  examples: [
    { line: 'kv metadata get app/db', note: 'settings and custom metadata' },
    { line: 'kv metadata get app/api -o json --query custom_metadata.owner', note: 'a single value, for a script' },
  ],
  async run({ path }, context) {
    const { metadata, moment, response } = await readMetadata(context, path).catch(explainMissing(context, path))
    const view = metadataView(path, metadata, moment)
    return { data: asJson(metadata), view, rawBody: response.body }
  },
})

/** Flags of both writes. */
const writeFlags = {
  clearCustomMetadata: flag.boolean('remove all custom metadata', {
    excludes: ['customMetadata', 'removeCustomMetadata'],
  }),
  metadataCas: flag.integer(
    'write only if this is the current version of the metadata (0: only if there is none; OpenBao)',
    { min: 0 },
  ),
}

interface MetadataWrite {
  readonly path: string
  readonly metadataCas: number | undefined
}

/** The flags that say what to write. */
const settingFlags = ['--max-versions', '--cas-required', '--delete-version-after', '--custom-metadata k=v']

/** Sends a write of metadata; `more` are hints for its failure. A secret that doesn't exist is an error with the way to create it. */
async function sendMetadata(
  context: Context,
  { path, metadataCas: cas }: MetadataWrite,
  entries: readonly (readonly [string, Json])[],
  requestOf: (body: JsonObject, policy: RequestPolicy) => HttpRequest,
  more?: (error: TugError) => readonly string[],
): Promise<DoneResult> {
  await refuseMisplaced(context, path)
  await refuseVersion1(context, `metadata/${path}`)
  const checkCommand = context.commandLine('kv metadata get', path)
  const whole = cas === undefined ? entries : [...entries, ['metadata_cas', cas] as const]
  const request = requestOf(objectFrom(whole), { guarded: cas !== undefined })
  const response = await sendWrite(context, path, { checkCommand, ...request }, more)
  if (response.status === 404) {
    const failure = failureFor404(context, response, path, undefined, 'metadata')
    if (placeHints(context, path).length > 0) throw failure
    throw failure.with({ hints: [...failure.hints, createIt(context.commandLine('kv metadata put', path))] })
  }
  return {
    done: `${path}: wrote ${entries.map(([name]) => name).join(', ')}`,
    data: writeFacts(context.commandPath.slice(1).join(' '), { path }, true, Object.fromEntries(whole)),
    rawBody: response.body,
  }
}

export const metadataPut = command({
  name: 'put',
  summary: "Set a secret's settings and custom metadata",
  description: `Settings that are not given keep their values; --custom-metadata replaces the whole map. A missing secret is created, without a version.`,
  endpoint: api.writeMetadata,
  also: [api.readMount, api.list],
  params: {
    path: secretPath,
    ...secretSettings,
    customMetadata: customMetadataFlag('the custom metadata, replacing the present one'),
    ...writeFlags,
  },
  examples: [
    {
      line: 'kv metadata put app/db --max-versions 5 --cas-required',
      note: 'keep five versions, require check-and-set',
    },
    { line: 'kv metadata put app/db --delete-version-after 0', note: 'versions no longer expire' },
    {
      line: 'kv metadata put app/db --custom-metadata owner=platform --custom-metadata rotation=90d',
      note: 'facts about the secret',
    },
  ],
  async run({ path, customMetadata, clearCustomMetadata, metadataCas, ...settings }, context) {
    checkCustomMetadata(context, customMetadata)
    const entries = settingEntries(settings)
    if (clearCustomMetadata === true || customMetadata.length > 0)
      entries.push(['custom_metadata', objectFrom(customMetadata)])
    if (entries.length === 0) throw nothingTo('set', ...settingFlags, '--clear-custom-metadata')
    return sendMetadata(context, { path, metadataCas }, entries, (body, policy) =>
      api.writeMetadata({ path }, { body, policy }),
    )
  },
})

export const metadataPatch = command({
  name: 'patch',
  summary: "Change some of a secret's settings and custom metadata",
  description: `Only the given settings change; --custom-metadata adds to the map. The secret must exist. Servers ignore a patch that resets --delete-version-after; kv metadata put does that.`,
  endpoint: api.patchMetadata,
  also: [api.readMount, api.list],
  params: {
    path: secretPath,
    ...secretSettings,
    customMetadata: customMetadataFlag('add to the custom metadata'),
    removeCustomMetadata: flag.texts('remove this key of the custom metadata', { placeholder: 'key' }),
    ...writeFlags,
  },
  examples: [
    { line: 'kv metadata patch app/db --custom-metadata owner=platform', note: 'add a key and keep the others' },
    { line: 'kv metadata patch app/api --remove-custom-metadata rotation', note: 'remove a key' },
  ],
  async run({ path, customMetadata, removeCustomMetadata, clearCustomMetadata, ...rest }, context) {
    const { metadataCas, ...settings } = rest
    const put = (...words: LineWord[]) => context.commandLine('kv metadata put', path, ...words)
    if (settings.deleteVersionAfter === '0s' && context.settings.dialect !== 'neutral')
      throw resetByPatch(put(['--delete-version-after', '0']))
    checkCustomMetadata(context, customMetadata)
    const entries = settingEntries(settings)
    const changes = changesOf(customMetadata, removeCustomMetadata)
    if (clearCustomMetadata === true) entries.push(['custom_metadata', null])
    else if (changes.length > 0) entries.push(['custom_metadata', objectFrom(changes)])
    if (entries.length === 0)
      throw nothingTo('change', ...settingFlags, '--remove-custom-metadata <key>', '--clear-custom-metadata')
    return sendMetadata(
      context,
      { path, metadataCas },
      entries,
      (body, policy) => api.patchMetadata({ path }, { ...mergePatch(body), allow: [404], policy }),
      (error) => (isPatchRefused(error) ? [putInstead(put())] : []),
    )
  },
})

function changesOf(added: readonly [string, string][], removed: readonly string[]): [string, Json][] {
  const twice = added.find(([key]) => removed.includes(key))
  if (twice !== undefined) throw setAndRemoved(twice[0])
  return [...added, ...Array.from(new Set(removed), (key): [string, Json] => [key, null])]
}

export const metadataDelete = command({
  name: 'delete',
  summary: 'Permanently remove a secret: every version and all metadata',
  description: `Asks first. This cannot be undone. A server also confirms a path that doesn't exist, and a folder, which it leaves alone.`,
  endpoint: api.deleteMetadata,
  also: [api.readMount, api.list],
  params: { path: secretPath },
  examples: [
    { line: 'kv metadata delete team/payments/old-gateway', note: 'asks, then removes all of it' },
    { line: 'kv metadata delete team/payments/old-gateway --yes', note: 'in a script' },
  ],
  async run({ path }, context) {
    await refuseMisplaced(context, path)
    await refuseVersion1(context, `metadata/${path}`)
    await context.io.confirm(`Permanently remove every version and all metadata of ${path}?`)
    await sendWrite(context, path, api.deleteMetadata({ path }))
    return {
      done: `removed every version and all metadata of ${path}, if it existed`,
      data: writeFacts('metadata delete', { path }, null, { asked: 'remove every version and all metadata' }),
    }
  },
})
