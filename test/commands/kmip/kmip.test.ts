import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { isSignedWithSha1 } from '../../../src/commands/kmip/cred/certificate.ts'
import { operations } from '../../../src/api/kmip-operations.ts'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { program, start } from '../../support/process.ts'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { mentions, says, told } from '../../support/told.ts'

test('generate writes certificate, chain and key with mode 0600 into a folder of mode 0700', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  const { exit, stdout, stderr } = await tug('kmip cred generate storage backup --out-dir out', {
    env,
    cwd,
    now: new Date(),
  })
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr: says('… certificate.pem, ca-chain.pem, private-key.pem … out/ …\n'),
  })
  expect(stdout).toMatch(/^SERIAL +EXPIRES\n\d{30,50} +\d{4}-\d\d-\d\d \d\d:\d\d UTC \(.*\)\n$/)
  expect(stdout).not.toContain('PRIVATE')
  expect(statSync(join(cwd, 'out')).mode & 0o777).toBe(0o700)
  const read = (name: string) => readFileSync(join(cwd, 'out', name), 'utf8')
  for (const name of readdirSync(join(cwd, 'out')))
    expect(statSync(join(cwd, 'out', name)).mode & 0o777, name).toBe(0o600)
  const certificate = new X509Certificate(read('certificate.pem'))
  expect(certificate.checkPrivateKey(createPrivateKey(read('private-key.pem')))).toBe(true)
  expect(read('ca-chain.pem').match(/BEGIN CERTIFICATE/g)).toHaveLength(2)
})

test('a bundle with its key is one file, beside the chain; without a key it has files of its own', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  const { stdout } = await tug('kmip cred generate storage backup --format pem_bundle --out-dir out -o json', {
    env,
    cwd,
  })
  expect(readdirSync(join(cwd, 'out')).toSorted()).toEqual(['ca-chain.pem', 'client.pem'])
  const client = readFileSync(join(cwd, 'out/client.pem'), 'utf8')
  const labels = Array.from(
    client.matchAll(/-----BEGIN (?:\w+ )*?(PRIVATE KEY|CERTIFICATE)-----/g),
    ([, label]) => label,
  )
  expect(labels.slice(0, 3)).toEqual(['PRIVATE KEY', 'CERTIFICATE', 'CERTIFICATE'])
  expect(statSync(join(cwd, 'out/client.pem')).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(cwd, 'out/ca-chain.pem'), 'utf8')).not.toContain('PRIVATE KEY')
  const { serial_number: serial } = JSON.parse(stdout) as { serial_number: string }
  await tug(`kmip cred lookup storage backup ${serial} --format pem_bundle --out-dir out --force`, { env, cwd })
  expect(readFileSync(join(cwd, 'out/client.pem'), 'utf8')).toBe(client)
})

test('the client certificate of a bundle is found among its chain, by its key or as the only one of no authority', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  const serialIn = (file: string) => {
    const [, pem = ''] =
      /(-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----)/.exec(readFileSync(file, 'utf8')) ?? []
    return BigInt(`0x${new X509Certificate(pem).serialNumber}`).toString()
  }
  await tug('kmip cred generate storage backup --format pem_bundle --out-dir out', { env, cwd })
  const bundle = join(cwd, 'out/client.pem')
  const first = serialIn(bundle)
  // Without its key, and with the chain first.
  const certificates = readFileSync(bundle, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)
  writeFileSync(join(cwd, 'chain-first.pem'), (certificates ?? []).toReversed().join('\n'))
  const renewed = await tug(
    'kmip cred renew storage backup --certificate out/client.pem --out-dir out --force --revoke-old -o json',
    { env, cwd },
  )
  expect({ exit: renewed.exit, replaces: (JSON.parse(renewed.stdout) as { replaces: string }).replaces }).toEqual({
    exit: 0,
    replaces: first,
  })
  expect(readdirSync(join(cwd, 'out')).toSorted()).toEqual(['ca-chain.pem', 'client.pem'])
  expect(serialIn(bundle)).not.toBe(first)
  const lookUp = await tug('kmip cred revoke storage backup --certificate chain-first.pem --yes', { env, cwd })
  expect({ exit: lookUp.exit, names: lookUp.stderr.includes(first) }).toEqual({ exit: 3, names: true })
  expect((await tug('kmip cred revoke storage backup --certificate out/client.pem --yes', { env, cwd })).exit).toBe(0)
})

