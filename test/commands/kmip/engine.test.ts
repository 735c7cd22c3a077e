import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { hiddenClock } from '../../support/stopped-clock.ts'
import { scratchFolder } from '../../support/folder.ts'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { mentions } from '../../support/told.ts'
import { issue } from './credentials.ts'

const credential = issue()

interface Row {
  readonly scope: string
  readonly role: string
  readonly serial_number: string
}

test('without a role the certificates of a scope are listed, without a scope those of the engine', async () => {
  const { env } = await startDevServer()
  await tug('kmip scope create finance', { env })
  await tug('kmip role set finance ledger --all-operations', { env })
  await tug('kmip cred generate finance ledger -o json', { env })
  const all = JSON.parse((await tug('kmip cred list -o json', { env })).stdout) as Row[]
  const scopes = [...new Set(all.map(({ scope }) => scope))]
  expect(scopes.length).toBeGreaterThan(1)
  const own = JSON.parse((await tug('kmip cred list storage -o json', { env })).stdout) as Row[]
  expect(own).toEqual(all.filter(({ scope }) => scope === 'storage'))
  const role = JSON.parse((await tug('kmip cred list storage backup -o json', { env })).stdout) as string[]
  expect(role).toEqual(own.filter((row) => row.role === 'backup').map((row) => row.serial_number))
})

test('everything that ends soon is found in the whole engine, with exit status 9', async () => {
  const { env } = await startDevServer()
  const line = 'kmip cred list --expiring 36500d --exit-code -o csv --columns scope,role,serial_number'
  const { exit, stdout } = await tug(line, { env })
  expect(exit).toBe(9)
  const all = JSON.parse((await tug('kmip cred list -o json', { env })).stdout) as Row[]
  expect(stdout.trim().split('\n').slice(1).toSorted()).toEqual(
    all.map(({ scope, role, serial_number: serial }) => `${scope},${role},${serial}`).toSorted(),
  )
})

test('a scope that may not be read is named, the others are listed, and the exit status is 10', async () => {
  const { env } = await serve(({ url }, response) => {
    if (url.endsWith('/scope?list=true')) json(response, 200, '{"data":{"keys":["a","b"]}}')
    else if (url.includes('/scope/a/')) json(response, 403, '{"errors":["permission denied"]}')
    else if (url.endsWith('/role?list=true')) json(response, 200, '{"data":{"keys":["r"]}}')
    else json(response, 200, '{"data":{"keys":["17"]}}')
  })
  const { exit, stdout, stderr } = await tug('kmip cred list -o json', { env })
  expect({ exit, rows: JSON.parse(stdout) as unknown }).toEqual({
    exit: 10,
    rows: [{ scope: 'b', role: 'r', serial_number: '17' }],
  })
  expect(stderr).toBe('warning: a: permission denied\n')
})

test('a renewal writes the new certificate, then revokes the old one', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  const machine = { env, cwd }
  await tug('kmip cred generate storage backup --out-dir out', machine)
  const [old = ''] = (await tug('kmip cred list storage backup -o name', machine)).stdout.trim().split('\n')
  const line = `kmip cred renew storage backup ${old} --out-dir out --force --revoke-old`
  const { exit, stdout, stderr } = await tug(`${line} -o json`, machine)
  expect(exit).toBe(0)
  expect(stderr).toMatch(`revoked ${old}\n`)
  const { serial_number: serial } = JSON.parse(stdout) as Row
  const now = (await tug('kmip cred list storage backup -o name', machine)).stdout
  expect(now).toContain(serial)
  expect(now).not.toContain(`${old}\n`)
  const card = await tug(`kmip cred lookup storage backup ${serial}`, machine)
  expect(card.stdout).toMatch(
    /^expires {5}\d{4}-\d\d-\d\d \d\d:\d\d UTC \(.*\)\nnot_before {2}\d{4}-\d\d-\d\d \d\d:\d\d UTC$/m,
  )
  const shown = await tug(`kmip cred lookup storage backup ${serial} --field certificate`, machine)
  expect(shown.stdout.trim()).toBe(readFileSync(join(cwd, 'out', 'certificate.pem'), 'utf8').trim())
})

test('a renewal reads the serial number from the file of the old certificate, before it replaces it', async () => {
  const { env } = await startDevServer()
  const machine = { env, cwd: scratchFolder() }
  const issued = await tug('kmip cred generate storage backup --out-dir out -o json --query serial_number', machine)
  const old = JSON.parse(issued.stdout) as string
  const line = 'kmip cred renew storage backup --certificate out/certificate.pem --out-dir out --force --revoke-old'
  const { exit, stderr } = await tug(line, machine)
  expect(exit).toBe(0)
  expect(stderr).toMatch(`revoked ${old}\n`)
  expect((await tug('kmip cred list storage backup -o name', machine)).stdout).not.toContain(old)
})

