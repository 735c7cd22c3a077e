import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { hiddenClock } from '../../support/stopped-clock.ts'
import { scratchFolder } from '../../support/folder.ts'
import { json, serve } from '../../support/serve.ts'
import { quickClock } from '../../support/quick-clock.ts'
import { root } from '../../support/process.ts'
import { tug } from '../../support/run.ts'
import { mentions, says } from '../../support/told.ts'

/** Commands run against the local server, where the official tool makes people guess. */

test("an error has the server's words and a hint how to fix it, without status lines or URLs", async () => {
  const { env } = await startDevServer({ clock: hiddenClock })
  const told: readonly (readonly [line: string, exit: number, words: string, hint: string])[] = [
    ['job dispatch nightly', 6, 'did not provide required meta keys: [source]', '--meta source=…'],
    ['job dispatch nightly --meta source=a --meta colour=b', 6, 'unpermitted metadata keys: [colour]', '--meta colour'],
    ['job dispatch web', 6, 'is not a parameterized job', 'parameterized'],
    ['job revert web 99', 3, 'web has no version 99', 'kept: 3, 2, 1, 0'],
    ['job revert web 3', 5, 'version 3 of web is the current one', 'tug job versions web'],
    ['job revert web 1 --enforce-prior-version 2', 5, 'at version 3, not 2', 'tug job versions web'],
    ['job periodic force web', 6, 'web is not a periodic job', ' periodic'],
    ['job evaluate nightly', 6, "can't evaluate parameterized job", 'tug job dispatch nightly'],
    ['job evaluate cleanup', 6, "can't evaluate periodic job", 'tug job periodic force cleanup'],
    ['job actions nope', 3, 'Unknown job "nope"', 'tug job list --prefix nop'],
    ['job submission web --version 99', 3, 'job source not found', 'tug job versions web'],
    ['job scale web nope 1', 6, "no task group 'nope'", 'tug job scale-status web'],
    ['job list --filter "Count > 1"', 6, 'failed to read filter expression', 'tug help job-filters'],
  ]
  for (const [line, exit, words, hint] of told) {
    const outcome = await tug(line, { env })
    expect(outcome.exit, line).toBe(exit)
    expect(outcome.stderr, line).toContain(words)
    expect(outcome.stderr, line).toMatch(/\nhint: /)
    expect(outcome.stderr, line).toContain(hint)
    expect(outcome.stderr, line).not.toMatch(/response code|\b500\b|retrieving/)
  }
})

test('a write that changes nothing says so: run, revert, and dispatch with a repeated idempotency token', async () => {
  const { env } = await startDevServer({ clock: hiddenClock })
  const job = (await tug('job get web -o json', { env })).stdout
  const same = await tug('job run - --dialect hashicorp', { env, stdin: job })
  expect(same.stdout).toMatch(mentions('web is unchanged: …; re-evaluated'))
  expect(same.stdout).not.toContain('registered web,')

  await tug('job revert web 1', { env })
  const again = await tug('job revert web 1 --dialect hashicorp', { env })
  expect(again.stdout).toMatch(mentions('web is unchanged: … 1; re-evaluated'))

  const line = 'job dispatch nightly --meta source=a --idempotency-token once'
  const planned = async () => JSON.parse((await tug(`${line} --plan -o json`, { env })).stdout) as object
  expect(await planned()).toMatchObject({ action: 'dispatch', changed: true })
  const first = await tug(line, { env })
  expect(await planned()).toMatchObject({ action: 'unchanged', changed: false })
  const second = await tug(line, { env })
  const child = /^started (nightly\/dispatch-\S+), /.exec(first.stdout)?.[1]
  expect(second).toMatchObject({ exit: 0, stdout: says(`${child} …\n`) })
  expect((await tug(`${line} -o name`, { env })).stdout).toBe(`${child}\n`)
  const followed = JSON.parse((await tug(`${line} --wait -o json`, { env })).stdout) as object
  expect(followed).toMatchObject({
    action: 'unchanged',
    changed: false,
    DispatchedJobID: child,
    outcome: 'succeeded',
  })
})

