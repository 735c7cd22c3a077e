import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { serveBetween } from '../../support/between.ts'
import { tug } from '../../support/run.ts'

/** The local server with live, deleted, destroyed and empty secrets. */
async function store() {
  const { env } = await startDevServer()
  await tug('kv import - m', {
    env,
    stdin: '{"a":{"k":"1"},"b":{"k":"1"},"c":{"k":"1"},"sub/d":{"k":"1"},"two/e":{"k":"1"}}',
  })
  await tug('kv delete m/b m/sub/d', { env })
  await tug('kv destroy m/c --versions 1 --yes', { env })
  await tug('kv metadata put m/empty --max-versions 3', { env })
  return env
}

const rows = async (line: string, env: Record<string, string>) =>
  JSON.parse((await tug(line, { env })).stdout) as unknown

test('kv list marks secrets without a live version, and leaves them out', async () => {
  const env = await store()
  expect(await rows('kv list m -o json', env)).toEqual(['a', 'b', 'c', 'empty', 'sub/', 'two/'])
  expect(await rows('kv list m --no-deleted -o json', env)).toEqual(['a', 'sub/', 'two/'])
  expect(await rows('kv list m --deleted -o json', env)).toEqual([
    { key: 'a', state: 'live' },
    { key: 'b', state: 'deleted' },
    { key: 'c', state: 'destroyed' },
    { key: 'empty', state: 'empty' },
    { key: 'sub/', state: null },
    { key: 'two/', state: null },
  ])
  expect((await tug('kv list m --deleted -o name', { env })).stdout).toBe('a\nb\nc\nempty\nsub/\ntwo/\n')
  expect((await tug('kv list m --deleted --no-deleted', { env })).exit).toBe(2)
})

test('kv tree marks secrets without a live version, and leaves them out with folders of nothing else', async () => {
  const env = await store()
  const marked = (await tug('kv tree m --deleted', { env })).stdout
  for (const line of ['b  (deleted)', 'c  (destroyed)', 'empty  (empty)', 'd  (deleted)'])
    expect(marked).toContain(line)
  expect(marked).not.toContain('a  (')
  expect((await tug('kv tree m --no-deleted', { env })).stdout).toBe('secret/m/\n├── a\n└── two/\n    └── e\n')
  expect(await rows('kv tree m --no-deleted -o json', env)).toEqual(['m/a', 'm/two/e'])
  expect(await rows('kv tree m --deleted -o json', env)).toContainEqual({ path: 'm/sub/d', state: 'deleted' })
})

test.each(['kv list m', 'kv tree m'])(
  '%s counts secrets whose metadata cannot be read, and keeps them',
  async (line) => {
    const env = await store()
    const seen: string[] = []
    const weak = await serveBetween(env, {
      denies: ({ url }) => /\/metadata\/m\/(?:b|c)$/.test(url),
      before: ({ url }) => void seen.push(url),
    })
    const { exit, stdout, stderr } = await tug(`${line} --no-deleted`, { env: weak })
    expect(exit).toBe(0)
    expect(stdout).toMatch(/b\n/)
    expect(stderr).toContain('2 secrets')
    seen.length = 0
    await tug(line, { env: weak })
    expect(seen.filter((url) => !url.includes('list=true'))).toEqual([])
  },
)
