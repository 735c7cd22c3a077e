import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { scratchFolder } from '../../support/folder.ts'
import type { Seen } from '../../support/serve.ts'
import { json, serve } from '../../support/serve.ts'
import { story } from '../../support/story.ts'
import { issue } from './credentials.ts'

/** A signing request in PEM, with a fresh key. */
function makeRequest(digest = 'sha256'): string {
  const cwd = scratchFolder()
  const words = `req -new -${digest} -nodes -newkey ec -pkeyopt ec_paramgen_curve:secp521r1 -subj /CN=app -keyout key -out csr`
  execFileSync('openssl', words.split(' '), { cwd, stdio: 'pipe' })
  return readFileSync(join(cwd, 'csr'), 'utf8')
}

const credential = issue()
const other = issue()

test('what issues, shows, renews and revokes certificates says so', () =>
  story(
    'kmip-credentials',
    [
      'kmip cred generate storage backup',
      'kmip cred generate storage backup -o yaml --format pem_bundle --columns serial_number',
      'kmip cred generate none backup --out-dir out',
      'kmip cred generate storage backup --out-dir out',
      '! ls out',
      'kmip cred lookup storage backup {serial}',
      'kmip cred lookup storage backup --serial {serial} -o wide',
      'kmip cred lookup storage backup {serial} --field serial_number',
      'kmip cred lookup storage backup {serial} --field certificate',
      'kmip cred lookup storage backup {serial} --field ca_chain',
      'kmip cred lookup storage backup {serial} --out-dir out',
      'kmip cred lookup storage backup {serial} --out-dir out/shown/ -q',
      'kmip cred lookup storage backup {serial} --out-dir shown --format der',
      '! ls shown out/shown',
      'kmip cred lookup storage backup {serial} --serial {serial}',
      'kmip cred lookup storage backup 5',
      'kmip cred lookup storage backup 0x05',
      'kmip cred lookup storage none 5',
      'kmip cred lookup storage backup five',
      'kmip cred generate storage backup --out-dir out',
      'kmip cred generate storage backup --out-dir out --force -o json --query files',
      'kmip cred generate storage none --out-dir new',
      'kmip cred generate storage backup --out-dir client.csr',
      'kmip cred sign storage backup --csr client.csr',
      'kmip cred sign storage backup --csr client.csr --out-dir signed',
      'kmip cred sign storage backup --csr client.csr --out-dir signed',
      '! ls signed',
      'kmip cred sign storage none --csr sha1.csr',
      'kmip cred sign storage backup --csr out/private-key.pem',
      'kmip cred renew storage backup --certificate out/certificate.pem --out-dir next',
      'kmip cred renew storage backup --certificate out/certificate.pem --out-dir next --force --revoke-old',
      'kmip cred renew storage backup --certificate out/certificate.pem --out-dir next --force --revoke-old',
      'kmip cred renew storage backup 5 --out-dir next --force --revoke-old',
      'kmip cred renew storage backup --out-dir next',
      'kmip cred renew storage backup 5 --serial 6 --out-dir next',
      'kmip cred renew storage backup --certificate damaged.pem --out-dir damaged',
      'kmip cred revoke storage backup --certificate next/certificate.pem',
      'kmip cred revoke storage backup --certificate next/certificate.pem --yes',
      'kmip cred revoke storage backup --certificate next/certificate.pem --yes -o json --query role',
      'kmip cred revoke storage backup --certificate damaged.pem --yes',
      'kmip cred revoke storage backup 5',
      'kmip cred revoke storage backup 5 --yes',
      'kmip cred revoke storage none 5 --yes',
      'kmip cred generate storage backup --out-dir ca/private-key.pem',
      'kmip cred generate storage backup --out-dir ca --force',
      'kmip ca',
      'kmip ca -O ca.pem',
      'kmip ca -O ca.pem',
    ],
    {
      files: {
        'client.csr': makeRequest(),
        'sha1.csr': makeRequest('sha1'),
        'damaged.pem': '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n',
      },
    },
  ))

