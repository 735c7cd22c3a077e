import { expect, test } from 'vitest'
import type { Offer } from '../../../src/cli/completion/offer.ts'
import { offerAt } from '../../../src/cli/completion/offer.ts'
import { bashReplies, splitBash, zshLines } from '../../../src/cli/completion/quoting.ts'
import { smallTree as tree } from '../small-program.ts'

async function offered(line: string) {
  const asked: string[] = []
  const offer = await offerAt(splitBash(line).words, tree, async (kind, _, value) => {
    asked.push(`${kind}:${value}`)
    return ['web', 'worker', 'batch/x']
  })
  return { words: `${offer.kind} ${offer.lead}${offer.values.map(({ value }) => value).join(',')}`, asked }
}

test.each([
  ['k', 'values kv', []],
  ['kv co', 'values config', []],
  ['kv config ', 'values get', []],
  ['-o json kv --mount x get --ver', 'values --version', []],
  ['kv get -', 'values --version,--field,-f,--from,-a,--all', []],
  ['kv config get --type=e', 'values --type=ec,ed25519', []],
  ['kv config get --type e', 'values ec,ed25519', []],
  ['kv get --all=', 'values --all=true,false', []],
  ['kv get --from=', 'files --from=', []],
  ['kv get -f ', 'files ', []],
  ['kv get -af ', 'values ', []],
  ['kv get -fa w', 'values ', []],
  ['kv get --field=w', 'values --field=', []],
  ['job get w', 'values web,worker', ['job:w']],
  ['job get web w', 'values ', []],
  ['kv put a b=1 c=2 ', 'files ', []],
  ['kv put a -- -5 ', 'files ', []],
  ['kv exec a -- ca', 'files ', []],
  ['nope ', 'values ', []],
] as const)('tug %s → %s', async (line, words, asked) => {
  const found = await offered(line)
  expect(found.words.slice(0, words.length)).toBe(words)
  expect(found.asked).toEqual(asked)
})

test.each([
  ['tug kv get ', ['tug', 'kv', 'get', ''], ''],
  ['tug  a', ['tug', 'a'], 'a'],
  [String.raw`tug a\ b c`, ['tug', 'a b', 'c'], 'c'],
  ["tug '' x", ['tug', '', 'x'], 'x'],
  [`tug "a 'b" 'c "d`, ['tug', "a 'b", 'c "d'], `'c "d`],
  ["tug --filter='a b", ['tug', '--filter=a b'], "--filter='a b"],
])('bash words of %s', (line, words, typed) => {
  expect(splitBash(line)).toEqual({ words, typed })
})

const of = (...values: string[]): Offer => ({ kind: 'values', lead: '', values: values.map((value) => ({ value })) })

test.each([
  [of('a b'), '', '', [String.raw`a\ b`]],
  [of('a b/'), '', '', ["'a b/"]],
  [of('a b', 'a c'), 'a', '', ["'a b", "'a c"]],
  [of("it's", 'x'), "'", '', ['x']],
  [of('a$b', 'x!', 'y'), '"', '', ['y']],
  [{ ...of('rsa'), lead: '--type=' }, '--type=r', ':=', ['rsa']],
  [{ ...of('rsa'), lead: '--type=' }, '--type=r', '', ['--type=rsa']],
  [of('top:secret'), 'top:s', ':', ['secret']],
])('bash replies %j after %s', (offer, typed, breaks, replies) => {
  expect(bashReplies(offer, typed, breaks)).toEqual(replies)
})

test('zsh gets no name with ! inside quotes', () => {
  expect(zshLines(of('a!', 'b'), "'")).toEqual(['b\t'])
  expect(zshLines(of('a!', 'b'), '')).toEqual(['a!\t', 'b\t'])
})