test('a renewal for a shorter time than the old certificate has left is a warning', async () => {
  const { env } = await startDevServer({ clock: hiddenClock })
  const machine = { env, cwd: scratchFolder() }
  const renewed = async (ttl: string) => {
    await tug(`kmip role set storage backup --tls-client-ttl ${ttl}`, machine)
    return tug('kmip cred renew storage backup --certificate out/certificate.pem --out-dir out --force', machine)
  }
  await tug('kmip role set storage backup --tls-client-ttl 10d', machine)
  await tug('kmip cred generate storage backup --out-dir out', machine)
  expect((await renewed('11d')).stderr).not.toContain('warning')
  const shorter = await renewed('9d')
  expect(shorter.stderr).toMatch(
    /\nwarning: .* [-\d]+ [:\d]+ UTC, .* \([-\d]+ [:\d]+ UTC\)\nhint: .*: tug kmip role set storage backup --tls-client-ttl <duration>\n/,
  )
  expect(shorter.exit).toBe(0)
})

test('a renewal sends nothing if the file has no certificate that can be read', async () => {
  const { env, seen } = await serve((_, response) => json(response, 500, '{}'))
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'odd.pem'), '-----BEGIN CERTIFICATE-----\nodd\n-----END CERTIFICATE-----\n')
  writeFileSync(join(cwd, 'empty.pem'), '')
  for (const [file, words] of [
    ['odd.pem', ' odd.pem …; nothing …\nhint: … --serial\n'],
    ['empty.pem', 'empty.pem … PEM\nhint: … -----BEGIN CERTIFICATE'],
  ] as const) {
    const { exit, stderr } = await tug(`kmip cred renew s r --certificate ${file} --out-dir out`, { env, cwd })
    expect({ exit, requests: seen.length }).toEqual({ exit: 2, requests: 0 })
    expect(stderr).toMatch(mentions(words))
  }
})

test.each([
  ['sign s r --csr', 'client\\.der [^\\n]* signing request[^\\n]*'],
  ['revoke s r --yes --certificate', 'client\\.der (?![^\\n]*signing request)[^\\n]* certificate[^\\n]*'],
])('a file in DER is refused with what is expected: %s', async (line, message) => {
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'client.der'), Buffer.from('3082020a02820101ff', 'hex'))
  const { exit, stderr } = await tug(`kmip cred ${line} client.der`, { cwd })
  expect(exit).toBe(2)
  expect(stderr).toMatch(new RegExp(`^tug: ${message}\nhint: [^\n]*-----BEGIN CERTIFICATE`))
})

test('a dry run of a renewal recommends no next step', async () => {
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify({ data: credential })))
  const { exit, stderr } = await tug('kmip cred renew storage backup 5 --out-dir out --dry-run', { env })
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
})

test('a renewal whose files cannot be written leaves the old certificate and asks the server nothing', async () => {
  const { env, seen } = await serve((_, response) => json(response, 500, '{}'))
  const { exit } = await tug('kmip cred renew s r --serial 1 --out-dir /dev/null/x --revoke-old', { env })
  expect({ exit, requests: seen.length }).toEqual({ exit: 1, requests: 0 })
})

test.each(['', ' --plan', ' --revoke-old'])(
  'an unknown serial number is found before a certificate is issued:%s',
  async (flags) => {
    const { env } = await startDevServer()
    const serials = async () => (await tug('kmip cred list storage backup -o json', { env })).stdout
    const before = await serials()
    const line = `kmip cred renew storage backup --serial 5 --out-dir out${flags}`
    expect((await tug(line, { env, cwd: scratchFolder() })).exit).toBe(3)
    expect(await serials()).toBe(before)
  },
)

test.each([403, 405])('a certificate whose lookup is refused with %i is renewed', async (status) => {
  const { env } = await serve(({ url }, response) =>
    url.includes('/lookup')
      ? json(response, status, '{"errors":["permission denied"]}')
      : json(response, 200, JSON.stringify({ data: credential })),
  )
  const { exit, stderr } = await tug('kmip cred renew s r --serial 5 --out-dir out', { env, cwd: scratchFolder() })
  expect(exit).toBe(0)
  expect(stderr).not.toContain('kmip cred lookup')
})

test('if the old certificate cannot be revoked, the new files are kept and the exit status is 10', async () => {
  const { env } = await serve(({ url }, response) =>
    url.endsWith('/revoke')
      ? json(response, 404, '{"errors":["no such certificate"]}')
      : json(response, 200, JSON.stringify({ data: credential })),
  )
  const cwd = scratchFolder()
  const { exit, stderr } = await tug('kmip cred renew storage backup --serial 5 --out-dir out --revoke-old', {
    env,
    cwd,
  })
  expect(exit).toBe(10)
  expect(stderr).toMatch(mentions('… out, but revoking 5 failed:'))
  expect(stderr).toMatch(mentions('hint: …: tug kmip cred list storage backup\n'))
  expect(stderr).not.toContain('kmip cred revoke')
  expect(readFileSync(join(cwd, 'out', 'private-key.pem'), 'utf8')).toContain('PRIVATE KEY')
})

