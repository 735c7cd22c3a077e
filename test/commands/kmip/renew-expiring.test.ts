import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { failure, tug } from '../../support/run.ts'

interface Row {
  readonly changed: boolean
  readonly serial_number: string
  readonly not_after: string
  readonly folder: string
  readonly replaces?: string
}

const day = 86_400_000

/** An engine whose certificates of storage/app last 100 days, and a clock that starts now. */
async function engine() {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  const start = Date.now()
  const at = (days: number) => ({ env, cwd, now: new Date(start + days * day) })
  await tug('kmip role set storage app --all-operations --tls-client-ttl 100d', at(0))
  const serials = async () =>
    JSON.parse((await tug('kmip cred list storage app -o json', at(0))).stdout) as readonly string[]
  return { at, cwd, serials }
}

test('a certificate is renewed once, by the clock, however often the line runs', async () => {
  const { at, serials } = await engine()
  await tug('kmip cred generate storage app --out-dir c', at(0))
  const line = 'kmip cred renew storage app --if-expiring 30d --out-dir c --force -o json'
  const changed = async (days: number) => (JSON.parse((await tug(line, at(days))).stdout) as Row).changed
  expect(await changed(0)).toBe(false)
  expect(await changed(69)).toBe(false)
  expect(await serials()).toHaveLength(1)
  const { exit, stdout } = await tug(`${line} --revoke-old`, at(71))
  const row = JSON.parse(stdout) as Row
  expect(Object.keys(row).slice(0, 4)).toEqual(['action', 'scope', 'role', 'changed'])
  expect({ exit, changed: row.changed }).toEqual({ exit: 0, changed: true })
  expect(await serials()).toEqual([row.serial_number])
})

test('a named certificate is left alone while it is valid, and after its successor is filed', async () => {
  const { at, serials } = await engine()
  await tug('kmip cred generate storage app --out-dir first', at(0))
  const [serial] = await serials()
  const line = `kmip cred renew storage app --serial ${serial} --out-dir next -o json --if-expiring`
  expect(JSON.parse((await tug(`${line} 90d`, at(0))).stdout)).toMatchObject({ changed: false, serial_number: serial })
  expect(JSON.parse((await tug(`${line} 101d`, at(-2))).stdout)).toMatchObject({ changed: false })
  expect(JSON.parse((await tug(`${line} 99d`, at(2))).stdout)).toMatchObject({ changed: true, replaces: serial })
  expect(JSON.parse((await tug(`${line} 97d`, at(2))).stdout)).toMatchObject({ changed: false })
  expect(await serials()).toHaveLength(2)
})

test('without a role each certificate that expires is renewed once, into its own folder', async () => {
  const { at, cwd, serials } = await engine()
  for (const name of ['one', 'two']) await tug(`kmip cred generate storage app --out-dir ${name}`, at(0))
  const old = await serials()
  await tug('kmip role set storage app --tls-client-ttl 300d', at(0))
  const line = 'kmip cred renew storage --if-expiring 30d --out-dir all --force -o json'
  const own = async (days: number) =>
    (JSON.parse((await tug(line, at(days))).stdout) as Row[]).filter(({ folder }) => folder.includes('/app/'))
  const first = await own(80)
  expect(new Set(first.map(({ replaces }) => replaces))).toEqual(new Set(old))
  expect(readdirSync(join(cwd, 'all', 'storage', 'app')).toSorted()).toEqual(old.toSorted())
  expect((await own(80)).map(({ changed }) => changed)).not.toContain(true)
  expect(await serials()).toHaveLength(4)
})

test('several that expire are not chosen from, and nothing is issued', async () => {
  const { at, serials } = await engine()
  for (const name of ['one', 'two']) await tug(`kmip cred generate storage app --out-dir ${name}`, at(0))
  const { exit } = await tug('kmip cred renew storage app --if-expiring 30d --out-dir c', at(80))
  expect(exit).toBe(2)
  expect(await serials()).toHaveLength(2)
})

test('a role that cannot be renewed is a failure of its own', async () => {
  const { at } = await engine()
  await tug('kmip cred generate storage app --out-dir one', at(0))
  const { exit, stdout } = await tug('kmip cred renew --if-expiring 30d --out-dir /dev/null -o json', at(80))
  expect(exit).toBe(10)
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ scope: 'storage', role: 'app', changed: false }))
})

test.each(['kmip cred renew --out-dir c', 'kmip cred renew storage --serial 5 --out-dir c --if-expiring 3d'])(
  '%s is refused before anything is sent',
  async (line) => {
    expect(await failure(line)).toMatchObject({ exit: 2, stdout: '' })
  },
)
