import * as api from '../../api/kv.ts'
import type { SecretMetadata } from '../../api/kv.ts'
import { asJson } from '../../core/answer.ts'
import { record } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { exactTimeAndAge, showExactTime } from './data/times.ts'
import { mergePatch } from '../../core/endpoint.ts'
import { TugError, unlessForbidden, usageError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { keysOf, objectFrom } from '../../core/json.ts'
import type { Showing } from '../../core/output.ts'
import { flag } from '../../core/param.ts'
import type { HttpRequest, RequestPolicy } from '../../core/request.ts'
import type { LineWord } from '../../core/shell.ts'
import { read } from '../../read/read.ts'
import { decideSettings } from '../../write/settings.ts'
import type { Applied, Decision, ItemRun, Work } from '../../write/work.ts'
import { onlyTarget } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { escapeControl } from '../../output/safe.ts'
import { optionalSecretPath, secretPath } from './data/paths.ts'
import {
  checkCustomMetadata,
  customMetadataFlag,
  deleteAfterColumn,
  isSameSetting,
  maxVersionsColumn,
  secretSettings,
  settingEntries,
} from './data/settings.ts'
import { customMetadataWords, mapOf, patched } from './data/values.ts'
import { misplacedHints } from './mount/list.ts'
import { explainAge, unlessOld } from './mount/server.ts'
import { refuseMisplaced, refuseWrongMount } from './mount/misplaced.ts'
import { fromFlag, workFrom } from './mount/targets.ts'
import { actorColumn, actorWords } from './data/versions.ts'
import type { Version } from './data/versions.ts'
import type { Metadata } from './secret/index.ts'
import { findMetadata, readMetadata, readUntil, sendWrite } from './secret/index.ts'

const time = (name: 'created_time' | 'updated_time') => ({
  name,
  value: (metadata: SecretMetadata) => metadata[name],
  show: (metadata: SecretMetadata, showing: Pick<Showing, 'now' | 'absoluteTimes'>) =>
    showExactTime(metadata[name] ?? '', showing),
})
const plain = (name: keyof SecretMetadata) => ({ name, value: (metadata: SecretMetadata) => asJson(metadata[name]) })

/** A secret's metadata, with the states of its versions. OpenBao versions the metadata too. */
const metadataView = (path: string, found: Metadata | undefined) =>
  record<SecretMetadata>(
    [
      plain('current_version'),
      plain('oldest_version'),
      time('created_time'),
      time('updated_time'),
      ...(found?.metadata.last_updated_by === undefined
        ? []
        : [actorColumn('last_updated_by', ({ last_updated_by: by }: SecretMetadata) => by)]),
      maxVersionsColumn("the mount's setting"),
      plain('cas_required'),
      deleteAfterColumn("the mount's setting"),
      { ...plain('custom_metadata'), show: ({ custom_metadata: custom }) => customMetadataWords(asJson(custom)) },
      ...(['current_metadata_version', 'metadata_cas_required'] as const)
        .filter((name) => found?.metadata[name] !== undefined)
        .map(plain),
      {
        ...plain('versions'),
        show: (_, { absoluteTimes, now }) => (absoluteTimes ? countStates : versionLines)(found?.versions ?? [], now),
      },
    ],
    () => path,
  )

/** `9, all live`, `3: 2 live, 1 deleted`. */
function countStates(versions: readonly Version[]): string {
  const counted = (['live', 'deleted', 'destroyed'] as const).flatMap((state) => {
    const count = versions.filter((one) => one.state === state).length
    return count === 0 ? [] : [`${count} ${state}`]
  })
  if (counted.length < 2) return versions.length === 0 ? 'none' : `${versions.length}, all ${versions[0]?.state}`
  return `${versions.length}: ${counted.join(', ')}`
}

/** The newest versions, one per line. */
function versionLines(versions: readonly Version[], now: Date): string {
  if (versions.length === 0) return 'none'
  const digits = String(versions[0]?.version).length
  const by = (actor: Json | undefined) => (actor === undefined ? '' : ` by ${escapeControl(actorWords(actor))}`)
  const lines = versions.slice(0, mostShown).map((one) => {
    const { version, state, created_time, deletion_time, created_by, deleted_by } = one
    const written = `${String(version).padStart(digits)}  ${state.padEnd('destroyed'.length)}  written ${exactTimeAndAge(created_time, now)}${by(created_by)}`
    if (deletion_time === '') return written
    return `${written}, ${state === 'live' ? 'expires' : 'deleted'} ${exactTimeAndAge(deletion_time, now)}${by(deleted_by)}`
  })
  const rest = versions.length - lines.length
  return [countStates(versions), ...lines, ...(rest > 0 ? [`and ${rest} older`] : [])].join('\n')
}

/** As many as servers keep by default. */
const mostShown = 10

export const metadataGet = read({
  name: 'get',
  summary: "Show a secret's settings, custom metadata and versions",
  endpoint: api.readMetadata,
  also: [api.list],
  params: { path: secretPath },
  examples: [
    { line: 'kv metadata get app/db', note: 'settings and custom metadata' },
    { line: 'kv metadata get app/api -o json --query custom_metadata.owner', note: 'a single value, for a script' },
  ],
  send: async (context, _, { path }) => {
    const value = await readMetadata(context, path)
    return { value, body: value.response.body }
  },
  select: ({ metadata }) => metadata,
  view: ({ path }, _, found) => metadataView(path, found),
})

/** Flags of both writes. */
const writeFlags = {
  clearCustomMetadata: flag.boolean('remove all custom metadata', {
    excludes: ['customMetadata', 'removeCustomMetadata'],
  }),
}

/** The flags that say what to write. */
const settingFlags = '--max-versions, --cas-required, --delete-version-after, --custom-metadata k=v'

/** A write of one secret's settings and custom metadata. */
interface MetadataWrite {
  readonly path: string
  /** The members that are sent. */
  readonly entries: readonly (readonly [string, Json])[]
  /** The same members as they will be stored: a patch of custom metadata is applied to the present map. */
  readonly wanted: (present: SecretMetadata) => readonly (readonly [string, Json])[]
  /** True if a missing secret is created. */
  readonly creates: boolean
  readonly requestOf: (body: JsonObject, policy: RequestPolicy) => HttpRequest
  /** The hint if it is not allowed. */
  readonly hint?: string
}

async function openMetadata(context: Context, action: string, writing: MetadataWrite): Promise<Work> {
  const { path } = writing
  await refuseMisplaced(context, path)
  return {
    action,
    target: 'path',
    noun: 'secret',
    ...onlyTarget(path, { decide: () => decideMetadata(context, writing) }),
  }
}

async function decideMetadata(context: Context, writing: MetadataWrite): Promise<Decision> {
  const { path, entries, wanted, creates } = writing
  const apply = (item: ItemRun) => writeSettings(item.context, writing, { isShown, version })
  const found = await findMetadata(context, path).catch(unlessForbidden)
  // Old servers drop it without a word.
  const isShown = found?.state === 'exists' && Object.hasOwn(found.metadata, 'custom_metadata')
  if (found?.state === 'missing' && !creates) throw withCreation(context, path, found.error)
  if (found?.state !== 'exists') await refuseWrongMount(context, path, `metadata/${path}`)
  // OpenBao refuses the write if the metadata has changed since; Vault has no such version.
  const absent = context.settings.dialect === 'neutral' ? undefined : 0
  const version = found?.state === 'missing' ? absent : (found?.metadata.current_metadata_version ?? undefined)
  if (found === undefined) return decideSettings(undefined, entries, { apply })
  const common = {
    facts: Object.fromEntries(entries),
    ...(version === undefined ? {} : { guard: version, enforced: true }),
  }
  if (found.state === 'missing')
    return { action: 'create', words: `new: ${entries.map(([name]) => name).join(', ')}`, ...common, apply }
  const { metadata } = found
  return { ...decideSettings(asJson(metadata), wanted(metadata), { apply, isEqual: isSameSetting }), ...common }
}

function withCreation(context: Context, path: string, failure: TugError): TugError {
  if (misplacedHints(context, path).length > 0) return failure
  return failure.with({ hints: [...failure.hints, `to create it: ${context.commandLine('kv metadata put', path)} …`] })
}

/** Writes settings. Custom metadata is read afterwards, unless `isShown`: a read has shown that the server has it. */
async function writeSettings(
  context: Context,
  writing: MetadataWrite,
  { isShown, version }: { readonly isShown: boolean; readonly version: number | undefined },
): Promise<Applied> {
  const { path, entries, requestOf, hint } = writing
  const guard = version === undefined ? [] : [['metadata_cas', version] as const]
  // Only a version that was read shows that the server compares it.
  const request = requestOf(objectFrom([...entries, ...guard]), { guarded: (version ?? 0) > 0 })
  const checkCommand = context.commandLine('kv metadata get', path)
  const response = await sendWrite(context, path, { checkCommand, ...request }, (error, missing) => {
    if (missing !== undefined) return withCreation(context, path, error)
    const isRefused = error.facts.status === 403 || error.facts.status === 405
    return isRefused && hint !== undefined ? error.with({ hints: [...error.hints, hint] }) : error
  }).catch(unlessOld(context, 'PATCH of metadata', '1.10'))
  const given = mapOf(Object.fromEntries(entries)['custom_metadata'])
  const custom = keysOf(given).filter((key) => given[key] !== null)
  const isStored = isShown || custom.length === 0 ? true : await hasCustomMetadata(context, path, custom)
  const names = entries.map(([name]) => name)
  if (isStored === false) {
    const written = names.filter((name) => name !== 'custom_metadata')
    const others = written.length === 0 ? '' : `wrote ${written.join(', ')}, but `
    const error = new TugError('failed', `${path}: ${others}the server did not store custom_metadata`, {
      service: 'secrets',
      applied: written.length > 0 || writing.creates,
    })
    throw await explainAge(context, error, 'custom metadata', '1.9')
  }
  return {
    words: `${path}: wrote ${names.join(', ')}${isStored === undefined ? '   custom_metadata: not confirmed' : ''}`,
    facts: { ...Object.fromEntries(entries), ...(isStored === undefined ? { confirmed: false } : {}) },
    rawBody: response.body,
  }
}

/** Whether the secret has this custom metadata now; undefined if that cannot be read. */
async function hasCustomMetadata(
  context: Context,
  path: string,
  keys: readonly string[],
): Promise<boolean | undefined> {
  const check = async () => {
    const found = await findMetadata(context, path).catch(unlessForbidden)
    if (found?.state !== 'exists') return found?.state
    const stored = mapOf(asJson(found.metadata.custom_metadata))
    return keys.every((key) => Object.hasOwn(stored, key))
  }
  const stored = await readUntil(context, check, (found) => found === true || found === undefined)
  return stored === 'missing' ? undefined : stored
}

export const metadataPut = write({
  name: 'put',
  summary: "Set a secret's settings and custom metadata",
  description: `Other settings are kept; --custom-metadata replaces the whole map. OpenBao refuses the write if somebody else has changed the metadata since it was read. A missing secret is created, without a version.`,
  endpoint: api.writeMetadata,
  also: [api.readMetadata, api.readMount, api.list],
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
  async open({ path, customMetadata, clearCustomMetadata, ...settings }, context): Promise<Work> {
    checkCustomMetadata(context, customMetadata)
    const entries = settingEntries(settings)
    if (clearCustomMetadata === true || customMetadata.length > 0)
      entries.push(['custom_metadata', objectFrom(customMetadata)])
    if (entries.length === 0) throw usageError('nothing to set', `give ${settingFlags} or --clear-custom-metadata`)
    return openMetadata(context, 'metadata put', {
      path,
      entries,
      wanted: () => entries,
      creates: true,
      requestOf: (body, policy) => api.writeMetadata({ path }, { body, policy }),
    })
  },
})

export const metadataPatch = write({
  name: 'patch',
  summary: "Change some of a secret's settings and custom metadata",
  description: `The secret must exist. --from changes every secret in a file, and asks first. Servers ignore a patch that resets --delete-version-after; kv metadata put does that.`,
  endpoint: api.patchMetadata,
  also: [api.readMetadata, api.readMount, api.list],
  params: {
    path: optionalSecretPath,
    from: { ...fromFlag, excludes: ['path'] },
    ...secretSettings,
    customMetadata: customMetadataFlag('add to the custom metadata'),
    removeCustomMetadata: flag.texts('remove this key of the custom metadata', { placeholder: 'key' }),
    ...writeFlags,
  },
  examples: [
    { line: 'kv metadata patch app/db --custom-metadata owner=platform', note: 'add a key and keep the others' },
    { line: 'kv metadata patch app/api --remove-custom-metadata rotation', note: 'remove a key' },
  ],
  async open(
    { path: typed, from, customMetadata, removeCustomMetadata, clearCustomMetadata, ...settings },
    context,
  ): Promise<Work> {
    if (from === undefined && typed === undefined)
      throw usageError('<path> is missing', 'give a path, or --from <file> with a path per line')
    const put = (path: string, ...words: LineWord[]) => context.commandLine('kv metadata put', path, ...words)
    if (settings.deleteVersionAfter === '0s' && context.settings.dialect !== 'neutral')
      throw usageError(
        '--delete-version-after 0 has no effect in a patch: servers ignore it',
        `use: ${put(typed ?? '<path>', ['--delete-version-after', '0'])}`,
      )
    checkCustomMetadata(context, customMetadata)
    const entries = settingEntries(settings)
    const twice = customMetadata.find(([key]) => removeCustomMetadata.includes(key))
    if (twice !== undefined) throw usageError(`the key '${twice[0]}' is both set and removed`)
    const removed = Array.from(new Set(removeCustomMetadata), (key): [string, Json] => [key, null])
    const changes: [string, Json][] = [...customMetadata, ...removed]
    if (clearCustomMetadata === true) entries.push(['custom_metadata', null])
    else if (changes.length > 0) entries.push(['custom_metadata', objectFrom(changes)])
    if (entries.length === 0)
      throw usageError(
        'nothing to change',
        `give ${settingFlags}, --remove-custom-metadata <key> or --clear-custom-metadata`,
      )
    const customChanges = objectFrom(changes)
    const writing = (path: string): MetadataWrite => ({
      path,
      entries,
      wanted: ({ custom_metadata: custom }) =>
        entries.map(([name, value]) =>
          name === 'custom_metadata' && value !== null
            ? ([name, patched(mapOf(asJson(custom)), customChanges)] as const)
            : ([name, value] as const),
        ),
      creates: false,
      requestOf: (body, policy) => api.patchMetadata({ path }, { ...mergePatch(body), allow: [404], policy }),
      hint: `kv metadata put needs update instead of patch, and replaces the custom metadata: ${put(path)} …`,
    })
    if (from === undefined) return openMetadata(context, 'metadata patch', writing(typed ?? ''))
    return workFrom(context, from, {
      action: 'metadata patch',
      progress: 'writing metadata',
      columns: [],
      decide: (path) => decideMetadata(context, writing(path)),
      question: (secrets) => `Change the metadata of ${secrets}?`,
    })
  },
})
