import { createServer } from 'node:https'
import { expect, test } from 'vitest'
import { listen } from '../../http/socket-server.ts'
import { certificate } from '../../support/certificate.ts'
import { startDevServer } from '../../support/dev.ts'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { says } from '../../support/told.ts'

test("if all is well, one line per service with the token's source, exit 0", async () => {
  const { env, origin } = await startDevServer()
  const { exit, stdout, stderr } = await tug('status -o json', { env })
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject([
    { service: 'explorer', address: `${origin}/api/v2`, token: 'TUG_EXPLORER_TOKEN', reachable: true, problem: null },
    { service: 'secrets', address: origin, token: 'TUG_SECRETS_TOKEN', reachable: true, problem: null },
    {
      service: 'scheduler',
      address: origin,
      token: 'TUG_SCHEDULER_TOKEN',
      reachable: true,
      websocket: true,
      problem: null,
    },
  ])
})

test('a token that a service repeats in an error is not a part of the result', async () => {
  const { env } = await serve(({ headers }, response) =>
    json(response, 500, JSON.stringify({ errors: [`bad: ${JSON.stringify(headers)}`] })),
  )
  const tokens = ['EXPLORER', 'SECRETS', 'SCHEDULER'].map((name) => [`TUG_${name}_TOKEN`, 'planted-Zx81Qw'])
  for (const format of ['table', 'json', 'yaml']) {
    const machine = { env: { ...env, ...Object.fromEntries(tokens) } }
    const { exit, stdout, stderr } = await tug(`status -o ${format} --retries 0`, machine)
    expect(exit).toBe(1)
    expect(stdout + stderr).toContain('bad: ')
    expect(stdout + stderr).not.toContain('planted')
  }
})

test.each([
  ['permission denied', true],
  ['1 error occurred:\n\t* permission denied\n\n', false],
])('403 with %j: another token is suggested: %j', async (error, isSuggested) => {
  const { origin } = await serve((_, response) => json(response, 403, JSON.stringify({ errors: [error] })))
  const env = { TUG_SECRETS_ADDR: origin, TUG_SECRETS_TOKEN: 'planted-Zx81Qw' }
  const { exit, stdout } = await tug('status -o json', { env })
  const [, { next }] = JSON.parse(stdout) as [object, { next: string[] }]
  expect(exit).toBe(4)
  expect(next.join().includes('tug login secrets')).toBe(isSuggested)
})

test('a dry run prints the first question for each service and sends nothing', async () => {
  let requests = 0
  const { env } = await serve((_, response) => {
    requests++
    json(response, 200, '{}')
  })
  const { exit, stdout } = await tug('status --dry-run', { env })
  expect({ exit, requests }).toEqual({ exit: 0, requests: 0 })
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(/^curl -X GET .*\/explorer\?type=/),
    expect.stringMatching(/^curl -X GET .*\/v1\/auth\/token\/lookup-self.*X-Vault-Token/),
    expect.stringMatching(/^curl -X GET .*\/v1\/jobs\?per_page=1/),
    '',
  ])
})

test('a service without a token is not unreachable, and the hint appears once', async () => {
  const env = { TUG_SECRETS_ADDR: 'http://127.0.0.1:1' }
  const { exit, stdout, stderr } = await tug('status -o json', { env })
  expect(exit).toBe(4)
  expect(stderr.match(/tug login secrets/g)).toHaveLength(1)
  expect(JSON.parse(stdout)).toMatchObject([
    { address: null, next: ['tug login explorer'] },
    { reachable: null },
    { address: null },
  ])
})

test.each([
  [{ TUG_EXPLORER_ADDR: 'http://127.0.0.1:1', TUG_EXPLORER_TOKEN: 't', TUG_SECRETS_ADDR: 'http://127.0.0.1:1' }, 7],
  [{ TUG_EXPLORER_ADDR: 'http://127.0.0.1:1', TUG_SECRETS_ADDR: 'http://127.0.0.1:1', TUG_SECRETS_TOKEN: 't' }, 4],
])('the first problem decides the exit status: %j', async (env, expected) => {
  expect((await tug('status --retries 0', { env })).exit).toBe(expected)
})

