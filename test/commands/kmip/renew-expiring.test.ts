import { X509Certificate } from 'node:crypto'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { hiddenClock } from '../../support/stopped-clock.ts'
import { scratchFolder } from '../../support/folder.ts'
import { failure, tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { issue } from './credentials.ts'

interface Row {
  readonly changed: boolean
  readonly action: string
  readonly outcome?: string
  readonly serial_number: string
  readonly not_after: string
  readonly folder: string
  readonly replaces?: string
}

const day = 86_400_000

const rowsIn = (stdout: string) => (JSON.parse(stdout) as { items: Row[] }).items
const isRenewed = ({ outcome }: Row) => outcome === 'done'

/** An engine whose certificates of storage/app last 100 days, and a clock that starts now. */
async function engine() {
  const { env } = await startDevServer({ clock: hiddenClock })
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
  expect(Object.keys(row).slice(0, 5)).toEqual(['action', 'planned', 'role', 'changed', 'scope'])
  expect({ exit, changed: row.changed }).toEqual({ exit: 0, changed: true })
  expect(await serials()).toEqual([row.serial_number])
})

test.each([
  ['10d', true],
  ['100d', false],
])('a new certificate that expires within the window is warned about: TTL %s', async (ttl, isWarned) => {
  const { at } = await engine()
  await tug(`kmip role set storage app --tls-client-ttl 20d`, at(0))
  await tug('kmip cred generate storage app --out-dir c', at(0))
  await tug(`kmip role set storage app --tls-client-ttl ${ttl}`, at(0))
  const { exit, stderr } = await tug('kmip cred renew storage app --if-expiring 30d --out-dir c --force', at(0))
  expect([exit, stderr.includes('--tls-client-ttl')]).toEqual([0, isWarned])
})

