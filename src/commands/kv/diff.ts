import * as api from '../../api/kv.ts'
import { at, isAwaited, number, text } from '../../core/answer.ts'
import { command, list } from '../../core/command.ts'
import { exitCodes, TugError } from '../../core/errors.ts'
import type { Context } from '../../core/context.ts'
import type { Json } from '../../core/json.ts'
import { isObject, keysOf, objectFrom } from '../../core/json.ts'
import type { Tone } from '../../core/output.ts'
import { flag } from '../../core/param.ts'
import { plainText } from '../../output/render.ts'
import { secretPath } from './place.ts'
import type { Secret } from './read.ts'
import { mapOf, readSecret } from './read.ts'
import { same } from './set.ts'

const tones: Readonly<Record<string, Tone>> = { added: 'good', removed: 'bad', changed: 'change' }

function valueColumn(name: 'from' | 'to') {
  return {
    name,
    value: (row: Json) => at(row, name),
    show: (row: Json) =>
      isObject(row) && Object.hasOwn(row, name) ? { text: plainText(at(row, name)), whole: true } : '',
  }
}

const change = {
  name: 'change',
  value: (row: Json) => at(row, 'change'),
  show: (row: Json) => {
    const word = text(row, 'change') ?? ''
    return { text: word, ...(tones[word] === undefined ? {} : { tone: tones[word] }) }
  },
}
const key = { name: 'key', value: (row: Json) => at(row, 'key'), whole: true }
const named = (row: Json) => text(row, 'key') ?? ''
const maskedView = list<Json>([change, key], named, { empty: 'no differences' })
const openView = list<Json>([change, key, valueColumn('from'), valueColumn('to')], named, { empty: 'no differences' })

export const diff = command({
  name: 'diff',
  summary: 'Show which keys differ between two versions of a secret',
  description: `Compares the version before the current one with the current one, or the versions named. Values are not shown unless --show-values asks for them. With --exit-code the status is 9 where there are differences.`,
  also: [api.readData],
  params: {
    path: secretPath,
    from: flag.integer('the older version', { min: 1, defaultText: 'the one before --to' }),
    to: flag.integer('the newer version', { min: 1, defaultText: 'the current one' }),
    showValues: flag.boolean('show the values too'),
    exitCode: flag.boolean('exit with 9 if there are differences'),
  },
  examples: [
    { line: 'kv diff app/db', note: 'what the last write changed' },
    { line: 'kv diff app/db --from 3 --to 4 --show-values', note: 'two versions, with values' },
  ],
  async run({ path, from, to, showValues, exitCode }, context) {
    const given = from === undefined ? undefined : await readSecret(context, path, from)
    const newer = await readSecret(context, path, to)
    const older = given ?? (await readSecret(context, path, versionBefore(path, newer)))
    const rows = differences(older.data, newer.data, showValues === true)
    context.io.note(`${path} ${String(older.version)} → ${String(newer.version)}`, 'dim')
    sayEmpty(context, rows.length)
    return {
      data: rows,
      view: showValues === true ? openView : maskedView,
      ...(exitCode === true && rows.length > 0 ? { exitCode: exitCodes.differences } : {}),
    }
  },
})

/** An empty list is silent in a pipe, but equal versions deserve a message there too. */
function sayEmpty({ io }: Context, count: number): void {
  if (count === 0 && !io.terminal.stdout) io.note('no differences')
}

function versionBefore(path: string, { version }: Secret): number | string {
  if (isAwaited(version)) return String(version).replace(/>$/, ' - 1>')
  const current = number(version) ?? 0
  if (current > 1) return current - 1
  throw new TugError('not_found', `version 1 of ${path} is the first; there is nothing before it`)
}

/** The keys that differ, with maps compared key by key (`a.b`). Values are omitted unless requested. */
function differences(older: Json, newer: Json, withValues: boolean, above = ''): Json[] {
  const [a, b] = [mapOf(older), mapOf(newer)]
  const keys = [...new Set([...keysOf(a), ...keysOf(b)])]
  return keys.flatMap((name) => {
    const [from, to] = [a[name], b[name]]
    const place = above + name
    if (same(from, to)) return []
    if (isObject(from) && isObject(to)) return differences(from, to, withValues, `${place}.`)
    const word = from === undefined ? 'added' : to === undefined ? 'removed' : 'changed'
    const values: [string, Json][] = []
    if (withValues && from !== undefined) values.push(['from', from])
    if (withValues && to !== undefined) values.push(['to', to])
    return [objectFrom([['change', word], ['key', place], ...values])]
  })
}
