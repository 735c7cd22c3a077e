import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { failure, tug } from '../../support/run.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

const medusa = 'A:\n  B:\n    C:\n      k: v\n      l: w\n    own: x\n  D:\n    e: "1"\n'
const vkv = {
  'secret/': { admin: { sub: 'p' }, 'sub/': { demo: { a: 'b' }, 'sub2/': { demo: { c: 'd' } } } },
}
const kubernetes = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'db' },
  data: { user: base64('amy'), password: base64('pä ss\n') },
  stringData: { user: 'ben' },
}

test.each([
  ['x.yaml', medusa, 'f --as medusa', { 'A/B': { own: 'x' }, 'A/B/C': { k: 'v', l: 'w' }, 'A/D': { e: '1' } }],
  ['x.json', JSON.stringify(vkv), 'f', { admin: { sub: 'p' }, 'sub/demo': { a: 'b' }, 'sub/sub2/demo': { c: 'd' } }],
  ['x.yaml', 'secret/:\n  admin:\n    sub: p\n', 'f', { admin: { sub: 'p' } }],
  ['x.json', JSON.stringify(kubernetes), 'f/db', { db: { user: 'ben', password: 'pä ss\n' } }],
  [
    'x.yaml',
    'a: &a\n  k: "1"\n  l: "2"\nb:\n  <<: *a\n  l: "3"\n',
    'f',
    { a: { k: '1', l: '2' }, b: { k: '1', l: '3' } },
  ],
  ['x.yaml', 'b:\n  <<: [{k: "1", m: "5"}, {k: "2", n: "6"}]\n', 'f', { b: { k: '1', m: '5', n: '6' } }],
  ['x.yaml', 'b:\n  "<<": x\n', 'f', { b: { '<<': 'x' } }],
  ['x.json', '{"a":{"m":{"k":"v"}}}', 'f --as tug', { a: { m: { k: 'v' } } }],
])('kv import of %s: %j %s', async (name, text, words, expected) => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  writeFileSync(join(cwd, name), text)
  const { exit, stderr } = await tug(`kv import ${name} ${words}`, { env, cwd })
  expect(exit, stderr).toBe(0)
  expect(stderr).not.toContain('hint:')
  expect(JSON.parse((await tug('kv export f/', { env })).stdout)).toEqual(expected)
})

test.each([
  ['x.yaml', 'a: ENC[x]\nsops:\n  mac: ENC[y]\n', 'f', 'sops decrypt x.yaml'],
  ['x.env', 'A=ENC[x]\nsops_mac=ENC[y]\n', 'f', 'sops decrypt x.env'],
  ['x.toml', 'a = 1\n', 'f', 'TOML'],
  ['x.ini', 'a = 1\n', 'f', 'INI'],
  ['x.json', JSON.stringify({ 'a/': {}, 'b/': {} }), 'f', '2 engines'],
  ['x.json', JSON.stringify({ 'secret/': { a: { k: '***' } } }), 'f', '--show-values'],
  ['x.json', JSON.stringify({ 'secret/': { a: 'x' } }), 'f', "'a'"],
  ['x.json', JSON.stringify({ ...kubernetes, data: { k: '!' } }), 'f', 'base64'],
  ['x.json', JSON.stringify({ ...kubernetes, data: { k: '/w==' } }), 'f', 'UTF-8'],
  ['x.json', JSON.stringify(kubernetes), '', 'without a path'],
  ['x.yaml', 'a:\n  <<: text\n', 'f', 'merge'],
])('kv import of %s is refused: %s %s', async (name, text, words, fact) => {
  const { env, writes } = await startDevServer()
  const cwd = scratchFolder()
  writeFileSync(join(cwd, name), text)
  const { exit, message, hint } = await failure(`kv import ${name} ${words}`, { env, cwd })
  expect([exit, writes]).toEqual([2, []])
  expect(`${message} ${hint}`).toContain(fact)
})

test('nested maps without --as are secrets with maps, and a hint says what else they may be', async () => {
  const { env } = await startDevServer()
  const { exit, stderr } = await tug('kv import - f --plan', { env, stdin: '{"a":{"b":{"k":"v"}}}' })
  expect([exit, stderr]).toEqual([0, expect.stringContaining('--as medusa')])
})

test('an export for docker has no quotes, and refuses values of several lines', async () => {
  const { env } = await startDevServer()
  await tug('kv put s - ', { env, stdin: '{"A":"x y","B":"\\"q\\"","C":"#h"}' })
  expect((await tug('kv export s --format docker-env', { env })).stdout).toBe('A=x y\nB="q"\nC=#h\n')
  await tug('kv set s D=-', { env, stdin: 'a\nb' })
  expect((await failure('kv export s --format docker-env', { env })).message).toContain("'D'")
})
