import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatOfFile } from '../../../src/commands/kv/data/document.ts'
import { scratchFolder } from '../../support/folder.ts'
import { failure, tug } from '../../support/run.ts'
import type { SecretsAt } from '../../support/secrets-at.ts'
import { ago, serveSecretsAt } from '../../support/secrets-at.ts'
import { json, serve } from '../../support/serve.ts'

test.each([
  ['a.json', 'json'],
  ['A.JSON', 'json'],
  ['env.json', 'json'],
  ['a.yaml', 'yaml'],
  ['a.yml', 'yaml'],
  ['A.YML', 'yaml'],
  ['.env', 'dotenv'],
  ['a/.env', 'dotenv'],
  ['env', 'dotenv'],
  ['prod.env', 'dotenv'],
  ['prod.ENV', 'dotenv'],
  ['.env.local', 'dotenv'],
  ['dotenv', 'dotenv'],
  ['a.dotenv', 'dotenv'],
  ['.env.development.local', 'dotenv'],
  ['.env-local', 'dotenv'],
  ['.envrc', 'dotenv'],
  [String.raw`C:\app\.env`, 'dotenv'],
  ['.env.json', 'json'],
  ['.env.d/x', undefined],
  ['myenv', undefined],
  ['.envelope', undefined],
  ['a.json.gz', undefined],
  ['yaml', undefined],
  ['json', undefined],
])('the file %s means %s', (name, format) => {
  expect(formatOfFile(name)).toBe(format)
})

const secrets: SecretsAt = {
  'f/a': [{ data: { k: 'v', m: { x: [1] } } }],
  'f/deleted': [{ deleted: ago(1) }],
  'f/gone': null,
  'f/none': [{ data: null }],
  'f/sub/b': [{ data: {} }],
}

const texts = {
  json: '{\n  "a": {\n    "k": "v",\n    "m": {\n      "x": [\n        1\n      ]\n    }\n  },\n  "none": null,\n  "sub/b": {}\n}\n',
  yaml: 'a:\n  k: v\n  m:\n    x:\n      - 1\nnone: null\nsub/b: {}\n',
}

test.each([
  ['f/ -O x.txt', 'json'],
  ['f/ -O x.txt -o yaml', 'json'],
  ['f/ -O x.yml', 'yaml'],
  ['f/ -O x.env --format json', 'json'],
] as const)('kv export %s writes %s', async (line, format) => {
  const { env } = await serveSecretsAt(secrets)
  const cwd = scratchFolder()
  const { exit, stdout, stderr } = await tug(`kv export ${line}`, { env, cwd })
  const [, file = ''] = /-O (\S+)/.exec(line) ?? []
  expect({ exit, stdout, stderr }).toEqual({
    exit: 0,
    stdout: '',
    stderr: `3 secrets → ${file}, 2 left out: no live version\n`,
  })
  expect(readFileSync(join(cwd, file), 'utf8')).toBe(texts[format])
})

test.each([
  ['f/', texts.json],
  ['f/ -o json', texts.json],
  ['f/ -o yaml', texts.yaml],
  ['f/a --format dotenv', `k=v\nm='{"x":[1]}'\n`],
  ['f/a --format env -o json', `k=v\nm='{"x":[1]}'\n`],
  ['f/a --format shell', `export k='v'\nexport m='{"x":[1]}'\n`],
  ['f/none', '{\n  "none": null\n}\n'],
  ['f/none --format yaml', 'none: null\n'],
  ['f/none --format dotenv', ''],
  ['f/sub', '{\n  "b": {}\n}\n'],
  ['f/sub/b --format dotenv', ''],
  ['f --depth 1 --format yaml', texts.yaml.replace('sub/b: {}\n', '')],
  ['/ --depth 1', '{}\n'],
  ['/ --depth 1 --format yaml', '{}\n'],
])('kv export %s prints %j', async (line, text) => {
  const { env } = await serveSecretsAt(secrets)
  const { exit, stdout } = await tug(`kv export ${line}`, { env })
  expect([exit, stdout]).toEqual([0, text])
})

