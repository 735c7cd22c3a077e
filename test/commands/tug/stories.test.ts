import { join } from 'node:path'
import type { ServerResponse } from 'node:http'
import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { expect, test } from 'vitest'
import { listen } from '../../http/socket-server.ts'
import { issuedCertificate } from '../../support/certificate.ts'
import { scratchFolder } from '../../support/folder.ts'
import { root } from '../../support/process.ts'
import { tug } from '../../support/run.ts'
import type { Seen } from '../../support/serve.ts'
import { json, serve } from '../../support/serve.ts'
import { story } from '../../support/story.ts'

/** A line to which something is typed. */
const typing = (line: string, stdin: string) => ({ line, stdin, terminals: { stdin: true, stderr: 80 } })

/** Only the settings that something sets. */
const found = `--query "[?source!='not set' && source!='default']"`

test('profiles are listed, shown, set, used and deleted', () =>
  story(
    'profiles',
    [
      'profile list',
      'profile list -o json',
      'profile show',
      'profile show prod',
      'profile path',
      'profile set prod secrets.address=https://vault.example.com secrets.kv_mount=kv protected=true output=json',
      'profile set dev secrets.address=http://127.0.0.1:8 read_only=true',
      'profile set dev secrets.address=',
      'profile set empty output=',
      'profile list -o table',
      'profile list -o wide',
      'profile list -o name',
      'profile show -o table',
      'profile show dev -o table',
      'profile use dev',
      'profile use prd',
      'profile show nowhere',
      `profile show prod --effective -o tsv ${found}`,
      'profile set a/b output=csv',
      'profile set __proto__ output=csv',
      'profile delete absent',
      'profile delete dev',
      typing('profile delete dev', 'n\n'),
      typing('profile delete dev', '\n'),
      typing('profile delete dev', 'y\n'),
      'profile show -o table',
      'profile delete prod',
      typing('profile delete prod', 'y\n'),
      typing('profile delete prod', 'prod\n'),
      typing('profile delete prod', 'prod\n'),
      'profile delete empty --yes',
      { line: 'profile path', env: { TUG_CONFIG_DIR: '' }, home: '' },
      { line: 'profile set prod output=csv', env: { TUG_CONFIG_DIR: '' }, home: '' },
      'logout',
      'logout secrets',
    ],
    { env: {} },
  ))

test('a profile without tokens is deleted without making a file for them', async () => {
  const cwd = scratchFolder()
  const machine = { env: { TUG_CONFIG_DIR: join(cwd, 'config') }, cwd }
  await tug('profile set old output=json', machine)
  await tug('profile delete old --yes', machine)
  expect(existsSync(join(cwd, 'config', 'credentials.json'))).toBe(false)
})

test('every setting in effect has its source', () =>
  story(
    'profile-effective',
    [
      'profile show --effective -o tsv',
      'profile set prod secrets.address=https://vault.example.com secrets.retries=2 explorer.org=acme',
      `profile show --effective -o tsv ${found}`,
      {
        line: `profile show --effective -o tsv --timeout 5s --insecure --dialect hashicorp --ca-cert ca.pem --token-file t ${found}`,
        env: {
          TUG_PROFILE: 'prod',
          TUG_SECRETS_TOKEN: 'x',
          TUG_NO_INPUT: '1',
          NOMAD_ADDR: 'http://127.0.0.1:4',
          NOMAD_REGION: 'eu',
        },
      },
      {
        line: `profile show --effective -o tsv --profile prod ${found}`,
        env: { TUG_SECRETS_ADDR: 'http://127.0.0.1:5', TUG_SECRETS_TOKEN: 'x' },
      },
    ],
    { env: {} },
  ))

/** A server that takes one token, in the header of the neutral dialect, and refuses in its own words. */
function takes(good: string) {
  return (request: Seen, response: ServerResponse) =>
    request.headers['x-secrets-token'] === good || request.headers['x-scheduler-token'] === good
      ? json(response, 200, request.url.startsWith('/v1/jobs') ? '[]' : '{"data":{"keys":["a"]}}')
      : json(response, 403, '{"errors":["no such token"]}')
}

