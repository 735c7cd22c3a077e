import { expect, test } from 'vitest'
import { leaves } from '../src/cli/leaves.ts'
import { TugError } from '../src/core/errors.ts'
import type { Param } from '../src/core/param.ts'
import { labelOf } from '../src/core/param.ts'
import { tree } from '../src/program.ts'

/** What every argument and flag takes, by these values; `vitest -u` writes it. */
const probes = [
  '',
  ' ',
  '0',
  '1',
  '-1',
  '2',
  '9',
  '10',
  '99',
  '100',
  '101',
  '999',
  '1000',
  '1001',
  '65535',
  '65536',
  '1.5',
  '007',

  '9007199254740993',
  '100ms',
  '999ms',
  '1s',
  '30',
  '30s',
  '1h30m',
  '90d',
  '1y',
  '2026-11-22',
  '2026-11-22T07:30:00Z',

  'x',
  'x,y',
  'x, y',
  'x,,y',
  'x=y',
  'x=',
  '=y',
  'x y',
  'x/y',
  '/x',
  'x/',
  'x//y',
  '..',
  '*',
  '-',
  '@f',
  'ä',
  '\n',
  '\u202E',

  '1,2',
  '3..5',
  '3-5',
  '5..3',
  'true',
  'false',
  'null',
  '{}',
  '[1]',
  '"x"',
  'x is y',
  'x:y=1',
  'x: y',
  'http://x',
  'localhost:1',
]

test('arguments and flags take what the file says', async () => {
  const alike = new Map<string, string[]>()
  for (const entry of tree.entries) {
    const target = await entry.load()
    const all = target.kind === 'command' ? [['', target] as const] : leaves(target)
    for (const [words, { params }] of all) {
      for (const [key, param] of Object.entries(params)) {
        const values = param.boolean ? 'a boolean' : taken(param)
        const names = alike.get(values) ?? []
        alike.set(values, [...names, `  ${[entry.name, words, factsOf(key, param)].filter(Boolean).join(' ')}`])
      }
    }
  }
  const text = [...alike].map(([values, names]) => `${values}\n${names.join('\n')}\n`).join('\n')
  await expect(text).toMatchFileSnapshot('screens/values.txt')
})

/** `--version in query, min 0`: all that is declared about it, but for its words in help. */
function factsOf(key: string, param: Param): string {
  const { place, kind: _, summary: __, read: ___, boolean: ____, choices: _____, ...facts } = param
  const set = Object.entries(facts).filter(([, value]) => value !== false && value !== undefined)
  const words = set.map(([name, value]) => (value === true ? name : `${name} ${String(value)}`))
  return [`${labelOf(key, param)} in ${place}`, ...words].join(', ')
}

/** The values it takes, with what they become if that is another text, or what it refuses if that is shorter. */
function taken(param: Param): string {
  const values = [...(param.choices ?? []), ...probes]
  const outcomes = values.map((value) => [value, readingOf(param, value)] as const)
  const accepted = outcomes.filter(([, reading]) => reading !== undefined)
  const shown = accepted.map(([value, reading]) => {
    const text = JSON.stringify(value)
    return reading === text || reading === `[${text}]` ? text : `${text} → ${reading}`
  })
  if (accepted.length * 2 < values.length || shown.some((one) => one.includes(' → '))) return shown.join(', ')
  const refused = outcomes.filter(([, reading]) => reading === undefined).map(([value]) => JSON.stringify(value))
  return refused.length === 0 ? 'anything' : `anything but ${refused.join(', ')}`
}

function readingOf({ read }: Param, text: string): string | undefined {
  try {
    return JSON.stringify(read([text], 'it'), (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
  } catch (error) {
    if (error instanceof TugError && error.code === 'usage') return undefined
    throw error
  }
}