test('lines of variables are for one secret, whose keys can be variables and choose no code of a shell', async () => {
  const { env } = await serveSecretsAt({
    f: [{ data: { 'a b': 'x' } }],
    'f/x': [{ data: { LD_PRELOAD: 'x', 'a-b': 'y' } }],
  })
  for (const line of ['f/ --format dotenv', 'f/ -O .env', 'f --format dotenv', 'f/x --format shell'])
    expect(await failure(`kv export ${line}`, { env, cwd: scratchFolder() })).toMatchObject({ exit: 2, stdout: '' })
  expect((await tug('kv export f/x -o env', { env })).stderr).toContain('tug kv export <path> --format dotenv')
  expect((await tug('kv export f/x --format dotenv', { env })).stdout).toBe('LD_PRELOAD=x\na-b=y\n')
})

test('a path that is a secret and a folder is the secret, unless a slash asks for the folder', async () => {
  const { env } = await serveSecretsAt({ a: [{ data: { own: 1 } }], 'a/b': [{ data: { below: 1 } }] })
  const read = async (line: string) => JSON.parse((await tug(`kv export ${line}`, { env })).stdout) as unknown
  expect(await read('a')).toEqual({ a: { own: 1 } })
  expect(await read('a/')).toEqual({ b: { below: 1 } })
})

/** Answers a read of `a` and its list with these statuses. */
function statuses(data: number, list: number) {
  return serve(({ url }, response) => {
    const status = url.includes('list=true') ? list : data
    json(
      response,
      status,
      JSON.stringify(status === 404 ? { errors: [] } : { errors: [url.includes('list') ? 'list' : 'data'] }),
    )
  })
}

test.each([
  [403, 403, 'not_allowed', 'list'],
  [403, 404, 'not_allowed', 'data'],
  [404, 403, 'not_allowed', 'list'],
  [404, 404, 'not_found', 'no such secret'],
  [403, 500, 'failed', 'list'],
  [404, 500, 'failed', 'list'],
  [500, 404, 'failed', 'data'],
])('where the path is %i and the folder %i, the export fails as %s: %s', async (data, list, code, words) => {
  const { env, seen } = await statuses(data, list)
  const { message, ...found } = await failure('kv export a --retries 0', { env })
  expect(found.code).toBe(code)
  expect(message).toContain(words)
  expect(seen[0]?.url).toBe('/v1/secret/data/a')
})

test('what a failing export has written says so', async () => {
  const { env } = await serve(({ url }, response) => {
    if (url.includes('list=true')) return json(response, 200, '{"data":{"keys":["a","b"]}}')
    if (url.endsWith('/b')) return json(response, 200, '{"data":{"k":"literal"}}')
    return json(response, 200, '{"data":{"data":{"k":"v"},"metadata":{"version":1}}}')
  })
  const words = 'the export failed after 1 secret'
  for (const [format, text] of [
    ['json', `{\n  "a": {\n    "k": "v"\n  },\n  "# incomplete": "${words}"\n}\n`],
    ['yaml', `a:\n  k: v\n"# incomplete": "${words}"\n`],
  ] as const) {
    const { exit, stdout } = await tug(`kv export / --format ${format} --parallel 1`, { env })
    expect([exit, stdout]).toEqual([1, text])
  }
})

test.each([
  ['json', '{\n  "# incomplete": "1 of 1 secret missing"\n}\n'],
  ['yaml', '"# incomplete": "1 of 1 secret missing"\n'],
])('an export as %s of which nothing could be read says so', async (format, text) => {
  const { env } = await serveSecretsAt({ locked: [{}] })
  const { exit, stdout } = await tug(`kv export / --format ${format}`, { env })
  expect([exit, stdout]).toEqual([10, text])
})
