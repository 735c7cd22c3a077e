import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { linesWithoutSecrets, withoutSecrets } from '../../../src/output/secret-text.ts'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { servePlan } from '../../support/serve-plan.ts'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { json, serve } from '../../support/serve.ts'
import { tug } from '../../support/run.ts'

const planted = {
  env: 'planted-env-value-1',
  template: 'planted-template-text',
  meta: 'planted-meta-value',
  auth: 'planted-auth-password',
  ssh: 'planted-ssh-key',
  header: 'planted-header-value',
  url: 'planted-url-password',
  token: 'planted-vault-token',
}

const job = {
  ID: 'web',
  Meta: { api_token: planted.meta },
  VaultToken: planted.token,
  TaskGroups: [
    {
      Name: 'g',
      Tasks: [
        {
          Name: 't',
          Driver: 'docker',
          Config: { image: 'web:1', auth: { username: 'ci', password: planted.auth } },
          Env: { DB_PASSWORD: planted.env },
          Templates: [{ DestPath: 'local/x', EmbeddedTmpl: planted.template }],
          Artifacts: [
            {
              GetterSource: `https://bot:${planted.url}@example.com/x`,
              GetterOptions: { sshkey: planted.ssh },
              GetterHeaders: { 'X-Api-Key': planted.header },
            },
          ],
        },
      ],
    },
  ],
}

const nothingPlanted = /planted-/