test.each([
  ['kmip cred revoke s r', '…\nhint: …: <serial>, --serial … --certificate'],
  ['kmip cred revoke s r 1 --serial 2', ' only once\n'],
  ['kmip cred lookup s r', '…\nhint: …: <serial> or --serial'],
  ['kmip cred renew s r 1 --serial 1 --out-dir x', ' only once\n'],
  ['kmip cred renew s r 1 --certificate c.pem --out-dir x', ' only once\n'],
  ['kmip cred lookup s r 1 --field certificate --out-dir x', '--out-dir … --field …'],
])('%s is refused', async (line, words) => {
  const { exit, stderr } = await tug(`${line} --yes`)
  expect(exit).toBe(2)
  expect(stderr).toMatch(mentions(words))
})

const writesOfNames = [
  ['kmip scope create a', 'created'],
  ['kmip scope delete a --yes', 'deleted'],
  ['kmip role delete s a --yes', 'deleted'],
] as const

/** What a line sends and says of its write if the list of names is answered so. */
async function afterList(line: string, status: number, list: string) {
  const { env, seen } = await serve(({ method }, response) => {
    if (method === 'GET') json(response, status, list)
    else response.writeHead(204).end()
  })
  const { exit, stdout } = await tug(`${line} -o json --retries 0`, { env })
  const facts = stdout === '' ? {} : (JSON.parse(stdout) as Record<string, unknown>)
  return { exit, facts, methods: seen.map(({ method }) => method) }
}

test.each(writesOfNames)('%s reads the list first', async (line, fact) => {
  const listed = await afterList(line, 200, '{"data":{"keys":["b","a"]}}')
  const isCreation = fact === 'created'
  expect(listed).toMatchObject(
    isCreation
      ? { exit: 0, facts: { action: 'unchanged', changed: false }, methods: ['GET'] }
      : { exit: 0, facts: { action: 'delete', changed: true }, methods: ['GET', 'DELETE'] },
  )
  for (const [status, list] of [
    [200, '{"data":{"keys":["b","A"]}}'],
    [404, '{"errors":[]}'],
  ] as const) {
    const absent = await afterList(line, status, list)
    if (isCreation)
      expect(absent).toMatchObject({ exit: 0, facts: { action: 'create', changed: true }, methods: ['GET', 'POST'] })
    else expect(absent).toMatchObject({ exit: 3, methods: ['GET'] })
  }
})

test.each(writesOfNames)('%s is sent unverified only if the list is not allowed', async (line, fact) => {
  const method = fact === 'created' ? 'POST' : 'DELETE'
  const refused = await afterList(line, 403, '{"errors":["permission denied"]}')
  expect(refused).toMatchObject({ exit: 0, facts: { action: 'write', changed: null }, methods: ['GET', method] })
  for (const [status, exit] of [
    [500, 1],
    [401, 4],
    [400, 6],
  ] as const)
    expect(await afterList(line, status, '{"errors":["no"]}')).toMatchObject({ exit, methods: ['GET'] })
})

test.each([
  'scope list',
  'scope create s',
  'role set s r --all-operations',
  'cred generate s r -o json',
  'ca',
  'config get',
])('a mount of another engine is named: kmip %s', async (line) => {
  const { env } = await startDevServer()
  const { exit, stderr } = await tug(`kmip ${line} --mount secret`, { env })
  expect(exit).not.toBe(0)
  expect(stderr).toMatch(/^(?:hint: .*|.*"hint":".*)secret.* --mount/m)
  expect(stderr).not.toContain('hint: create the scope')
})

test.each([
  ['operation_sign', 'TUG_DIALECT=auto', {}, 'create', 0],
  ['operation_unheard_of', 'TUG_DIALECT=neutral', {}, 'create', 0],
  ['operation_all', 'TUG_DIALECT=hashicorp', {}, 'create', 0],
  ['operation_sign', 'TUG_DIALECT=auto', {}, 'sign', 0],
  ['operation_get', 'TUG_DIALECT=auto', {}, 'sign', 2],
  ['operation_get', 'TUG_DIALECT=auto', { 'X-Vault-Request': 'true' }, 'sign', 0],
  ['operation_get', 'TUG_DIALECT=neutral', {}, 'sign', 2],
] as const)(
  'an operation that the role shows and nobody asked for is denied: %s, %s %j, --operation %s',
  async (shown, dialect, headers, wanted, exit) => {
    const role = { operation_create: true, [shown]: true }
    const { env, seen } = await serve((request, response) => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
      json(response, 200, request.method === 'GET' ? JSON.stringify({ data: role }) : '{}')
    })
    const [name = '', value = ''] = dialect.split('=')
    const run = await tug(`kmip role set s r --operation ${wanted}`, { env: { ...env, [name]: value } })
    expect(run.exit, run.stderr).toBe(exit)
    const sent = seen.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body) as object)
    expect(sent).toHaveLength(exit === 0 ? 1 : 0)
    if (exit === 0)
      expect(sent[0]).toMatchObject({ [shown]: shown === `operation_${wanted}`, [`operation_${wanted}`]: true })
  },
)
