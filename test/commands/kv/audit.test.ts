import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { failure, tug } from '../../support/run.ts'
import { story } from '../../support/story.ts'

test('what an audit finds', () =>
  story('kv-audit', [
    'kv audit',
    'kv put a/x password=S3cretV4lue token=changeme user=app -q',
    `kv put a/y 'db:={"pass":"S3cretV4lue","todo":"TODO"}' e= user=app -q`,
    'kv put app/api -q token=demo-api-token url=https://api.app.internal',
    'kv metadata put a/z --delete-version-after 2d -q',
    'kv put a/z k=v -q',
    'kv audit --older-than 10d --require-metadata owner --exit-code',
    'kv audit a/ --only reused,placeholder -o json',
    'kv audit a/ --only expiring -o name',
    'kv audit team/ --only lingering --older-than 2d',
    'kv audit a/ --only bogus',
    'kv audit nowhere/',
  ]))

test('rewriting the same value is no rotation, and a new value is one', async () => {
  const { env } = await startDevServer()
  const stale = async () => {
    const { stdout } = await tug('kv audit app/ --only stale --older-than 20d -o name', { env, now: new Date() })
    return stdout.trim().split('\n')
  }
  expect(await stale()).toEqual(['app/api', 'app/cache'])
  await tug('kv rollback app/db --to 3', { env })
  await tug('kv put app/api token=demo-api-token url=https://api.app.internal', { env })
  await tug('kv put app/cache host=other port=1', { env })
  expect(await stale()).toEqual(['app/api'])
})

test('no value, nor a part of one, is in the findings', async () => {
  const { env } = await startDevServer()
  for (const path of ['v/one', 'v/two']) await tug(`kv put ${path} key=Zx9-unique-value other=changeme`, { env })
  for (const format of ['table', 'json', 'csv', 'yaml']) {
    const { stdout, stderr } = await tug(`kv audit --older-than 1s -o ${format}`, { env, now: new Date() })
    expect(stdout).toContain('v/two')
    expect(stdout + stderr).not.toMatch(/Zx9|unique|changeme|demo-/)
  }
})

test('an audit only reads', async () => {
  const { env } = await startDevServer()
  const { stdout } = await tug('kv audit app/ --only lingering --dry-run', { env })
  expect(stdout).toMatch(/^curl -X GET \S+metadata\/app\?list=true/m)
  expect((await failure('kv audit --older-than soon', { env })).exit).toBe(2)
})
