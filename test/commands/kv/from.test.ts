import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { failure, tug } from '../../support/run.ts'

/** The local server with three secrets of two versions, and a file that names two of them. */
async function store(names = 'f/a\n\nf/b\r\nf/a\n') {
  const { env, writes } = await startDevServer()
  for (const value of ['1', '2'])
    await tug('kv import - f --update', {
      env,
      stdin: JSON.stringify({ a: { k: value }, b: { k: value }, c: { k: value } }),
    })
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'paths'), names)
  const before = writes.length
  return { machine: { env, cwd }, changes: () => writes.slice(before) }
}

const states = async (path: string, machine: { env: Record<string, string>; cwd: string }) =>
  JSON.parse((await tug(`kv history ${path} -o json --query [].state`, machine)).stdout) as unknown

test.each([
  ['kv delete --from paths', ['deleted', 'live'], 'Delete the latest version of 2 secrets named in paths: f/a, f/b?'],
  ['kv destroy --from paths --keep 1', ['live', 'destroyed'], 'of 2 secrets named in paths: f/a, f/b?'],
  ['kv metadata patch --from paths --custom-metadata k=v', ['live', 'live'], 'of 2 secrets named in paths: f/a, f/b?'],
])('%s acts on the secrets that the file names, once each, and asks', async (line, expected, question) => {
  const { machine, changes } = await store()
  expect((await tug(`${line} --plan`, machine)).exit).toBe(0)
  const unanswered = await tug(line, machine)
  expect([unanswered.exit, changes()]).toEqual([2, []])
  expect(unanswered.stderr).toContain(question)
  const { exit, stdout } = await tug(`${line} --yes -o json`, machine)
  const { items } = JSON.parse(stdout) as { items: { item: string; outcome: string }[] }
  expect([exit, items.map(({ item, outcome }) => [item, outcome])]).toEqual([
    0,
    [
      ['f/a', 'done'],
      ['f/b', 'done'],
    ],
  ])
  expect(await states('f/a', machine)).toEqual(expected)
  expect(await states('f/c', machine)).toEqual(['live', 'live'])
})

test('what kv find prints can be piped in, and a path without a secret is not found', async () => {
  const { machine } = await store()
  const { stdout } = await tug('kv find --values 2 f/ -o name', machine)
  const { exit, stderr } = await tug('kv delete --from - --yes', { ...machine, stdin: `${stdout}f/none\n` })
  expect([exit, stderr]).toEqual([10, expect.stringContaining('f/none')])
  expect(await states('f/c', machine)).toEqual(['deleted', 'live'])
})

test.each([
  ['kv delete', 'f/a\n', '--from'],
  ['kv delete f/a --from paths', 'f/a\n', '--from'],
  ['kv delete --from paths --recursive', 'f/a\n', '--recursive'],
  ['kv delete --from paths', 'f/a\nf/sub/\n', 'line 2'],
  ['kv delete --from paths', '\n', 'no path'],
  ['kv destroy --from paths', 'f/a\n', '--keep'],
  ['kv destroy --from paths --versions 1', 'f/a\n', '--versions'],
  ['kv destroy --keep 1', 'f/a\n', '--from'],
  ['kv metadata patch --max-versions 3', 'f/a\n', '--from'],
  ['kv metadata patch f/a --from paths --max-versions 3', 'f/a\n', '--from'],
])('%s with %j is refused', async (line, names, fact) => {
  const { machine, changes } = await store(names)
  const { exit, message, hint } = await failure(`${line} --yes`, machine)
  expect([exit, changes()]).toEqual([2, []])
  expect(`${message} ${hint}`).toContain(fact)
})
