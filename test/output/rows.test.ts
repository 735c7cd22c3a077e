import { expect, test } from 'vitest'
import { startDevServer } from '../support/dev.ts'
import { tug } from '../support/run.ts'
import { json } from '../support/serve.ts'
import { serveBetween } from '../support/between.ts'

const secrets = (names: readonly string[]) =>
  JSON.stringify(Object.fromEntries(names.map((name) => [name, { k: 'v' }])))
const namesOf = (text: string) => [...text.matchAll(/^. {1,2}?(\S+)/gm)].map(([, name]) => name)

test('in a pipe, rows are in the order of their names; as ndjson, each comes when its target ends', async () => {
  const { env } = await startDevServer()
  const names = ['d/1', 'b/2', 'c/3', 'a/10', 'a/4']
  const { stdout } = await tug('kv import - rows --parallel 1', { env, stdin: secrets(names) })
  expect(namesOf(stdout)).toEqual(['a/4', 'a/10', 'b/2', 'c/3', 'd/1'].map((name) => `rows/${name}`))
  const lines = await tug('kv import - again --parallel 1 -o ndjson', { env, stdin: secrets(names) })
  const items = lines.stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { item: string }).item)
  expect(items).toEqual(names.map((name) => `again/${name}`))
})

test('many rows are sorted a thousand at a time', async () => {
  const { env } = await startDevServer()
  const names = Array.from({ length: 1200 }, (_, index) => `n${String(9999 - index)}`)
  const { stdout } = await tug('kv import - many --parallel 1', { env, stdin: secrets(names) })
  const [first, second] = [names.slice(0, 1000), names.slice(1000)].map((block) => block.toSorted())
  expect(namesOf(stdout)).toEqual([...(first ?? []), ...(second ?? [])].map((name) => `many/${name}`))
})

test.each([
  ['a terminal', {}, { stdout: 100, stderr: 100 }, false],
  ['a log', { CI: 'true' }, {}, false],
  ['two pipes', {}, {}, true],
  ['a file and a terminal', {}, { stderr: 100 }, true],
])('on %s, a failure that has a row is named again on stderr or not', async (_, more, terminals, isNamedAgain) => {
  const { env } = await startDevServer()
  const refusing = await serveBetween(env, {
    answers: ({ url, method }, response) => {
      if (method !== 'POST' || !url.includes('/data/rows/b')) return false
      json(response, 400, '{"errors":["no room\\nfor it"]}')
      return true
    },
  })
  const line = 'kv import - rows --color never'
  const { exit, stdout, stderr } = await tug(line, {
    env: { ...refusing, ...more },
    stdin: secrets(['a', 'b']),
    terminals,
  })
  expect(exit).toBe(10)
  expect(stdout).toMatch(/^! rows\/b .*failed: no room/m)
  expect(stderr).toContain('1 of 2 secrets failed')
  expect(stderr.includes('rows/b')).toBe(isNamedAgain)
})