test('a prefix of a job ID names no job, for reads and writes', async () => {
  const { env } = await startDevServer({ clock: hiddenClock })
  for (const line of ['job get we', 'job scale we app 1', 'job revert we 1', 'job evaluate we', 'job stop we --yes']) {
    const { exit, stderr } = await tug(line, { env })
    expect(exit, line).toBe(3)
    expect(stderr, line).toContain('tug job list --prefix we')
  }
})

test('a wrong argument is refused with an example of a right one', async () => {
  const { env } = await startDevServer({ clock: hiddenClock })
  const told: readonly (readonly [line: string, words: string])[] = [
    ['job scale api 3', 'api … 2 …: api, worker; '],
    ['job scale web app x', "<count>: 'x' "],
    ['job dispatch nightly --meta image', "--meta: 'image' …: … image=<value>"],
    ['job run - --var image', "--var: 'image' …: … image=<value>"],
  ]
  for (const [line, words] of told) {
    const { exit, stderr } = await tug(line, { env })
    expect(exit, line).toBe(2)
    expect(stderr, line).toMatch(mentions(words))
  }
  const unset = await tug('job run -', {
    env,
    stdin: 'variable "a" {}\njob "x" {\n meta { a = var.a }\n group "g" {\n task "t" {\n driver = "mock"\n }\n }\n}',
  })
  expect(unset.stderr).toContain('Unset variable "a"')
  expect(unset.stderr).toContain('--var a=…')
  expect(unset.stderr).not.toContain('<nil>')
})

test('each parse error shows its file, line and a caret', async () => {
  const { env } = await startDevServer({ clock: hiddenClock })
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'web.hcl'), 'job "x" {\n  datacentres = ["dc1"]\n  group "g" {\n    cuont = 2\n  }\n}\n')
  for (const verb of ['run', 'parse', 'plan', 'update x']) {
    const { exit, stderr, stdout } = await tug(`job ${verb} web.hcl`, { env, cwd })
    expect({ exit, stdout }).toEqual({ exit: 6, stdout: '' })
    expect(stderr.split('\n').slice(1, 7)).toEqual([
      says('web.hcl:2:3: Unsupported argument: An argument named "datacentres" is not expected here. … "datacenters"?'),
      '  2 |   datacentres = ["dc1"]',
      '    |   ^^^^^^^^^^^',
      says('web.hcl:4:5: Unsupported argument: An argument named "cuont" is not expected here. … "count"?'),
      '  4 |     cuont = 2',
      '    |     ^^^^^',
    ])
  }
  writeFileSync(join(cwd, 'long.hcl'), `job "x" {\n  nope = "${'a'.repeat(1e6)}"\n}\n`)
  expect((await tug('job parse long.hcl', { env, cwd })).stderr.length).toBeLessThan(500)
})

test('a successful command prints its result and nothing else', async () => {
  const { env } = await startDevServer({ clock: hiddenClock })
  for (const line of [
    'get web',
    'list',
    'allocs web --all',
    'versions web',
    'deployment web',
    'summary web',
    'services web',
  ]) {
    const { exit, stderr } = await tug(`job ${line}`, { env, terminals: { stdout: 80, stderr: 80 } })
    expect({ exit, stderr }, line).toEqual({ exit: 0, stderr: '' })
  }
})

test('the stored source has the variables that were used, and none from the environment', async () => {
  const { env } = await startDevServer({ clock: hiddenClock })
  const cwd = scratchFolder()
  writeFileSync(
    join(cwd, 'x.hcl'),
    'variable "greeting" { default = "default" }\njob "x" {\n meta { said = var.greeting }\n group "g" {\n task "t" {\n driver = "mock"\n }\n }\n}\n',
  )
  writeFileSync(join(cwd, 'vars.hcl'), 'greeting = "from the file"\n')
  const machine = { env: { ...env, NOMAD_VAR_greeting: 'from the environment' }, cwd }
  await tug('job run x.hcl --var-file vars.hcl', machine)
  const said = 'job get x --query Meta.said -o json'
  expect((await tug(said, machine)).stdout).toBe('"from the file"\n')
  const recorded = 'job submission x --query [VariableFlags,Variables] -o json --version'
  expect((await tug(`${recorded} 0`, machine)).stdout).toBe(String.raw`[{},"greeting = \"from the file\"\n"]` + '\n')
  await tug('job run x.hcl --var-file vars.hcl --var greeting=typed', machine)
  expect((await tug(said, machine)).stdout).toBe('"typed"\n')
  expect((await tug(`${recorded} 1`, machine)).stdout).toBe(
    String.raw`[{"greeting":"typed"},"greeting = \"from the file\"\n"]` + '\n',
  )
})