test('what an engine without scopes, roles, certificates or configuration says', () =>
  story(
    'kmip-empty',
    [
      'kmip scope list',
      'kmip role list storage',
      'kmip role get storage backup',
      'kmip role set storage backup --all-operations',
      'kmip cred list',
      'kmip cred list storage backup',
      'kmip cred list storage backup --details',
      'kmip cred list --expiring 30d --exit-code',
      'kmip config get',
      'kmip ca',
      'kmip scope delete storage --yes',
      'kmip role delete storage backup --yes',
    ].map((line) => ({ line, terminals: { stdout: 80, stderr: 80 } })),
    { empty: true },
  ))

test('certificates by role, by scope and by their end', () =>
  story('kmip-lists', [
    'kmip role list none',
    'kmip role get storage none',
    'kmip role get none backup',
    'kmip role set none backup --all-operations',
    'kmip role set storage all --all-operations --tls-client-key-type rsa --tls-client-key-bits 4096 --tls-client-ttl 36h',
    'kmip role get storage all',
    'kmip role set storage all --no-operations -o json',
    'kmip role get storage all',
    'kmip role set storage all --operation Operation_Get,re-key -o json',
    'kmip role set storage all --operation future_thing --no-check -o json --query operation_future_thing',
    'kmip cred list',
    'kmip cred list storage',
    'kmip cred list none',
    { line: 'kmip cred list storage backup', terminals: { stdout: 80, stderr: 80 } },
    'kmip cred list storage none',
    'kmip cred list --details',
    'kmip cred list storage backup --details',
    'kmip cred list storage backup --details -o wide',
    'kmip cred list storage backup --details -o csv --columns subject,not_before,not_after',
    'kmip cred list --expiring 7d --exit-code',
    'kmip cred list --expiring 1h --exit-code',
    'kmip cred list --expiring 30',
    { line: 'kmip cred list --expiring 1m', terminals: { stdout: 80, stderr: 80 } },
    { line: 'kmip cred list --details', terminals: { stdout: 80, stderr: 80 } },
    'kmip config set --connection-timeout 500ms',
    'kmip config get -o json --query connection_timeout',
    'kmip config get',
    'kmip config set --server-ips 10.0.0.1,10.0.0.2 --tls-min-version tls13 --listen-addrs 0.0.0.0:5696 -o json',
    'kmip config set --tls-ca-key-bits 1024 --no-check',
  ]))

/** An engine whose answers a test plays; a status 0 closes the connection. */
function engine(answer: (request: Seen, count: number) => readonly [status: number, body: string]) {
  return serve((request, response, count) => {
    const [status, body] = answer(request, count)
    if (status === 0) response.destroy()
    else json(response, status, body)
  })
}

const data = (value: object) => JSON.stringify({ data: value })
const refused = [403, '{"errors":["permission denied"]}'] as const

const readable = [
  'kmip cred generate s r -o json --query serial_number',
  'kmip cred lookup s r 7 --field certificate',
  'kmip cred lookup s r 7 --field ca_chain',
]

test.each([
  ['no-key', { ...credential, private_key: undefined }, [204, '']],
  ['no-certificate', { ...credential, certificate: '' }, [204, '']],
  ['unrevoked', { ...credential, certificate: '' }, refused],
  ['no-serial', { ...credential, serial_number: undefined, ca_chain: undefined }, refused],
] as const)('a new certificate that cannot be stored is revoked: %s', async (name, issued, revoked) => {
  const { env } = await engine(({ url }) => {
    if (url.includes('serial_number=8')) return refused
    return url.endsWith('/revoke') ? revoked : [200, data(issued)]
  })
  await story(
    `kmip-unusable-${name}`,
    [
      'kmip cred generate s r --out-dir out -o name',
      'kmip cred sign s r --csr client.csr --out-dir signed -o name',
      'kmip cred renew s r 8 --out-dir out --force --revoke-old -o name',
      ...(name === 'unrevoked' ? [] : readable),
    ],
    { env, files: { 'client.csr': makeRequest() } },
  )
})