test.each([
  ['pem_bundle', '', 0, ['ca-chain.pem', 'client.pem']],
  ['der', '', 0, ['ca-chain.der', 'certificate.der', 'private-key.der']],
  ['pem_bundle', ' --format pem', 2, ['ca-chain.pem', 'client.pem']],
] as const)('a renewal keeps the format of the folder: %s%s', async (format, flags, exit, files) => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  await tug(`kmip cred generate storage backup --format ${format} --out-dir out`, { env, cwd })
  const serials = async () => (await tug('kmip cred list storage backup -o json', { env, cwd })).stdout
  const before = await serials()
  const serial = (JSON.parse(before) as string[]).at(-1)
  const line = `kmip cred renew storage backup ${serial} --out-dir out${flags}${exit === 0 ? ' --force' : ''}`
  const run = await tug(line, { env, cwd })
  expect(run.exit, run.stderr).toBe(exit)
  expect(readdirSync(join(cwd, 'out')).toSorted()).toEqual(files)
  expect((await serials()) === before).toBe(exit !== 0)
})

test('a renewal in another format names the files that it does not renew; a folder with two formats needs --format', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  await tug('kmip cred generate storage backup --format pem_bundle --out-dir out', { env, cwd })
  const serial = (JSON.parse((await tug('kmip cred list storage backup -o json', { env })).stdout) as string[]).at(-1)
  const line = `kmip cred renew storage backup ${serial} --out-dir out --force`
  const forced = await tug(`${line} --format pem`, { env, cwd })
  expect(forced.exit).toBe(0)
  expect(forced.stderr).toMatch(/warning: client\.pem in out /)
  const unnamed = await tug(line, { env, cwd })
  expect(unnamed.exit).toBe(2)
  expect(unnamed.stderr).toContain('--format pem|pem_bundle')
})

test('der is decoded into .der files', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  await tug('kmip cred generate storage backup --format der --out-dir out', { env, cwd })
  expect(readdirSync(join(cwd, 'out')).toSorted()).toEqual(['ca-chain.der', 'certificate.der', 'private-key.der'])
  expect(new X509Certificate(readFileSync(join(cwd, 'out/certificate.der'))).subject).toContain('CN=')
})

test('the JSON of certificates in files begins with what was done', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  const facts = async (line: string) => {
    const { stdout } = await tug(`${line} -o json`, { env, cwd })
    return Object.entries(JSON.parse(stdout) as object).slice(0, 5)
  }
  const begin = (action: string) =>
    Object.entries({ action, planned: false, role: 'backup', changed: true, scope: 'storage' })
  expect(await facts('kmip cred generate storage backup --out-dir old')).toEqual(begin('issue'))
  const renewal = 'kmip cred renew storage backup --certificate old/certificate.pem --out-dir new'
  expect(await facts(renewal)).toEqual(begin('renew'))
})

test('generate without a place for the key sends nothing', async () => {
  const { env, seen } = await serve((_, response) => json(response, 200, '{}'))
  for (const output of ['', '-o wide', '-o csv', '-o name', '-o ndjson']) {
    const { exit, stderr } = await tug(`kmip cred generate storage backup ${output}`, { env })
    expect({ exit, told: / key\b/.test(stderr) }).toEqual({ exit: 2, told: true })
  }
  expect(seen).toEqual([])
})

test('JSON contains the whole key', async () => {
  const { env } = await startDevServer()
  const { stdout, stderr } = await tug('kmip cred generate storage backup -o json', { env })
  const answer = JSON.parse(stdout) as Record<string, unknown>
  expect(stderr).toMatch(told(`… ${answer['serial_number'] as string}; …\n`))
  expect(Object.keys(answer).slice(5)).toEqual(['ca_chain', 'certificate', 'private_key', 'serial_number'])
  expect(typeof answer['serial_number']).toBe('string')
})

test('an unwritable folder is an error before any request', async () => {
  const { env, seen } = await serve((_, response) => json(response, 200, '{}'))
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'file'), '')
  const { exit, stderr } = await tug('kmip cred generate storage backup --out-dir file/out', { env, cwd })
  expect(exit).toBe(1)
  expect(stderr).toMatch(told('tug: file/out …\n'))
  expect(seen).toEqual([])
})