test('versions show what made them, their tags, and only what changed', async () => {
  const group = (count: number) => ({ Name: 'app', Count: count, Tasks: [] })
  const version = (number: number, count: number, more: object = {}) => ({
    ID: 'web',
    Version: number,
    SubmitTime: 1795245026848458000,
    TaskGroups: [group(count)],
    Stop: false,
    ...more,
  })
  const edited = {
    Type: 'Edited',
    Fields: [{ Name: 'Priority', Type: 'Edited', Old: '50', New: '60' }],
    TaskGroups: [
      { Name: 'side', Type: 'None', Fields: [], Tasks: [] },
      { Name: 'new', Type: 'Added', Fields: [{ Name: 'Count', Type: 'Added', New: '1' }] },
      {
        Name: 'app',
        Type: 'Edited',
        Fields: [{ Name: 'Count', Type: 'Edited', Old: '1', New: '2' }],
        Tasks: [
          {
            Name: 'srv',
            Type: 'Edited',
            Fields: [{ Name: 'Env[KEY]', Type: 'Edited', Old: 'secret', New: 'secret2' }],
            Objects: [
              {
                Name: 'Config',
                Type: 'Edited',
                Fields: [
                  { Name: 'image', Type: 'Edited', Old: 'app:1', New: 'app:2' },
                  { Name: 'args[0]', Type: 'Edited', Old: 'a'.repeat(40), New: 'b'.repeat(40) },
                  { Name: 'command', Type: 'Deleted', Old: '/bin/app', New: '' },
                  { Name: 'port', Type: 'None', Old: '1', New: '1' },
                ],
              },
              {
                Name: 'Template',
                Type: 'Edited',
                Fields: [
                  { Name: 'DestPath', Type: 'None', Old: 'a.conf', New: 'a.conf' },
                  { Name: 'EmbeddedTmpl', Type: 'Edited', Old: 'password = secret', New: 'password = secret2' },
                ],
              },
            ],
          },
        ],
      },
    ],
  }
  const body = {
    Versions: [
      version(5, 2, { Stop: true }),
      version(4, 2),
      version(3, 3, { VersionTag: { Name: 'gold', TaggedTime: 1795245329808000000 } }),
      version(2, 2),
      version(1, 2, { Priority: 60 }),
      version(0, 2),
    ],
    Diffs: [edited],
  }
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify(body)))
  const { stdout } = await tug('job versions web --diffs --columns version,change,tag,tagged --no-headers -o tsv', {
    env,
  })
  expect(stdout).toBe(
    [
      '5\tstopped\t\t',
      '4\tsame as 2\t\t',
      '3\tapp: count 2 → 3\tgold\t2026-11-21T07:15:29.808Z',
      '2\tsame as 0\t\t',
      '1\tpriority added\t\t',
      '0\tnew\t\t',
      '',
    ].join('\n'),
  )
  const changes = await tug('job versions web --diffs --columns changes --no-headers', { env })
  expect(changes.stdout.split('\n')[0]).toBe(
    [
      'priority 50 → 60',
      'group new added',
      'app: count 1 → 2',
      'app.srv: env.KEY (masked, differs), config.image app:1 → app:2, config.args[0] changed, config.command deleted, template a.conf data password = <redacted> (differs)',
    ].join('; '),
  )
  expect(changes.stdout).not.toContain('secret')
  const table = await tug('job versions web --columns version,change --no-headers', { env })
  expect(table.stdout).toContain('3  app: count 2 → 3, tagged gold\n')
})

const web = join(root, 'examples/web.hcl')