test('login asks for what is missing, tries the token and stores both; logout forgets them', async () => {
  const { origin } = await serve(takes('good'))
  const silent = await serve((_, response) => json(response, 404, '{"errors":[]}'))
  const gone = await serve((_, response) => json(response, 404, '{"errors":["the organization is gone"]}'))
  const fine = await serve((_, response) => json(response, 200, '{"data":[]}'))
  const broken = await serve((_, response) => json(response, 500, '{"errors":["out of order"]}'))
  const login = (service: string, address: string, stdin: string) => ({
    line: `login ${service} --address ${address} --token-file - --retries 0`,
    stdin,
  })
  await story(
    'login',
    [
      'login',
      'login secrets',
      `login secrets --address ${origin}`,
      typing('login secrets --token-file good', `${origin}\n`),
      typing('login secrets --token-file good', 'no-scheme\n'),
      typing('login explorer --token-file good -p new', '\n'),
      typing(`login scheduler --address ${origin} -p new`, '\n'),
      typing(`login secrets --address ${origin}`, 'good\n'),
      'kv list',
      login('secrets', origin, 'bad\n'),
      login('secrets', origin, ''),
      login('secrets', origin, 'two words\n'),
      login('secrets', 'no-scheme', 'good\n'),
      login('secrets', 'http://127.0.0.1:1', 'good\n'),
      login('secrets', silent.origin, 'good\n'),
      login('secrets', broken.origin, 'good\n'),
      typing(`login explorer --token-file good --address ${gone.origin}`, 'acme\n'),
      typing(`login explorer --token-file good --address ${fine.origin}`, 'acme\n'),
      typing(`login explorer --token-file good --address ${fine.origin} -p other`, '\n'),
      'profile list -o table',
      'explorer views list -p absent',
      'api explorer GET x -p absent',
      'status -p absent',
      login('scheduler', origin, 'good\n'),
      'logout explorer',
      'logout secrets --dry-run',
      'logout',
      'logout --all',
      'logout',
    ],
    { env: {}, files: { good: 'good\n' } },
  )
})

test('status says what is wrong with each service, and how to mend it', async () => {
  const well = await serve(takes('good'))
  const { origin: product } = await serve((request, response) =>
    request.headers['x-vault-token'] === 'good' || request.headers['x-nomad-token'] === 'good'
      ? json(response, 200, request.url.startsWith('/v1/jobs') ? '[]' : '{"data":{}}')
      : json(response, 403, '{"errors":["permission denied"]}'),
  )
  const { origin: terraform } = await serve((_, response) => json(response, 200, '{"data":[]}', { 'tfp-appname': 'x' }))
  const { origin: page } = await serve((_, response) =>
    response.writeHead(404, { 'content-type': 'text/html' }).end('<html><title>No</title>'),
  )
  const secrets = (address: string, token?: string) => ({
    env: { TUG_SECRETS_ADDR: address, ...(token === undefined ? {} : { TUG_SECRETS_TOKEN: token }) },
  })
  const scheduler = (address: string, token = 'good') => ({
    env: { TUG_SCHEDULER_ADDR: address, TUG_SCHEDULER_TOKEN: token },
  })
  await story(
    'status',
    [
      'status',
      'status -q',
      { line: 'status -o json', ...secrets(well.origin, 'good') },
      { line: 'status', ...secrets(well.origin) },
      { line: 'status', ...secrets(well.origin, 'bad') },
      { line: 'status', ...secrets(product, 'good') },
      { line: 'status', ...secrets(product, 'bad') },
      { line: 'status', ...secrets(page, 'good') },
      { line: 'status', ...secrets('no-scheme', 'good') },
      { line: 'status --retries 0', ...secrets('http://127.0.0.1:1', 'good') },
      { line: 'status', ...scheduler(well.origin) },
      { line: 'status', ...scheduler(product) },
      { line: 'status', env: { TUG_EXPLORER_ADDR: terraform, TUG_EXPLORER_TOKEN: 'good', TUG_EXPLORER_ORG: 'acme' } },
      { line: 'status', env: { TUG_EXPLORER_ADDR: terraform, TUG_EXPLORER_TOKEN: 'good' } },
    ],
    { env: {} },
  )
})

test('status says so if WebSockets or certificates need care', async () => {
  const { origin } = await serve((_, response) => json(response, 200, '[]'))
  const certificate = await issuedCertificate()
  const served = createServer(certificate, (_, response) => json(response, 200, '{"data":{}}'))
  const secure = (await listen(served)).replace('http', 'https')
  const end = Date.parse(new X509Certificate(certificate.cert).validTo)
  const env = { TUG_SECRETS_ADDR: secure, TUG_SECRETS_TOKEN: 'good', NO_COLOR: '1' }
  const at = (now: number) => tug('status -o json --insecure', { env, now: new Date(now) })
  const fortnight = 14 * 86_400_000
  const ends = `secrets: the TLS certificate expires on ${new Date(end).toISOString()}\nhint: renew it before clients refuse it\n`
  const insecure = 'warning: --insecure: the TLS certificate is not verified; anyone in between can read the token\n'
  expect(await at(end - fortnight)).toMatchObject({ exit: 0, stderr: insecure })
  expect(await at(end - fortnight + 1)).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining(new Date(end).toISOString()),
    stderr: insecure + ends,
  })
  expect(
    await tug('status', { env: { TUG_SCHEDULER_ADDR: origin, TUG_SCHEDULER_TOKEN: 'good', NO_COLOR: '1' } }),
  ).toMatchObject({
    exit: 7,
    stderr:
      "scheduler: WebSockets don't work\nhint: job action needs them: a proxy or load balancer drops the Upgrade header\n",
  })
})