test('existing files are kept, except with --force', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  mkdirSync(join(cwd, 'out'))
  writeFileSync(join(cwd, 'out/private-key.pem'), 'precious')
  const { exit, stderr } = await tug('kmip cred generate storage backup --out-dir out', { env, cwd })
  expect({ exit, told: stderr.includes('out/private-key.pem ') }).toEqual({ exit: 2, told: true })
  expect(readFileSync(join(cwd, 'out/private-key.pem'), 'utf8')).toBe('precious')
  expect((await tug('kmip cred generate storage backup --out-dir out --force', { env, cwd })).exit).toBe(0)
  expect(readFileSync(join(cwd, 'out/private-key.pem'), 'utf8')).toContain('PRIVATE KEY')
})

test('a CSR is signed; a wrong key type is exit 6', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  const request = (name: string, ...key: string[]) =>
    execFileSync(
      'openssl',
      ['req', '-new', '-nodes', '-subj', '/CN=client', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`],
      { cwd, stdio: 'pipe' },
    )
  await tug('kmip role set storage signer --all-operations --tls-client-key-type ec --tls-client-key-bits 256', { env })
  request('good', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1')
  request('bad', '-newkey', 'rsa:2048')
  expect((await tug('kmip cred sign storage signer --csr good.csr --out-dir signed', { env, cwd })).exit).toBe(0)
  expect(readdirSync(join(cwd, 'signed')).toSorted()).toEqual(['ca-chain.pem', 'certificate.pem'])
  expect((await tug('kmip cred sign storage signer --csr bad.csr', { env, cwd })).exit).toBe(6)
})

test.each([
  ['nothing', '…'],
  ['-----BEGIN PRIVATE KEY-----\nAA\n-----END PRIVATE KEY-----', '…'],
])("a file that isn't a CSR is refused before it is sent", async (content, words) => {
  const { env, seen } = await serve((_, response) => json(response, 200, '{}'))
  const { exit, stderr } = await tug('kmip cred sign storage backup --csr -', { env, stdin: content })
  expect({ exit, requests: seen.length }).toEqual({ exit: 2, requests: 0 })
  expect(stderr).toMatch(mentions(words))
})

test('cred list shows serial numbers; --expiring finds certificates that end soon, exit 9 on request', async () => {
  const { env } = await startDevServer()
  const now = new Date()
  const { stdout } = await tug('kmip cred list storage backup -o json', { env, now })
  expect(JSON.parse(stdout)).toHaveLength(3)
  const soon = await tug('kmip cred list storage backup --expiring 7d --exit-code -o json', { env, now })
  expect(soon.exit).toBe(9)
  expect(JSON.parse(soon.stdout)).toMatchObject([{ subject: expect.stringContaining('CN=') as string }, {}])
  const ends = (await tug('kmip cred list --details -o csv --columns not_after --no-headers', { env, now })).stdout
  expect(ends.trim().split('\n')).toEqual(ends.trim().split('\n').toSorted())
  expect((await tug('kmip cred list storage backup --expiring 1m --exit-code', { env, now })).exit).toBe(0)
})

test('revoke asks first and needs either a serial number or a certificate', async () => {
  const { env } = await startDevServer()
  const [serial] = JSON.parse((await tug('kmip cred list storage backup -o json', { env })).stdout) as string[]
  expect((await tug('kmip cred revoke storage backup', { env })).exit).toBe(2)
  expect((await tug(`kmip cred revoke storage backup --serial ${serial} --certificate x`, { env })).exit).toBe(2)
  expect((await tug(`kmip cred revoke storage backup --serial ${serial}`, { env })).stderr).toContain('--yes')
  expect((await tug(`kmip cred revoke storage backup --serial ${serial} --yes`, { env })).exit).toBe(0)
  expect((await tug(`kmip cred lookup storage backup ${serial}`, { env })).exit).toBe(3)
})

test('a certificate that revokes itself is named by its serial number', async () => {
  const { env } = await startDevServer()
  const issued = JSON.parse((await tug('kmip cred generate storage backup -o json', { env })).stdout) as {
    certificate: string
    serial_number: string
  }
  const line = 'kmip cred revoke storage backup --certificate -'
  const named = `certificate ${issued.serial_number} (standard input)`
  const stdin = issued.certificate
  expect((await tug(line, { env, stdin })).stderr).toContain(`Revoke ${named} of role backup in storage?`)
  expect(await tug(`${line} --yes`, { env, stdin })).toMatchObject({ exit: 0, stderr: `revoked ${named}\n` })
})

test.each([
  ['kmip role set s r --operation create --all-operations', 'cannot be used together'],
  ['kmip role set s r --operation creat', "'creat'. … 'create'"],
  ['kmip role set s r --operation all', '--all-operations'],
  ['kmip role set s r --tls-client-key-type ec --tls-client-key-bits 2048', '… 224, 256, 384, 521 bits, not 2048'],
  ['kmip config set --tls-ca-key-type dsa', "'dsa' … ec, rsa"],
  ['kmip config set --listen-addrs ::1', '[::1]:5696'],
  ['kmip config set --listen-addrs 0.0.0.0:5696,db1:70000', "'db1:70000'"],
  ['kmip config set --listen-addrs "db1:5696 db2:5696"', "'db1:5696 db2:5696'"],
  ['kmip config set --listen-addrs [db1]:5696', "'[db1]:5696'"],
  ['kmip config set --listen-addrs ""', '--listen-addrs'],
  ['kmip config set --server-ips 192.0.2.1,db1', "'db1'"],
  ['kmip config set --default-tls-client-ttl 1500ms', '1500ms'],
  ['kmip scope create a/b', "'a/b' … slash"],
  ['kmip scope create ..', "'..' … name"],
  ['kmip cred lookup s r zz', "'zz' …"],
])('bad input is refused before anything is sent: %s', async (line, words) => {
  const { exit, stderr } = await tug(line)
  expect(exit).toBe(2)
  expect(stderr).toMatch(mentions(words))
})

test('a missing engine is explained', async () => {
  const { env } = await startDevServer()
  const { exit, stderr } = await tug('kmip scope list --mount elsewhere', { env })
  expect(exit).toBe(3)
  expect(stderr).toMatch(mentions("… 'elsewhere'"))
})

test('an unconfigured engine gets a hint', async () => {
  const { env } = await serve((_, response) => json(response, 404, '{"errors":[]}'))
  const { exit, stderr } = await tug('kmip config get', { env })
  expect(exit).toBe(3)
  expect(stderr).toMatch(mentions('…\nhint: tug kmip config set'))
  expect(await tug('kmip scope list -o json', { env })).toMatchObject({ exit: 0, stdout: '[]\n' })
})

test('ca prints the PEM, refuses -o, and writes a file atomically', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  const { stdout } = await tug('kmip ca', { env })
  expect(stdout).toMatch(/^-----BEGIN CERTIFICATE-----[\s\S]*-----END CERTIFICATE-----\n$/)
  expect((await tug('kmip ca -o json', { env })).exit).toBe(2)
  expect((await tug('kmip ca', { env: { ...env, TUG_OUTPUT: 'json' } })).stdout).toBe(stdout)
  await tug('kmip ca -O ca.pem', { env, cwd })
  expect(readFileSync(join(cwd, 'ca.pem'), 'utf8')).toBe(stdout)
  expect((await tug('kmip ca -O ca.pem', { env, cwd })).exit).toBe(2)
  expect(await tug('kmip ca -O -', { env, cwd })).toMatchObject({ stdout, stderr: '' })
})

test('answers of older and newer servers are shown as they are', async () => {
  const answers: Record<string, object> = {
    '/v1/kmip/config': {
      listen_addrs: ['[::1]:5696'],
      connection_timeout: '1s',
      default_tls_client_ttl: 1209600,
      ca: 'eu',
    },
    '/v1/kmip/scope/s/role/r': { operation_sign: true, operation_get: true, tls_client_key_bits: 0, ca: 'eu' },
  }
  const { env } = await serve(({ url }, response) => json(response, 200, JSON.stringify({ data: answers[url] })))
  const config = (await tug('kmip config get', { env })).stdout
  expect(config).toMatch(/^connection_timeout +1s$/m)
  expect(config).toMatch(/^default_tls_client_ttl +14d$/m)
  expect(config).toMatch(/^ca +eu$/m)
  const role = (await tug('kmip role get s r', { env })).stdout
  expect(role).toMatch(/^operations +sign, get$/m)
  for (const name of ['key_type', 'key_bits', 'ttl'])
    expect(role).toMatch(new RegExp(`^tls_client_${name} +engine default$`, 'm'))
  expect(role).toMatch(/^ca +eu$/m)
  expect((await tug('kmip role get s r -o name', { env })).stdout).toBe('r\n')
})

test('long lists of operations and of certificates fit a terminal of 80 columns', async () => {
  const { env } = await startDevServer()
  await tug(`kmip role set storage most --operation ${operations.join(',')}`, { env })
  const terminals = { stdout: 80 }
  const now = new Date()
  const role = (await tug('kmip role get storage most', { env, terminals })).stdout
  const certificates = (await tug('kmip cred list storage backup --details', { env, terminals, now })).stdout
  for (const line of `${role}${certificates}`.split('\n')) expect(bare(line).length, line).toBeLessThanOrEqual(80)
  for (const name of operations) expect(role).toContain(name)
  expect(bare(certificates)).toMatch(/^\d{40,49}  OU=\w{5}, CN=\w{5}  in \d+[dh]/m)
})

test('a CSR that is signed with SHA-1 is recognised, whatever its key, and nothing else is', () => {
  const cwd = scratchFolder()
  const openssl = (words: string) => execFileSync('openssl', words.split(' '), { cwd, stdio: 'pipe' })
  for (const kind of ['RSA', 'EC -pkeyopt ec_paramgen_curve:prime256v1']) {
    openssl(`genpkey -algorithm ${kind} -out key`)
    for (const digest of ['sha1', 'sha256']) {
      openssl(`req -new -key key -${digest} -subj /CN=sha1WithRSAEncryption -out csr`)
      expect(isSignedWithSha1(readFileSync(join(cwd, 'csr'), 'utf8')), `${kind} ${digest}`).toBe(digest === 'sha1')
    }
  }
  for (const content of ['', 'MA==', 'MIIB', 'MIL/////', '////'])
    expect(isSignedWithSha1(`-----BEGIN CERTIFICATE REQUEST-----\n${content}\n-----END CERTIFICATE REQUEST-----`)).toBe(
      false,
    )
})

function bare(line: string): string {
  return stripVTControlCharacters(line)
}

test("--raw of a list prints the server's body", async () => {
  const { env } = await serve((_, response) => json(response, 200, '{ "data": {"keys":["a"]} }'))
  expect((await tug('kmip scope list --raw', { env })).stdout).toBe('{ "data": {"keys":["a"]} }')
  expect((await tug('kv list --raw', { env })).stdout).toBe('{ "data": {"keys":["a"]} }')
})

test('warnings in the answer to a write are printed', async () => {
  const { env } = await serve(({ method }, response) =>
    json(
      response,
      200,
      method === 'GET'
        ? '{"data":{"keys":["old"],"listen_addrs":["x"],"certificate":"x"}}'
        : '{"data":null,"warnings":["that does nothing"]}',
    ),
  )
  for (const line of [
    'kmip scope create finance',
    'kmip scope delete old --yes',
    'kmip role set finance r --all-operations',
    'kmip role delete finance old --yes',
    'kmip config set --tls-min-version tls13',
    'kmip cred revoke finance r 1 --yes',
  ]) {
    const { exit, stderr } = await tug(line, { env })
    expect({ exit, first: stderr.split('\n')[0] }).toEqual({ exit: 0, first: 'warning: that does nothing' })
  }
})

test('without a token nothing is issued and the error is the usual one', async () => {
  const env = { TUG_SECRETS_ADDR: 'http://127.0.0.1:2' }
  const { exit, stderr } = await tug('kmip cred generate storage backup -o yaml', { env })
  expect({ exit, first: stderr.split('\n')[0] }).toEqual({
    exit: 4,
    first: says('tug: kmip cred generate storage backup: … secrets service…'),
  })
})

test('if a key cannot be printed, its certificate is revoked', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  const before = JSON.parse((await tug('kmip cred list storage backup -o json', { env })).stdout) as string[]
  const { status, stderr } = await start(
    ['-c', `"${process.execPath}" "${program}" kmip cred generate storage backup -o json > /dev/full`],
    {
      command: 'bash',
      env,
      cwd,
    },
  ).ended
  expect(status).toBe(1)
  expect(stderr).toMatch(/ \d{40,}/)
  expect(JSON.parse((await tug('kmip cred list storage backup -o json', { env })).stdout)).toEqual(before)
})