test.each(['run -', 'update web -', 'plan -'])('job %s shows no secret of a job in dry run or trace', async (line) => {
  const stdin = JSON.stringify(job)
  // A plan reads the job first, which is not allowed here.
  const { env, seen } = await serve(({ method }, response) =>
    response.writeHead(method === 'GET' ? 403 : 500).end('Permission denied'),
  )
  const dry = await tug(`job ${line} --dry-run`, { env, stdin })
  expect(dry.exit).toBe(0)
  expect(dry.stdout + dry.stderr).not.toMatch(nothingPlanted)
  if (!line.startsWith('plan')) {
    expect(dry.stdout).toContain('"image":"web:1"')
    expect(dry.stdout).toContain('https://<redacted>@example.com/x')
    expect(dry.stdout).toMatch(/^# .* {2}# withheld: .*Job\.TaskGroups\.\*\.Tasks\.\*\.Env/)
  }
  const traced = await tug(`job ${line} --trace`, { env, stdin })
  expect(traced.stderr).toContain('> {"Job":')
  expect(traced.stdout + traced.stderr).not.toMatch(nothingPlanted)
  expect(JSON.parse(seen.at(-1)?.body ?? '')).toMatchObject({ Job: job })
})

test('secrets that a server repeats in an error are masked', async () => {
  const echo = `bad job: ${Object.values(planted)
    .filter((one) => one !== planted.template)
    .join(' ')}`
  const { env } = await serve((_, response) => response.writeHead(500).end(echo))
  const { exit, stderr } = await tug('job run -', { env, stdin: JSON.stringify(job) })
  expect(exit).toBe(1)
  expect(stderr).toContain('bad job: <redacted>')
  expect(stderr).not.toMatch(nothingPlanted)
})

test.each(['start web', 'start web api', 'restart web --allow-downtime --yes --no-wait'])(
  'job %s shows no secret of the job that it registers again, in trace or error',
  async (line) => {
    const live = { ...job, Stop: line.startsWith('start'), JobModifyIndex: 7 }
    const { env, seen } = await serve(({ method, body }, response) => {
      if (method === 'GET') return json(response, 200, JSON.stringify(live))
      const { TaskGroups, ...rest } = (JSON.parse(body) as { Job: typeof job }).Job
      const echo = JSON.stringify([rest, TaskGroups]).replaceAll(planted.template, '')
      response.writeHead(400).end(`invalid job: ${echo}`)
    })
    const { exit, stdout, stderr } = await tug(`job ${line} --trace`, { env })
    expect(exit).toBe(6)
    expect(stdout + stderr).not.toMatch(nothingPlanted)
    expect(JSON.parse(seen.at(-1)?.body ?? '')).toMatchObject({ Job: { TaskGroups: job.TaskGroups } })
  },
)

const task = 'TaskGroups.*.Tasks.*'

/** Builds what is at this place of a job; `*` is the only item of a list. */
function jobWith(place: string, value: Json): Json {
  const inside = place.split('.').reduceRight<Json>((inner, key) => (key === '*' ? [inner] : { [key]: inner }), value)
  return { ...(inside as JsonObject), ID: 'web' }
}

async function repeated(given: Json, text: string): Promise<string> {
  const { env } = await serve((_, response) => response.writeHead(500).end(`bad job: ${text}`))
  return (await tug('job run -', { env, stdin: JSON.stringify(given) })).stderr
}

// The text looks like a secret, wherever it is.
const lookalike = 'report-of-november-2026'

test.each([
  ['Meta', { notes: lookalike }],
  ['Payload', lookalike],
  ['VaultToken', 'planted'],
  ['SecretsToken', 'planted'],
  ['ConsulToken', 'planted'],
  ['DiscoveryToken', 'planted'],
  ['TaskGroups.*.Meta', { notes: lookalike }],
  ['TaskGroups.*.Services.*.Meta', { notes: lookalike }],
  ['TaskGroups.*.Services.*.CanaryMeta', { notes: lookalike }],
  [`${task}.Env`, { notes: lookalike }],
  [`${task}.Meta`, { notes: lookalike }],
  [`${task}.Config.auth`, { notes: lookalike }],
  [`${task}.Config.auth`, [{ notes: [lookalike] }]],
  [`${task}.Templates.*.EmbeddedTmpl`, lookalike],
  [`${task}.Artifacts.*.GetterOptions`, { notes: lookalike }],
  [`${task}.Artifacts.*.GetterHeaders`, { notes: lookalike }],
  [`${task}.Services.*.Meta`, { notes: lookalike }],
  [`${task}.Services.*.CanaryMeta`, { notes: lookalike }],
])('%s of a job may be secret: %j is masked in an error', async (place, value) => {
  const text = JSON.stringify(value).includes('planted') ? 'planted' : lookalike
  const stderr = await repeated(jobWith(place, value), text)
  expect(stderr).toContain('bad job: <redacted>')
  expect(stderr).not.toContain(text)
})

test.each([
  'Name',
  'Constraints.*.RTarget',
  'TaskGroups.*.Name',
  'TaskGroups.*.Services.*.Name',
  `${task}.Name`,
  `${task}.Config.image`,
  `${task}.Config.authority`,
  `${task}.Artifacts.*.GetterSource`,
  `${task}.Templates.*.DestPath`,
  `${task}.Services.*.Name`,
  `${task}.Services.*.PortLabel`,
])('%s of a job is no secret: an error shows it', async (place) => {
  expect(await repeated(jobWith(place, lookalike), lookalike)).toContain(`bad job: ${lookalike}`)
})

test('the source of a job file and values of variables are withheld, wherever they come from', async () => {
  const stdin = 'variable "token" {}\nvariable "pin" {}\nvariable "key" {}\njob "web" { x = "planted-source" }'
  const echo = 'planted-flag-value planted-environment'
  const { env, seen } = await serve((_, response) => response.writeHead(500).end(echo))
  const machine = { env: { ...env, NOMAD_VAR_key: 'planted-environment' }, stdin }
  for (const flags of ['--dry-run', '--trace']) {
    const { stdout, stderr } = await tug(`job run - --var token=planted-flag-value --var pin=1 ${flags}`, machine)
    expect(stdout + stderr, flags).not.toMatch(nothingPlanted)
  }
  expect(seen[0]?.body).toContain('planted-flag-value')
})

test('a line of a job file in an error is masked where it looks secret', async () => {
  const line = 'env { PASSWORD = "planted-env-value-1" image = "web:1" source = "https://u:planted-url-password@h/x" }'
  const { env } = await serve((_, response) => response.writeHead(400).end(`input.hcl:1,1-2: Error; ${line}`))
  for (const flags of ['', '--trace', '-o json']) {
    const { exit, stderr } = await tug(`job run - ${flags}`, { env, stdin: `job "web" {\n${line}\n}` })
    expect(exit).toBe(6)
    expect(stderr).not.toMatch(nothingPlanted)
    expect(stderr).toContain('web:1')
  }
})

test('payload and meta of a dispatch are withheld', async () => {
  const { env, seen } = await serve((_, response) => response.writeHead(500).end('planted-meta-value'))
  for (const flags of ['--dry-run', '--trace']) {
    const line = `job dispatch nightly - --meta token=planted-meta-value --retries 0 ${flags}`
    const { stdout, stderr } = await tug(line, { env, stdin: 'planted-payload' })
    expect(stdout + stderr, flags).not.toMatch(nothingPlanted)
    expect(stdout + stderr, flags).not.toContain(Buffer.from('planted-payload').toString('base64'))
  }
  expect(seen).toHaveLength(1)
})

test('the line that applies a plan shows values of variables, unless they look like secrets', async () => {
  const { env } = await servePlan({ JobModifyIndex: 7, Diff: { Type: 'Edited' } })
  const stdin = 'variable "image" {}\nvariable "password" {}\njob "web" {}'
  const line = 'job plan - --var image=web:2 --var password=planted-word'
  for (const output of ['table', 'md']) {
    const { stdout, stderr } = await tug(`${line} -o ${output}`, { env, stdin })
    expect(stderr).toContain("--var image=web:2 --var 'password=<redacted>'")
    expect(stdout + stderr).not.toMatch(nothingPlanted)
  }
})

test('secrets are also found in a file with a line of a million letters', async () => {
  const { env } = await serve((_, response) => response.writeHead(400).end('PASSWORD = "planted-env-value-1"'))
  const stdin = `${'x'.repeat(1e6)}\njob "web" { PASSWORD = "planted-env-value-1" }`
  const { exit, stderr } = await tug('job run -', { env, stdin })
  expect(exit).toBe(6)
  expect(stderr).not.toMatch(nothingPlanted)
})

test('what does not look like a secret stays readable where a server repeats it', async () => {
  const { env } = await serve((_, response) => response.writeHead(500).end('bad COLOR ultramarine, bad TOKEN k3y-1234'))
  const Env = { COLOR: 'ultramarine', API_TOKEN: 'k3y-1234' }
  const stdin = JSON.stringify({ ID: 'web', TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't', Env }] }] })
  const { stderr } = await tug('job run - --retries 0', { env, stdin })
  expect(stderr).toContain('bad COLOR ultramarine, bad TOKEN <redacted>')
})