test('any request can be sent, and its answer is printed', async () => {
  const { env } = await serve((request, response) => {
    if (request.url.endsWith('/text')) response.writeHead(200, { 'content-type': 'text/plain' }).end('as it is\n')
    else if (request.url.endsWith('/nothing')) response.writeHead(204).end()
    else if (request.url.endsWith('/gone')) json(response, 404, '{"errors":[]}')
    else if (request.url.endsWith('/list')) json(response, 200, '[{"ID":"a","N":1},{"ID":"b","N":2}]')
    else json(response, 200, JSON.stringify({ method: request.method, url: request.url, body: request.body }))
  })
  await story(
    'api',
    [
      'api secrets GET sys/health',
      'api secrets get /v1/sys/health?a=b%20c',
      'api secrets GET /v1',
      'api secrets GET v1',
      'api explorer GET ping',
      'api explorer GET /api/v2/ping',
      'api explorer GET /v1/ping',
      'api scheduler POST jobs/parse --data \'{"a":1}\'',
      'api scheduler POST jobs/parse --data @body.json',
      { line: 'api scheduler POST jobs/parse --data -', stdin: '[1]' },
      'api scheduler GET text',
      'api scheduler GET nothing',
      'api secrets GET gone',
      'api scheduler GET list',
      'api scheduler GET list -o csv',
      "api scheduler GET list -o name --query '[].ID'",
      'api scheduler GET list -o name',
      'api secrets FETCH x',
      'api secrets GET https://elsewhere/v1/x',
      'api secrets GET a/../b',
      'api secrets GET x#y',
      'api secrets GET a%zz',
      'api secrets GET caf\u00e9',
      'api secrets POST x --data {',
      'api secrets POST x --data @absent.json',
      'api secrets GET x --header nonsense',
      "api secrets GET x --header 'Expect: 100-continue'",
      "api secrets GET x --header 'content-length: 3'",
      "api secrets GET x --header 'x-vault-token: abc'",
      "api explorer GET x --header 'Authorization: Bearer abc'",
      { line: 'api secrets POST x --token-file - --data -', stdin: '{}' },
      { line: 'api secrets POST x --data -', terminals: { stdin: true } },
    ],
    { env, files: { 'body.json': '{"from":"a file"}' } },
  )
})

test('the local server shows how to use it, until it is interrupted', async () => {
  const signals = new Map<string, () => void>()
  const seen: string[] = []
  let interrupt: (() => void) | undefined
  const running = tug('dev --token the-token', {
    env: {},
    signals,
    onWrite(stream, text) {
      seen.push(`${stream}: ${text}`)
      if (text.startsWith('read-only')) interrupt?.()
    },
  })
  interrupt = () => signals.get('SIGINT')?.()
  const { exit } = await running
  const told = seen
    .join('')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:0')
    .replaceAll(/\bdev-[\w-]+|\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, '…')
  expect(exit).toBe(130)
  await expect(told).toMatchFileSnapshot(join(root, 'test/stories/dev.txt'))
})

test('a program of the local server finds this tug first on its PATH, and the variables of the services', async () => {
  const cwd = scratchFolder()
  const script = 'cat "$(command -v tug)"; env | grep ^TUG_ | cut -d= -f1 | sort; exit 3'
  const self = ['/opt/my node', '/opt/tug.js']
  const { exit } = await tug(['dev', '--', 'sh', '-c', `(${script.replace('exit 3', 'true')}) > seen; exit 3`], {
    env: { PATH: process.env['PATH'] },
    cwd,
    self,
  })
  expect(exit).toBe(3)
  expect(readFileSync(join(cwd, 'seen'), 'utf8').split('\n')).toEqual([
    '#!/bin/sh',
    `exec '/opt/my node' /opt/tug.js "$@"`,
    'TUG_CONFIG_DIR',
    'TUG_EXPLORER_ADDR',
    'TUG_EXPLORER_ORG',
    'TUG_EXPLORER_TOKEN',
    'TUG_SCHEDULER_ADDR',
    'TUG_SCHEDULER_TOKEN',
    'TUG_SECRETS_ADDR',
    'TUG_SECRETS_TOKEN',
    '',
  ])
})