test('a wait in a pipe prints a line with the time per change; with -o ndjson, events', async () => {
  const { env } = await startDevServer({ clock: quickClock(40) })
  const { exit, stderr } = await tug(['job', 'run', web, '--wait'], { env, now: new Date() })
  expect(exit).toBe(0)
  const lines = stderr.split('\n').filter((line) => /^\d\d:\d\d:\d\d /.test(line))
  expect(lines.length).toBeGreaterThan(0)
  expect(new Set(lines.map((line) => line.slice(9))).size).toBe(lines.length)
  expect(stderr).not.toContain('\u001b')
  const events = await tug('job scale web app 2 --wait -o ndjson', { env, now: new Date() })
  const all = events.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object)
  for (const line of all.slice(0, -1)) expect(line).toHaveProperty('event')
  expect(all.at(-1)).toHaveProperty('item')
})

test('a task that cannot start fails its allocation and the tasks beside it, and the reason is shown', async () => {
  const { env } = await startDevServer({ clock: quickClock(40) })
  const task = (name: string, config: string) => `task "${name}" {\n driver = "mock"\n config {\n ${config}\n }\n}`
  const stdin = `job "nope" {\n type = "batch"\n group "g" {\n restart {\n attempts = 0\n mode = "fail"\n }\n reschedule {\n attempts = 0\n unlimited = false\n }\n ${task('log', 'run_for = "1h"')}\n ${task('srv', 'start_error = "no such image"')}\n }\n}\n`
  const { exit, stdout, stderr } = await tug('job run - --wait -o json', { env, stdin, now: new Date() })
  expect(exit, stderr).toBe(8)
  expect((JSON.parse(stdout) as { outcome: string; reason: string }).reason).toContain('no such image')
  const allocs = await tug('job allocs nope -o wide', { env })
  expect(allocs.stdout).toContain('no such image')
  expect(allocs.stdout).toContain('Sibling Task Failed: task srv failed')
})

test('every row of a write names the namespace of its job', async () => {
  const { env } = await startDevServer({ clock: hiddenClock })
  const lines = [
    'job scale web app 3',
    'job stop web --yes',
    'job stable web 1 --yes',
    'job evaluate api',
    'job periodic force cleanup',
    'job dispatch nightly --meta source=a',
  ]
  for (const line of lines) {
    const { stdout, stderr } = await tug(`${line} --plan -o json`, { env })
    expect([line, JSON.parse(stdout || stderr)]).toMatchObject([line, { namespace: 'default' }])
  }
})

test.each(['get', 'stop --yes', 'allocs', 'wait'])(
  'a job whose ID ends like an endpoint is refused before it is mistaken for another: job %s',
  async (words) => {
    const { env, seen } = await serve((_, response) => json(response, 404, 'job not found'))
    const line = `job ${words} web/scale`
    expect((await tug(line, { env })).exit).toBe(words === 'allocs' ? 3 : 2)
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(
      words === 'allocs' ? ['GET /v1/job/web%2Fscale/allocations'] : [],
    )
    await tug(`${line} --dialect neutral`, { env })
    expect(seen.length).toBeGreaterThan(0)
  },
)

test.each(['run -', 'update web/scale -', 'apply - --yes', 'plan -'])(
  'a job whose ID ends like an endpoint is not registered, where nothing could change it: job %s',
  async (words) => {
    const { env, seen } = await serve((_, response) => json(response, 404, 'job not found'))
    const stdin = JSON.stringify({ ID: 'web/scale', TaskGroups: [] })
    expect((await tug(`job ${words}`, { env, stdin })).exit).toBe(2)
    expect(seen).toEqual([])
    await tug(`job ${words} --dialect neutral`, { env, stdin })
    expect(seen.length).toBeGreaterThan(0)
  },
)

test.each([
  ['job stable web 99', 3],
  ['job revert web 99', 3],
  ['job scale web nope 3', 6],
  ['job periodic force web', 6],
  ['job dispatch web', 6],
])('%s --plan ends with the exit code of the run: %i', async (line, exit) => {
  const { env } = await startDevServer({ clock: hiddenClock })
  const plan = await tug(`${line} --plan`, { env })
  const run = await tug(line.includes('stable') ? `${line} --yes` : line, { env })
  expect([plan.exit, run.exit]).toEqual([exit, exit])
})
