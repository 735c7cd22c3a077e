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
  ['kv delete --from paths', ['deleted', 'live'], 'Delete the latest version of 2 secrets from paths: f/a, f/b?'],
  ['kv destroy --from paths --keep 1', ['live', 'destroyed'], 'of 2 secrets from paths: f/a, f/b?'],
  ['kv metadata patch --from paths --custom-metadata k=v', ['live', 'live'], 'of 2 secrets from paths: f/a, f/b?'],
  [
    'kv set --from paths new=1 --remove k',
    ['live', 'live', 'live'],
    'Change new, k in 2 secrets from paths: f/a, f/b?',
  ],
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
  ['kv set', 'f/a\n', '--from'],
  ['kv set --from paths', 'f/a\n', 'key=value'],
  ['kv set --from paths k=1 --cas 2', 'f/a\n', '--cas'],
  ['kv set --from paths k', 'f/a\n', 'k=-'],
  ['kv set --from paths f/a k=1', 'f/a\n', 'cannot be used together'],
  ['kv set --from - k=-', 'f/a\n', 'standard input'],
  ['kv set --from paths k=1 --generate k', 'f/a\n', 'repeated'],
  ['kv set --from paths k=1 --remove k', 'f/a\n', 'both set and removed'],
  ['kv metadata patch f/a --from paths --max-versions 3', 'f/a\n', '--from'],
])('%s with %j is refused', async (line, names, fact) => {
  const { machine, changes } = await store(names)
  const { exit, message, hint } = await failure(`${line} --yes`, machine)
  expect([exit, changes()]).toEqual([2, []])
  expect(`${message} ${hint}`).toContain(fact)
})

test('one key is set in many secrets, each on top of the version that was read; a missing one is not created', async () => {
  const { machine } = await store('f/a\nf/c\nf/none\n')
  const line = 'kv set --from paths host=db2 --generate k=20 --yes -o json'
  const { exit, stdout } = await tug(line, machine)
  const { items } = JSON.parse(stdout) as { items: { item: string; action: string; keys_added: string[] }[] }
  expect([exit, items.map(({ item, action, keys_added }) => [item, action, keys_added])]).toEqual([
    10,
    [
      ['f/a', 'change', ['host']],
      ['f/c', 'change', ['host']],
      ['f/none', 'not_found', undefined],
    ],
  ])
  const values = await Promise.all(
    ['f/a', 'f/b', 'f/c'].map(async (path) => (await tug(`kv get ${path} -o json --query data`, machine)).stdout),
  )
  expect(values[1]).toBe('{"k":"2"}\n')
  const [a, , c] = values.map((one) => JSON.parse(one) as { k: string; host?: string })
  expect([a?.host, c?.host, a?.k.length, a?.k === c?.k]).toEqual(['db2', 'db2', 20, false])
  expect((await tug('kv list f', machine)).stdout).not.toContain('none')
})