test.each([
  ['Server=db;Password=pl4nted;Timeout=3', 'Server=db;Password=<redacted>;Timeout=3'],
  ['Authorization: Bearer pl4nted', 'Authorization: Bearer <redacted>'],
  ['curl -H "Authorization: Basic cGw0bnRlZA=="', 'curl -H "Authorization: Basic <redacted>"'],
  ['Basic cGw0bnRlZA==', 'Basic <redacted>'],
  ['Basic authentication of users', 'Basic authentication of users'],
  ['https://hooks.slack.com/services/T1/B2/pl4nted', 'https://hooks.slack.com/<redacted>'],
  ['https://discord.com/api/webhooks/1/pl4nted', 'https://discord.com/api/webhooks/<redacted>'],
  ['mysql -u root -p pl4nted db', 'mysql -u root -p <redacted> db'],
  ['docker run -p 8080:80 web', 'docker run -p 8080:80 web'],
  ['mkdir -p /srv/data', 'mkdir -p /srv/data'],
  ['"db_password": "pl4nted", "port": 5432', '"db_password": <redacted>, "port": 5432'],
  ['password = {{ .Data.password }}', 'password = {{ .Data.password }}'],
  ['login --password pl4nted', 'login --password <redacted>'],
])('%s is shown as %s', (text, shown) => expect(withoutSecrets(text)).toBe(shown))

test('of a template each line is masked by itself, and a secret that differs is said to', () => {
  const old = 'host = a\npassword = "one"\n-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----'
  const next = 'host = b\npassword = "two"\n-----BEGIN PRIVATE KEY-----\nMIIdef\n-----END PRIVATE KEY-----'
  const key = ['-----BEGIN PRIVATE KEY-----', '<redacted>', '-----END PRIVATE KEY-----']
  expect(linesWithoutSecrets(old, next).map((text) => text.split('\n'))).toEqual([
    ['host = a', 'password = <redacted>', ...key],
    ['host = b', 'password = <redacted> (differs)', key[0], '<redacted> (differs)', key[2]],
  ])
})

test.each(['payments', 'payments.hcl', 'DB_PASSWORD'])(
  'a suggested line can be typed if a secret is %j',
  async (secret) => {
    const { env } = await startDevServer()
    const cwd = scratchFolder()
    const inner = `task "t" {\n driver = "docker"\n config {\n image = "web:1"\n}\n env {\n DB_PASSWORD = "${secret}"\n}\n}`
    writeFileSync(join(cwd, 'payments.hcl'), `job "payments" {\n group "g" {\n${inner}\n}\n}\n`)
    const { exit, stderr } = await tug('job plan payments.hcl', { env, cwd })
    expect([exit, stderr]).toEqual([0, expect.stringContaining('tug job run --check-index 0 payments.hcl')])
  },
)
