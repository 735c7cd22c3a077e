import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { serveBetween } from '../support/between.ts'
import { startDevServer } from '../support/dev.ts'
import { scratchFolder } from '../support/folder.ts'
import type { Outcome } from '../support/run.ts'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'
import { environment } from './lines.ts'

const planted = 'pl4nted-S3cret-value-Kq7'

const job = {
  ID: 'planted',
  Name: 'planted',
  Type: 'batch',
  Datacenters: ['dc1'],
  Meta: { api_key: planted },
  TaskGroups: [
    {
      Name: 'app',
      Count: 1,
      Meta: { api_key: planted },
      Tasks: [
        {
          Name: 'app',
          Driver: 'docker',
          Config: { image: 'app', auth: { username: 'me', password: planted } },
          Env: { DB_PASSWORD: planted },
          Meta: { api_key: planted },
          Templates: [{ DestPath: 'x', EmbeddedTmpl: planted }],
          Artifacts: [
            {
              GetterSource: `https://me:${planted}@files.internal/a.tgz`,
              GetterOptions: { sshkey: planted },
              GetterHeaders: { 'X-Api-Key': planted },
            },
          ],
        },
      ],
    },
  ],
}

const files: Readonly<Record<string, string>> = {
  'planted.json': JSON.stringify({ Job: job }),
  'planted.hcl': `variable "password" {}
job "planted" {
  type = "batch"
  meta {
    api_key = "${planted}"
  }
  group "app" {
    task "app" {
      driver = "docker"
      env {
        PASSWORD = var.password
      }
      config {
        image = "app"
      }
    }
  }
}
`,
  'planted.vars': `password = "${planted}"\n`,
  'secrets.json': JSON.stringify({ 'app/new': { password: planted } }),
  '.env': `PASSWORD=${planted}\n`,
  payload: planted,
  token: `${planted}\n`,
}

/** Where the planted value may be seen besides in a file: on stdout, by a command that was asked for it, or only in JSON. */
type Place = 'nowhere' | 'stdout' | 'json'

const lines: readonly (readonly [line: string, shows: Place])[] = [
  [`kv put app/new password=${planted}`, 'nowhere'],
  ['kv put app/new password=@payload', 'nowhere'],
  [`kv set app/db password=${planted}`, 'nowhere'],
  [`kv patch app/db password=${planted}`, 'nowhere'],
  ['kv import secrets.json', 'nowhere'],
  ['kv import .env app/db --update', 'nowhere'],
  [`api secrets POST secret/data/app/new --data '{"data":{"password":"${planted}"}}'`, 'nowhere'],
  [`api secrets GET secret/data/app/db --header 'X-Api-Key: ${planted}'`, 'nowhere'],
  [`api secrets GET secret/data/app/db --header 'X-Odd: ${planted}'`, 'nowhere'],
  ['job run planted.json', 'nowhere'],
  ['job update planted planted.json', 'nowhere'],
  // JSON is the scheduler's answer.
  ['job plan planted.json', 'json'],
  [`job run planted.hcl --var password=${planted}`, 'nowhere'],
  ['job run planted.hcl --var-file planted.vars', 'nowhere'],
  ['job plan planted.hcl --var-file planted.vars', 'json'],
  // It was asked what the file becomes.
  ['job parse planted.hcl --var-file planted.vars', 'stdout'],
  ['job dispatch nightly payload --meta source=orders', 'nowhere'],
  [`job dispatch nightly payload --meta source=${planted}`, 'nowhere'],
  ['job revert web 2 --secrets-token-file token', 'nowhere'],
  ['login secrets --token-file token', 'nowhere'],
  ['kv list --token-file token', 'nowhere'],
]

/** The local server does not know the planted token. */
const refused = ['login secrets --token-file token', 'kv list --token-file token']

/** Every form in which the value may be seen. */
const forms = [
  planted,
  ...['', '\n'].map((end) => Buffer.from(planted + end).toString('base64')),
  encodeURIComponent(planted),
]

/** What was seen where it must not be. A mask is how a workflow learns what to hide. */
function seen({ stdout, stderr }: Outcome, shows: Place): string[] {
  const told = stderr.replace(/^::add-mask::.*$/gm, '')
  const places = [told, shows !== 'nowhere' ? '' : stdout].join('\n').split('\n')
  return places.filter((line) => forms.some((form) => line.includes(form)))
}

function workplace(): string {
  const cwd = scratchFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text, { mode: 0o600 })
  return cwd
}

