import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { catalogue } from './faults/lines.ts'
import { examples, runHere, runInShell, workshop } from './support/examples.ts'
import { sharedDevServer, startDevServer } from './support/dev.ts'
import { scratchFolder } from './support/folder.ts'
import { failure, tug } from './support/run.ts'
import type { Seen } from './support/serve.ts'
import { json, serve } from './support/serve.ts'

/** True for a request that may change something, as a server sees it. */
function changes({ method, url, headers }: Seen): boolean {
  const path = url.replace(/\?.*/, '')
  if (Object.keys(headers).some((name) => name.endsWith('wrap-ttl'))) return true
  if (['GET', 'LIST', 'HEAD'].includes(method)) return path.endsWith('/action')
  return !(path === '/v1/jobs/parse' || /^\/v1\/job\/[^/]+\/plan$/.test(path))
}

const shared = sharedDevServer({ strict: true })

/** The workshop of an example behind a server that counts what it is asked to change. */
async function counted(example: string) {
  const place = await workshop(example, shared())
  const upstream = new URL(place.env['TUG_SECRETS_ADDR'] as string).origin
  const writes: string[] = []
  const proxy = await serve((seen, response) => {
    if (changes(seen)) writes.push(`${seen.method} ${seen.url}`)
    const passed = request(upstream + seen.url, { method: seen.method, headers: seen.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.on('error', () => response.destroy())
      answer.pipe(response)
    })
    // A watch is still open when it is ended, or its server is.
    passed.on('error', () => response.destroy())
    response.on('close', () => passed.destroy())
    passed.end(seen.body)
  })
  const env = Object.fromEntries(
    Object.entries(place.env).map(([name, value]) => [name, value.replace(upstream, proxy.origin)]),
  )
  return { place: { ...place, line: place.line.replaceAll(upstream, proxy.origin), env }, writes }
}

/** Examples of commands that write. */
const written = new Set(
  catalogue.flatMap(({ command }) =>
    command.decides !== undefined || command.writes === true ? command.examples.map(({ line }) => line) : [],
  ),
)

test.each(examples.filter(({ line }) => !line.startsWith('dev ')))('tug $line', async ({ line, shell }) => {
  const { place, writes } = await counted(line)
  const env = { ...place.env, TUG_READ_ONLY: '1' }
  const outcome = shell ? await runInShell({ ...place, env }) : await runHere({ ...place, env }, { stdin: 'y\n' })
  expect(writes).toEqual([])
  expect(outcome.stderr).not.toContain('internal error')
  if (written.has(line) && !shell && !/ --(?:plan|dry-run)/.test(line)) {
    expect(outcome.exit).toBe(2)
    expect(outcome.stderr).toContain('read-only')
  }
})

describe('what makes a run read-only', () => {
  const answer = '{"data":{"keys":[]}}'

  test.each([
    ['a flag', '--read-only', undefined, false],
    ['a variable', '', '1', false],
    ['the profile', '', undefined, true],
    ['the profile, whatever a flag says', '--read-only=false', undefined, true],
    ['the profile, whatever a variable says', '', '0', true],
  ])('%s', async (_, flags, variable, ofProfile) => {
    const { env, seen } = await serve((__, response) => json(response, 200, answer))
    const folder = join(scratchFolder(), 'tug')
    const machine = { env: { ...env, TUG_CONFIG_DIR: folder, TUG_READ_ONLY: variable } }
    if (ofProfile) await tug('profile set default read_only=true protected=true', machine)
    const refused = await failure(`kv put app/db a=1 --yes ${flags}`, machine)
    expect(refused).toMatchObject({ exit: 2, code: 'usage', reason: 'read_only', stdout: '' })
    expect(seen).toEqual([])
    expect((await tug(`kv list ${flags}`, machine)).exit).toBe(0)
    // What is only printed changes nothing.
    expect((await tug(`kv put app/db a=1 --dry-run ${flags}`, machine)).exit).toBe(0)
  })

  test('a flag beats the variable', async () => {
    const { env, seen } = await serve(({ method }, response) =>
      json(response, method === 'GET' ? 403 : 204, method === 'GET' ? '{"errors":["permission denied"]}' : ''),
    )
    await tug('kmip role set s r --all-operations --read-only=false', { env: { ...env, TUG_READ_ONLY: '1' } })
    expect(seen.map(({ method }) => method)).toContain('POST')
  })

  test.each([
    "api secrets POST sys/wrapping/unwrap --data '{}'",
    'api scheduler DELETE job/web',
    "api scheduler POST jobs/parse --data '{}'",
    "api secrets GET secret/data/x --header 'X-Vault-Wrap-TTL: 60'",
    'kv get app/db --wrap-ttl 5m',
    'job action web migrate --alloc 9c0f11aa --task app',
    'job dispatch nightly',
    'job evaluate web',
    'job scale web app 2',
    'job start web',
    'job apply missing.hcl',
    'kv edit app/db',
    'kv import missing.json',
    'kv set app/db password',
    'kv put app/db password=-',
    'api secrets POST sys/x --data -',
  ])('%s is refused before anything is asked, read or sent', async (line) => {
    const { env, seen } = await serve((_, response) => json(response, 200, '{}'))
    expect(await failure(`${line} --read-only`, { env })).toMatchObject({ exit: 2, reason: 'read_only' })
    expect(seen).toEqual([])
  })

  test('status asks no WebSocket, and finds no fault with it', async () => {
    const { env } = await startDevServer()
    const { exit, stdout } = await tug('status --read-only -o json', { env })
    expect([exit, JSON.parse(stdout)]).toMatchObject([0, [{}, {}, { websocket: null, problem: null }]])
  })

  test('a copy reads from a read-only profile, and writes to none', async () => {
    const { origin } = await serve(({ method }, response) =>
      json(
        response,
        200,
        `{"data":${method === 'GET' ? '{"data":{"a":"1"},"metadata":{"version":1}}' : '{"version":1}'}}`,
      ),
    )
    const machine = { env: { TUG_CONFIG_DIR: join(scratchFolder(), 'tug'), TUG_SECRETS_TOKEN: 't' } }
    await tug(`profile set open secrets.address=${origin}`, machine)
    await tug(`profile set closed secrets.address=${origin} read_only=true`, machine)
    expect((await tug('kv copy a b -p closed --to-profile open', machine)).exit).toBe(0)
    for (const line of [
      'kv copy a b -p open --to-profile closed',
      'kv move a b -p closed --to-profile open --yes',
      'kv copy a b -p open --to-profile open --read-only',
    ])
      expect(await failure(line, machine)).toMatchObject({ exit: 2, reason: 'read_only' })
  })
})