test('a revocation that a run which was cut off has left to do is done by the same line', async () => {
  const { at, serials } = await engine()
  await tug('kmip cred generate storage app --out-dir c', at(0))
  const [old] = await serials()
  const line = `kmip cred renew storage app ${old} --if-expiring 30d --out-dir c --force`
  await tug('kmip role set storage app --tls-client-ttl 300d', at(0))
  await tug(line, at(80))
  await tug(line, at(80))
  expect(await serials()).toHaveLength(2)
  const plan = await tug(`${line} --revoke-old --plan -o json`, at(0))
  expect(JSON.parse(plan.stdout)).toMatchObject({ action: 'revoke', replaces: old })
  expect((await tug(`${line} --revoke-old`, at(0))).exit).toBe(0)
  expect(await serials()).not.toContain(old)
  expect(JSON.parse((await tug(`${line} --revoke-old -o json`, at(0))).stdout)).toMatchObject({ changed: false })
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

test('the successor of a named certificate is renewed by the same line, once the named one is revoked', async () => {
  const { at, serials } = await engine()
  await tug('kmip cred generate storage app --out-dir c', at(0))
  const [old] = await serials()
  const line = `kmip cred renew storage app --serial ${old} --if-expiring 30d --out-dir c --force --revoke-old -o json`
  const [first, second] = [await tug(line, at(71)), await tug(line, at(80))]
  expect([first.exit, second.exit], second.stderr).toEqual([0, 0])
  const [one, two] = [first, second].map(({ stdout }) => JSON.parse(stdout) as Row)
  expect(two).toMatchObject({ changed: true, replaces: one?.serial_number })
  expect(await serials()).toEqual([two?.serial_number])
})

test('without a role each certificate that expires is renewed once, into its own folder', async () => {
  const { at, cwd, serials } = await engine()
  for (const name of ['one', 'two']) await tug(`kmip cred generate storage app --out-dir ${name}`, at(0))
  const old = await serials()
  await tug('kmip role set storage app --tls-client-ttl 300d', at(0))
  const line = 'kmip cred renew storage --if-expiring 30d --out-dir all --force -o json'
  const own = async (days: number) =>
    rowsIn((await tug(line, at(days))).stdout).filter(({ folder }) => folder.includes('/app/'))
  const first = await own(80)
  expect(new Set(first.map(({ replaces }) => replaces))).toEqual(new Set(old))
  expect(readdirSync(join(cwd, 'all', 'storage', 'app')).toSorted()).toEqual(old.toSorted())
  expect((await own(80)).map(({ action }) => action)).not.toContain('renew')
  expect(await serials()).toHaveLength(4)
})

test('several that expire are not chosen from, and nothing is issued', async () => {
  const { at, serials } = await engine()
  for (const name of ['one', 'two']) await tug(`kmip cred generate storage app --out-dir ${name}`, at(0))
  const { exit } = await tug('kmip cred renew storage app --if-expiring 30d --out-dir c', at(80))
  expect(exit).toBe(2)
  expect(await serials()).toHaveLength(2)
})

test('of certificates that have all ended, only the last gets a successor', async () => {
  const { at, serials } = await engine()
  await tug('kmip cred generate storage app --out-dir one', at(0))
  const [last] = await serials()
  await tug('kmip role set storage app --tls-client-ttl 50d', at(0))
  await tug('kmip cred generate storage app --out-dir two', at(0))
  await tug('kmip role set storage app --tls-client-ttl 300d', at(0))
  const { stdout } = await tug('kmip cred renew storage app --if-expiring 30d --out-dir c -o json', at(110))
  expect(JSON.parse(stdout)).toMatchObject({ changed: true, replaces: last })
})

test('an --out-dir that is a file is refused, and nothing is issued', async () => {
  const { at, cwd, serials } = await engine()
  await tug('kmip cred generate storage app --out-dir one', at(0))
  writeFileSync(join(cwd, 'all'), 'not a folder')
  const before = await serials()
  for (const flags of ['--if-expiring 400d', `--serial ${before[0]}`]) {
    const { exit, stderr } = await tug(`kmip cred renew storage app ${flags} --out-dir all`, at(80))
    expect({ exit, isOurs: stderr.includes('internal error') }).toEqual({ exit: 1, isOurs: false })
  }
  expect(await serials()).toEqual(before)
})

test('a certificate that cannot be renewed is a failure of its own', async () => {
  const { at, cwd, serials } = await engine()
  await tug('kmip cred generate storage app --out-dir one', at(0))
  const [serial] = await serials()
  mkdirSync(join(cwd, 'all', 'storage'), { recursive: true })
  writeFileSync(join(cwd, 'all', 'storage', 'app'), 'not a folder')
  const { exit, stdout, stderr } = await tug('kmip cred renew --if-expiring 400d --out-dir all -o json', at(80))
  expect({ exit, code: errorIn(stderr).code }).toEqual({ exit: 10, code: 'partial' })
  expect(errorIn(stderr).message).toContain(`storage/app/${serial}`)
  const rows = rowsIn(stdout) as (Row & { item: string; error?: object })[]
  const outcomes = rows.map(({ item, action, error }) => [item.split('/')[1], action, error !== undefined])
  expect(outcomes).toContainEqual(['app', 'unreadable', true])
  expect(outcomes.filter(([role]) => role !== 'app')).toEqual([['backup', 'renew', false]])
})

/** The last line of stderr as an error in JSON. */
function errorIn(stderr: string) {
  const last = stderr.trimEnd().split('\n').at(-1) ?? ''
  return (JSON.parse(last) as { error: { code: string; message: string } }).error
}

const credential = issue()

/** An engine with the roles s/a and s/b of three certificates each, all ending in a month; `issue` answers each new one. */
async function roles(answer: (response: ServerResponse, count: number) => void, unreadable = '') {
  let count = 0
  const { env, seen } = await serve(({ url, method }, response) => {
    if (method === 'POST') return answer(response, (count += 1))
    if (url.includes(`/role/${unreadable}/`) && url.includes('lookup')) return json(response, 403, '{"errors":["no"]}')
    const keys = url.includes('/credential?') ? ['1', '2', '3'] : url.includes('/role?') ? ['a', 'b'] : ['s']
    json(response, 200, JSON.stringify({ data: url.includes('list=true') ? { keys } : credential }))
  })
  const run = (more: string, now = Date.now(), cwd = scratchFolder()) =>
    tug(`kmip cred renew s --if-expiring 60d --out-dir out -o json --retries 0 ${more}`, {
      env,
      cwd,
      now: new Date(now),
    })
  return { run, seen, issued: () => seen.filter(({ method }) => method === 'POST').length }
}

const end = Date.parse(new X509Certificate(credential.certificate).validTo)

test.each([
  ['too early', -1, 0],
  ['when they end at the limit', 0, 6],
  ['right before they end', 60 * day - 1, 6],
  ['when they have ended', 60 * day, 2],
])('certificates are renewed by their end, in milliseconds: %s', async (_, after, issued) => {
  const { run, issued: count } = await roles((response) => json(response, 200, JSON.stringify({ data: credential })))
  const { exit, stdout } = await run('', end - 60 * day + after)
  expect({ exit, issued: count() }).toEqual({ exit: 0, issued })
  expect(rowsIn(stdout).filter(isRenewed)).toHaveLength(issued)
})

test.each([
  [-1, false],
  [0, true],
])('one that is named is renewed if it ends %i ms before the limit: %s', async (after, changed) => {
  const { run, issued } = await roles((response) => json(response, 200, JSON.stringify({ data: credential })))
  const { exit, stdout } = await run('a --serial 2', end - 60 * day + after)
  expect({ exit, issued: issued() }).toEqual({ exit: 0, issued: changed ? 1 : 0 })
  expect(JSON.parse(stdout)).toMatchObject({ changed, ...(changed ? { replaces: '2' } : { serial_number: '2' }) })
})

test('a certificate in the folder that is valid for longer is left alone without a request', async () => {
  const { run, seen } = await roles((response) => json(response, 200, JSON.stringify({ data: credential })))
  const cwd = scratchFolder()
  mkdirSync(join(cwd, 'out'))
  writeFileSync(join(cwd, 'out', 'certificate.pem'), credential.certificate)
  writeFileSync(join(cwd, 'out', 'private-key.pem'), credential.private_key)
  const left = await run('a', end - 60 * day - 1, cwd)
  expect(left.exit).toBe(0)
  expect(JSON.parse(left.stdout)).toMatchObject({ changed: false, serial_number: credential.serial_number })
  expect(seen).toEqual([])
  // Of the others none is the one in the folder.
  expect((await run('a', end - 60 * day, cwd)).exit).toBe(2)
})

test('a run of renewals accounts for those that failed, whose fate is unknown, and that were not sent', async () => {
  const { run, issued } = await roles((response, count) => {
    if (count === 2) json(response, 403, '{"errors":["permission denied"]}')
    else if (count === 3) response.socket?.end()
    else json(response, 200, JSON.stringify({ data: credential }))
  })
  const { exit, stdout, stderr } = await run('--parallel 1 --max-failures 2')
  expect({ exit, issued: issued() }).toEqual({ exit: 10, issued: 3 })
  const { message } = errorIn(stderr)
  expect(message).toMatch(/^ *s\/a\/2: permission denied/m)
  expect(message).toMatch(/^ *unknown: s\/a\/3: /m)
  expect(message).toMatch(/^ *not sent: s\/b\/1, s\/b\/2, s\/b\/3$/m)
  const outcomes = rowsIn(stdout).map(({ outcome }) => outcome)
  expect(outcomes).toEqual(['done', 'failed', 'unknown', 'not_sent', 'not_sent', 'not_sent'])
})

test('nothing of a role is renewed where a certificate of it cannot be read', async () => {
  const { run, issued } = await roles((response) => json(response, 200, JSON.stringify({ data: credential })), 'b')
  const { exit, stdout } = await run('')
  expect({ exit, issued: issued() }).toEqual({ exit: 10, issued: 3 })
  expect(rowsIn(stdout).map(isRenewed)).toEqual([true, true, true, false])
})

test.each(['kmip cred renew --out-dir c', 'kmip cred renew storage --serial 5 --out-dir c --if-expiring 3d'])(
  '%s is refused before anything is sent',
  async (line) => {
    expect(await failure(line)).toMatchObject({ exit: 2, stdout: '' })
  },
)

test.each([
  ['scope', '../../out'],
  ['role', '..'],
  ['serial number', '../../../1'],
])("a server's %s that leads out of --out-dir is refused, and the others are renewed", async (what, name) => {
  const { env, seen } = await serve(({ url, method }, response) => {
    const named = (kind: string, own: string) => (what === kind ? [name, own] : [own])
    const serials = url.includes('/role/a/') ? named('serial number', '1') : ['1']
    const names = what === 'serial number' ? ['a', 'b'] : named('role', 'b')
    const keys = url.includes('/credential?') ? serials : url.includes('/role?') ? names : named('scope', 's')
    json(response, 200, JSON.stringify({ data: method === 'GET' && url.includes('list=true') ? { keys } : credential }))
  })
  const cwd = join(scratchFolder(), 'inside')
  mkdirSync(cwd)
  const line = 'kmip cred renew --if-expiring 60d --out-dir out -o json'
  const { exit, stdout } = await tug(line, { env, cwd, now: new Date() })
  const renewed = rowsIn(stdout)
    .filter(isRenewed)
    .map(({ folder }) => folder)
  expect({ exit, renewed }).toEqual({ exit: 10, renewed: [join('out', 's', 'b', '1')] })
  expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(1)
  expect([readdirSync(cwd), readdirSync(join(cwd, '..'))]).toEqual([['out'], ['inside']])
})