const modes = ['', '--trace', '-o json --trace', '-o ndjson'] as const

/** The local server behind a door that repeats the planted value in a header and a warning of every answer. */
async function echoingServer() {
  const note = `beware of ${planted}`
  return serveBetween((await startDevServer()).env, {
    change: ({ headers, body }) => ({
      headers: { ...headers, 'x-echo': `value=${planted}`, warning: `199 - "${planted}"` },
      body: body.startsWith('{') ? JSON.stringify({ ...JSON.parse(body), warnings: [note], Warnings: note }) : body,
    }),
  })
}

describe.each(lines)('tug %s', (line, shows) => {
  test('a dry run withholds the value', async () => {
    const cwd = workplace()
    const env = { ...environment('http://127.0.0.1:1'), TUG_CONFIG_DIR: join(cwd, 'config') }
    for (const github of ['', 'true']) {
      const outcome = await tug(`${line} --dry-run`, { env: { ...env, GITHUB_ACTIONS: github }, cwd })
      expect(seen(outcome, 'nowhere')).toEqual([])
      for (const one of outcome.stdout.split('\n'))
        expect(one.includes('<redacted>')).toBe(/^# .*# withheld: /.test(one))
    }
  })

  test('an error that quotes the request does not quote the value', async () => {
    const cwd = workplace()
    const { origin, seen: requests } = await serve(({ url, headers, body }, response) =>
      json(response, 500, JSON.stringify({ errors: [`cannot do ${url}`, JSON.stringify(headers), body] }), {
        'x-request-id': `${JSON.stringify(headers)} ${body}`.replaceAll('\n', ' '),
      }),
    )
    const env = { ...environment(origin), TUG_CONFIG_DIR: join(cwd, 'config') }
    for (const github of ['', 'true']) {
      for (const mode of modes) {
        const outcome = await tug(`${line} ${mode} --retries 0`, { env: { ...env, GITHUB_ACTIONS: github }, cwd })
        expect(outcome.exit, outcome.stderr).toBe(1)
        // What the server answered is what api prints.
        expect(seen(outcome, line.startsWith('api ') ? 'stdout' : 'nowhere')).toEqual([])
      }
    }
    expect(requests.length).toBeGreaterThan(0)
  })

  test('an answer that repeats the value in a header and in a warning does not show it', async () => {
    const cwd = workplace()
    const env = { ...(await echoingServer()), TUG_CONFIG_DIR: join(cwd, 'config') }
    const outcome = await tug(`${line} --trace --retries 0`, { env, cwd })
    expect(seen(outcome, line.startsWith('api ') ? 'stdout' : shows)).toEqual([])
  })

  test('success shows it only where it was asked for', async () => {
    const cwd = workplace()
    const { env: server } = await startDevServer()
    const env = { ...server, TUG_CONFIG_DIR: join(cwd, 'config') }
    for (const [index, mode] of modes.entries()) {
      const outcome = await tug(`${line} ${mode}`, { env, cwd })
      // A second time some of it exists already.
      if (index === 0) expect(outcome.exit, outcome.stderr).toBe(refused.includes(line) ? 4 : 0)
      expect(seen(outcome, shows === 'json' && !mode.includes('json') ? 'nowhere' : shows)).toEqual([])
    }
  })
})

test('a header or a warning that repeats what the body of its response has is masked', async () => {
  const { env } = await serve((_, response) => {
    const body = { data: { data: { password: planted }, metadata: { version: 1 } }, warnings: [`${planted} is weak`] }
    json(response, 200, JSON.stringify(body), { 'x-plugin-note': `value ${planted}`, warning: `199 - "${planted}"` })
  })
  const { exit, stderr } = await tug('kv get app/db --trace', { env })
  expect(exit).toBe(0)
  expect(stderr).toContain('< 200 after')
  expect(stderr).not.toContain(planted)
})

test('the record of a write that was rejected does not show the value, wherever the server repeats it', async () => {
  const cwd = workplace()
  const { origin } = await serve(({ body }, response) =>
    json(response, 403, JSON.stringify({ errors: [body], request_id: body }), { 'x-request-id': body }),
  )
  const outcome = await tug('kv import secrets.json -o ndjson', { env: environment(origin), cwd })
  expect(JSON.parse(outcome.stdout)).toMatchObject({ item: 'app/new', outcome: 'failed' })
  expect(seen(outcome, 'nowhere')).toEqual([])
})