test('what is said when an engine answers nothing, or what makes no sense', async () => {
  const { env } = await engine(({ url, method }) => {
    if (url.includes('serial_number=8')) return refused
    if (url.includes('/scope/cut/')) return [0, '']
    if (url.includes('/scope/broken/')) return [500, '{"errors":["out of entropy"]}']
    if (url.includes('/scope/odd/')) return [200, '[]']
    if (url.includes('/scope/late/') && url.endsWith('/revoke')) return [0, '']
    if (url.includes('/scope/refused/') && url.endsWith('/revoke')) return refused
    if (url.includes('/scope/gone/') && url.endsWith('/revoke')) return [404, '{"errors":[]}']
    if (url.includes('/credential/generate')) return [200, data(credential)]
    if (url.endsWith('/config') && method === 'GET') return [500, '{"errors":["not configured"]}']
    if (url.endsWith('/ca')) return [200, '{"data":{}}']
    if (url.endsWith('?list=true')) return [200, data({ keys: ['s', 'r'] })]
    return [400, '{"errors":["no"]}']
  })
  await story(
    'kmip-answers',
    [
      'kmip cred generate cut r --out-dir out',
      'kmip cred generate broken r --out-dir out',
      'kmip cred generate odd r --out-dir out',
      'kmip cred generate other/x r --out-dir out',
      'kmip cred renew late r 8 --out-dir out --force --revoke-old',
      'kmip cred renew refused r 8 --out-dir out --force --revoke-old',
      'kmip cred renew gone r 8 --out-dir out --force --revoke-old',
      'kmip cred renew cut r 8 --out-dir out --force --revoke-old',
      'kmip cred sign cut r --csr client.csr --out-dir signed',
      'kmip cred revoke cut r 7 --yes',
      'kmip cred revoke gone r 7 --yes',
      'kmip cred lookup odd r 7',
      'kmip config get',
      'kmip config set --connection-timeout 5s',
      'kmip ca',
      'kmip scope create s',
      'kmip scope delete s --yes',
      'kmip scope delete s --force --yes',
      'kmip role set s r --all-operations',
      'kmip role delete s r --yes',
    ],
    { env, files: { 'client.csr': makeRequest() } },
  )
})

test('a list goes on after what cannot be read, and leaves out what is gone', async () => {
  const keys = (...names: string[]) => data({ keys: names })
  const { env } = await engine(({ url }) => {
    const path = url.replace('?list=true', '').replace(/^\/v1\/kmip\//, '')
    if (path === 'scope') return [200, keys('open', 'shut', 'empty')]
    if (path === 'scope/open/role') return [200, keys('a', 'b')]
    if (path === 'scope/open/role/a/credential') return [200, keys('1', '2', '3', '4')]
    if (path.endsWith('serial_number=1&format=pem')) return [200, data(credential)]
    if (path.endsWith('serial_number=2&format=pem')) return [404, '{"errors":[]}']
    if (path.endsWith('serial_number=3&format=pem')) return [200, data({ ...other, certificate: 'x' })]
    if (path === 'scope/empty/role') return [404, '{"errors":[]}']
    return refused
  })
  const lines = [
    'kmip cred list',
    'kmip cred list shut',
    'kmip cred list open a',
    'kmip cred list open a --details -o csv --columns serial_number,subject',
    'kmip cred list --details -o csv --columns scope,serial_number',
    'kmip cred list open a --expiring 1d',
    'kmip cred list open a --expiring 60d --exit-code -o name',
  ]
  await story('kmip-gaps', lines, { env, machine: { now: new Date() } })
})
