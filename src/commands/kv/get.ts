import * as api from '../../api/kv.ts'
import type { VersionMetadata } from '../../api/kv.ts'
import type { WrapInfo } from '../../api/secrets.ts'
import { asJson } from '../../core/answer.ts'
import type { DocumentView, Result } from '../../core/command.ts'
import { command, list, record } from '../../core/command.ts'
import type { Context, Io } from '../../core/context.ts'
import { exactTime, exactTimeAndAge, toGoDuration } from './data/times.ts'
import { TugError, usageError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { entriesOf, isObject, keysOf, plainText } from '../../core/json.ts'
import { argument, flag } from '../../core/param.ts'
import { asFolder, asSecret, isFolder, secretOrFolder } from './data/paths.ts'
import { aligned, cellValue, customMetadataWords, factLines, mapOf } from './data/values.ts'
import { listHint } from './mount/list.ts'
import { readSecret, readWrapped } from './secret/index.ts'

export const get = command({
  name: 'get',
  summary: 'Show a secret',
  description: `A terminal also shows the version; -o wide and -o json add its metadata. A deleted or destroyed version is exit status 3, and the message says which. After a missing path, the folder above is listed for a folder of that name, or a secret with a similar one.

--field, or a second argument, prints one value: exactly its bytes in a pipe, with a newline on a terminal. A value that isn't text is printed as JSON. kv exec runs a program with a secret in its environment.

In a pipe, --wrap-ttl prints the token alone. A deleted secret is refused if its metadata may be read. To use the token: tug api secrets POST sys/wrapping/unwrap --token-file - and the token on standard input.`,
  endpoint: api.readData,
  also: [api.list, api.readMetadata, api.readMount, api.readVersion1, api.listVersion1],
  rawOutput: (input) => input['field'] !== undefined || input['key'] !== undefined,
  params: {
    path: secretOrFolder('path of the secret, relative to the mount'),
    key: argument.text('print only this value, like --field', { placeholder: 'key', complete: 'secret-field' }),
    version: flag.integer('version to read', { min: 0, defaultText: '0, the latest' }),
    field: flag.text('print only this value (a.b reads inside a map)', {
      placeholder: 'name',
      complete: 'secret-field',
    }),
    wrapTtl: flag.of('print a single-use token, valid for this long, instead of the secret', readTtl, {
      placeholder: 'duration',
      excludes: ['key', 'field'],
    }),
  },
  examples: [
    { line: 'kv get app/db', note: 'the latest version' },
    { line: 'kv get app/db --version 3 -o json', note: 'an older one, for a script' },
    { line: 'kv get app/db --field password | pbcopy', note: 'a single value and nothing else' },
    { line: 'kv get app/features flags.search', note: 'a value inside a map' },
    { line: 'kv get app/db --wrap-ttl 10m', note: 'a token to hand over instead of the secret' },
  ],
  async run({ path: typed, key, version, field = key, wrapTtl }, context): Promise<Result> {
    const folder = asFolder(typed)
    // The trailing slash may be a typo, or a folder is meant.
    const slashHints = () => [
      `the secret: ${context.lineWith(folder, folder)}`,
      `the folder: ${context.commandLine('kv list', folder)}`,
    ]
    const hints = folder === '' ? folderHints(context, folder) : isFolder(typed) ? slashHints() : []
    const path = asSecret(typed, ...hints)
    if (key !== undefined && key !== field) throw usageError('--field and a second argument name different values')
    const whenFolder = () => folderHints(context, path)
    if (wrapTtl !== undefined) {
      const { value, body } = await readWrapped(context, path, version, { ttl: wrapTtl, folderHints: whenFolder })
      const { io, settings } = context
      const isPlain = settings.format === 'table' && Object.keys(settings.outputFlags).length === 0
      if (isPlain && !io.terminal.stdout) return { raw: `${value.wrap_info.token}\n` }
      return { data: asJson(value.wrap_info), view: wrapView, rawBody: body }
    }
    const { data, metadata, answer, response } = await readSecret(context, path, version, whenFolder)
    noteVersion(context, metadata, field === undefined)
    if (field !== undefined) return { raw: fieldText(data, field, context.io) }
    return { data: answer, view: secretView(data, metadata), rawBody: response.body }
  },
})

function folderHints(context: Context, folder: string): string[] {
  return [listHint('it', context, folder), `all secrets in it: ${context.commandLine('kv export', `${folder}/`)}`]
}

function readTtl(typed: string): string {
  const ttl = toGoDuration(typed)
  if (ttl === '0s') throw new RangeError('must be longer than 0s')
  return ttl
}

const wrapView = record<WrapInfo>(
  [
    { name: 'token', value: ({ token }) => token },
    { name: 'ttl', value: ({ ttl }) => ttl },
    {
      name: 'creation_time',
      value: ({ creation_time }) => creation_time,
      show: ({ creation_time }) => exactTime(creation_time ?? ''),
    },
    { name: 'creation_path', value: ({ creation_path }) => creation_path },
  ],
  ({ token }) => token,
)

/** Notes when the version expires; beside a table on a terminal also which version it is, and its custom metadata. */
function noteVersion({ io, now, settings }: Context, metadata: VersionMetadata, isWhole: boolean): void {
  const { version, custom_metadata } = metadata
  const created = metadata.created_time ?? ''
  const expiry = metadata.deletion_time ?? ''
  const isTable = isWhole && io.terminal.stdout && ['table', 'box'].includes(settings.format)
  const facts: string[] = []
  if (isTable && Date.parse(created)) facts.push(`written ${exactTimeAndAge(created, now())}`)
  if (Date.parse(expiry)) facts.push(`expires ${exactTimeAndAge(expiry, now())}`)
  if (facts.length > 0) io.note(`version ${version} ${facts.join(', ')}`, 'dim')
  const custom = isTable ? customMetadataWords(asJson(custom_metadata ?? null)) : ''
  if (custom !== '') io.note(`custom metadata ${custom}`, 'dim')
}

function fieldText(data: Json, field: string, io: Io): string {
  const value = fieldOf(data, field)
  const keys = keysOf(mapOf(data))
  if (value === undefined)
    throw new TugError('not_found', `no field '${field}'`, {
      hints: [keys.length === 0 ? 'the secret has no keys' : `its keys: ${keys.join(', ')}`],
    })
  return plainText(value) + (io.terminal.stdout ? '\n' : '')
}

/** The value of a key, or inside maps by a dotted path; a key that contains the dots comes first. */
function fieldOf(value: Json, field: string): Json | undefined {
  if (!isObject(value)) return undefined
  if (Object.hasOwn(value, field)) return value[field]
  for (let dot = field.indexOf('.'); dot !== -1; dot = field.indexOf('.', dot + 1)) {
    const head = field.slice(0, dot)
    const found = Object.hasOwn(value, head) ? fieldOf(value[head] as Json, field.slice(dot + 1)) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** Keys and values, one per line; values of several lines are printed below their key, unchanged. */
function secretView(data: Json, metadata: VersionMetadata): DocumentView {
  const entries = entriesOf(mapOf(data))
  return {
    kind: 'document',
    text: (paint, { wide, now }) => {
      const values = entries.map(([key, value]): [string, string] => [key, plainText(value)])
      const body =
        values.length === 0 ? paint('dim', data === null ? '(null)\n' : '(no keys)\n') : aligned(values, paint)
      return wide ? `${body}\n${factLines(asJson(metadata), now, paint)}` : body
    },
    rows: {
      view: list<{ key: string; value: Json }>(
        [
          { name: 'key', value: ({ key }) => key, whole: true },
          {
            name: 'value',
            value: ({ value }) => cellValue(value),
            show: ({ value }) => ({ text: plainText(value), whole: true }),
          },
        ],
        ({ key }) => key,
      ),
      inBox: true,
      data: entries.map(([key, value]) => asJson({ key, value })),
    },
  }
}