test('a product that is spoken to in the neutral dialect is a problem, though it answers', async () => {
  const { origin } = await serve((_, response) => json(response, 200, '[]', { 'x-nomad-index': '7' }))
  const { exit, stdout } = await tug('status -o json', { env: { TUG_SCHEDULER_ADDR: origin, TUG_DIALECT: 'neutral' } })
  expect(exit).toBe(0)
  expect((JSON.parse(stdout) as unknown[])[2]).toMatchObject({
    reachable: true,
    dialect: 'neutral',
    problem: says('… Nomad, … neutral …'),
    next: [says('… scheduler.dialect=auto …')],
  })
})

test('an unreachable address is exit 7', async () => {
  const { exit, stdout } = await tug('status -o json', {
    env: { TUG_SCHEDULER_ADDR: 'http://127.0.0.1:1', TUG_SCHEDULER_TOKEN: 'some-token' },
  })
  expect(exit).toBe(7)
  expect((JSON.parse(stdout) as unknown[])[2]).toMatchObject({
    reachable: false,
    latency: null,
    certificate: null,
    websocket: null,
    code: 'unreachable',
  })
})

test.each([
  ['localhost', ['localhost', 'localhost', 'localhost']],
  ['127.0.0.1', []],
])('connections to %s ask for the certificates of %j', async (host, expected) => {
  const { cert, key } = await certificate()
  const names: string[] = []
  const SNICallback = (name: string, done: (error: null) => void) => {
    names.push(name)
    done(null)
  }
  const server = createServer({ cert, key, SNICallback }, (_, response) => json(response, 200, '{"data":{}}'))
  const address = (await listen(server)).replace('http', 'https').replace('127.0.0.1', host)
  await tug('status --insecure', { env: { TUG_SECRETS_ADDR: address, TUG_SECRETS_TOKEN: 'some-token' } })
  expect(names).toEqual(expected)
})

test('an invalid address is reported and the check goes on', async () => {
  const { env } = await startDevServer()
  const { exit, stdout } = await tug('status -o json', { env: { ...env, TUG_EXPLORER_ADDR: 'no-scheme' } })
  expect(exit).toBe(2)
  expect(JSON.parse(stdout)).toMatchObject([
    { service: 'explorer', problem: expect.stringContaining('has no scheme') as string },
    { problem: null },
    { problem: null },
  ])
})

test('its hints do not send people back to it', async () => {
  const env = { TUG_CONFIG_DIR: '/nonexistent', TUG_SECRETS_ADDR: 'http://127.0.0.1:1', TUG_SECRETS_TOKEN: 'x' }
  const { exit, stderr } = await tug('status --retries 0', { env })
  expect(exit).toBe(7)
  expect(stderr).toMatch(/^hint: (?!.*tug ).*address/m)
  const refusing = await serve((_, response) => json(response, 403, '{"errors":["permission denied"]}'))
  const refused = await tug('status', { env: { ...env, TUG_SECRETS_ADDR: refusing.origin } })
  expect(refused.stderr).toMatch(/^hint: .* token gets the same response$/m)
  expect(stderr + refused.stderr).not.toContain('tug status')
})

test('the hint of a rejected --token-file names no variable that the flag overrides', async () => {
  const { env } = await serve((_, response) =>
    json(response, 401, '{"errors":[{"status":"401","title":"unauthorized"}]}'),
  )
  for (const [stdin, words] of [
    ['bad', ' --token-file -'],
    ['', ''],
  ] as const) {
    const { exit, stderr } = await tug(`explorer query workspaces${words}`, { env, stdin })
    expect([exit, stderr.includes('TUG_EXPLORER_TOKEN')]).toEqual([4, words === ''])
  }
})

test('a token of the command line goes to no service if several are configured', async () => {
  const { env, seen } = await serve((_, response) => json(response, 200, '{"data":{}}'))
  const given = { env: { ...env, TUG_SECRETS_TOKEN: '' }, stdin: 'hvs.typed\n' }
  expect((await tug('status --token-file -', given)).exit).toBe(2)
  expect(seen).toEqual([])
  const { TUG_SECRETS_ADDR, TUG_CONFIG_DIR } = env
  const only = { ...given, env: { TUG_SECRETS_ADDR, TUG_CONFIG_DIR } }
  expect((await tug('status --token-file - --dialect neutral', only)).exit).toBe(0)
  expect(seen.map(({ headers }) => headers['x-secrets-token'])).toEqual(['hvs.typed'])
})
