import * as api from '../../api/kv.ts'
import { at, text } from '../../core/answer.ts'
import type { DocumentView } from '../../core/command.ts'
import { command, list } from '../../core/command.ts'
import type { Context, Io } from '../../core/context.ts'
import { formatAge } from '../../core/duration.ts'
import { TugError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { entriesOf, keysOf, objectFrom, stringifyJson } from '../../core/json.ts'
import type { Paint } from '../../core/output.ts'
import { flag } from '../../core/param.ts'
import { escapeControl } from '../../output/safe.ts'
import { cells, pad } from '../../output/width.ts'
import { secretPath } from './place.ts'
import { mapOf, readSecret } from './read.ts'
import { readableTime } from './versions.ts'

export const get = command({
  name: 'get',
  summary: 'Show a secret',
  description: `Shows the keys and values of the latest version, or of --version. -o wide adds what is known of the version; -o json is the answer's data: the map and its metadata. A version that was deleted or destroyed is exit status 3, and the message says which of the two.

--field prints one value as it is, without quotes: exactly its bytes into a pipe, with a line end on a terminal. A value that is no text is printed as JSON.`,
  endpoint: api.readData,
  rawOutput: (input) => input['field'] !== undefined,
  params: {
    path: secretPath,
    version: flag.integer('the version to read (0: the latest)', { min: 0, defaultText: 'the latest' }),
    field: flag.text('print only this value, literally', { placeholder: 'name', complete: 'secret-field' }),
  },
  examples: [
    { line: 'kv get app/db', note: 'the latest version' },
    { line: 'kv get app/db --version 3 -o json', note: 'an older one, for a script' },
    { line: 'kv get app/db --field password | pbcopy', note: 'one value and nothing else' },
  ],
  async run({ path, version, field }, context) {
    const { data, answer, response } = await readSecret(context, path, version)
    noteExpiry(context, at(answer, 'metadata') ?? null)
    if (field !== undefined) return context.http.dryRun ? undefined : { raw: fieldText(data, field, context.io) }
    return { data: answer, view: secretView(data, at(answer, 'metadata') ?? null), rawBody: response.body }
  },
})

/** Notes that a live version has a deletion time. */
function noteExpiry({ io, now }: Context, metadata: Json): void {
  const end = text(metadata, 'deletion_time') ?? ''
  const moment = new Date(end)
  if (end === '' || Number.isNaN(moment.getTime())) return
  io.note(`version ${text(metadata, 'version')} ends ${formatAge(moment, now())} (${readableTime(end)})`, 'dim')
}

function fieldText(data: Json, field: string, io: Io): string {
  const map = mapOf(data)
  if (!Object.hasOwn(map, field)) {
    const keys = keysOf(map)
    throw new TugError('not_found', `no field '${field}'`, {
      hints: [keys.length === 0 ? 'the secret has no keys' : `its keys: ${keys.join(', ')}`],
    })
  }
  return shownValue(map[field] as Json) + (io.terminal.stdout ? '\n' : '')
}

/** Text literally, anything else as JSON. */
function shownValue(value: Json): string {
  return typeof value === 'string' ? value : stringifyJson(value)
}

/** Keys and values, one per line; values of several lines are printed below their key, unchanged. */
function secretView(data: Json, metadata: Json): DocumentView {
  const entries = entriesOf(mapOf(data))
  return {
    kind: 'document',
    text: (paint, { wide }) => {
      const facts = entriesOf(mapOf(metadata)).map(([key, value]): [string, string] => [key, shownValue(value ?? '')])
      const values = entries.map(([key, value]): [string, string] => [key, shownValue(value)])
      const body =
        values.length === 0 ? paint('dim', data === null ? '(null)\n' : '(no keys)\n') : aligned(values, paint)
      return wide ? `${body}\n${aligned(facts, paint)}` : body
    },
    rows: {
      view: list<Json>(
        [
          { name: 'key', value: (row) => at(row, 'key'), whole: true },
          {
            name: 'value',
            value: (row) => at(row, 'value'),
            show: (row) => ({ text: shownValue(at(row, 'value') ?? null), whole: true }),
          },
        ],
        (row) => text(row, 'key') ?? '',
      ),
      data: entries.map(([key, value]) =>
        objectFrom([
          ['key', key],
          ['value', value],
        ]),
      ),
    },
  }
}

function aligned(entries: readonly (readonly [string, string])[], paint: Paint): string {
  const shown = entries.map(([key, value]) => ({
    key: escapeControl(key),
    lines: escapeControl(value, { newlines: true }).replace(/\n$/, '').split('\n'),
  }))
  const width = shown.reduce((widest, { key }) => Math.max(widest, cells(key)), 0)
  return shown
    .map(({ key, lines }) => {
      const name = paint('heading', key)
      if (lines.length > 1) return [name, ...lines.map((line) => (line === '' ? '' : `  ${line}`)), ''].join('\n')
      return `${pad(name, width, 'left')}  ${lines[0]}`.trimEnd() + '\n'
    })
    .join('')
}
