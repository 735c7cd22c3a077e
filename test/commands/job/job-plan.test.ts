import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { servePlan } from '../../support/serve-plan.ts'
import { tug } from '../../support/run.ts'
import { says, told } from '../../support/told.ts'

const unchanged =
  '{"Annotations":{"DesiredTGUpdates":{"app":{"Ignore":3,"Place":0}}},"Diff":{"Type":"None"},"JobModifyIndex":77}'
const changed = unchanged.replace('None', 'Edited')
const job = '{"ID":"web"}'

test('a plan without a diff is no change', async () => {
  const answers: readonly (readonly [body: string, exit: number])[] = [
    [unchanged.replace('{"Type":"None"}', 'null'), 0],
    ['{"Diff":null,"Annotations":null,"JobModifyIndex":0}', 0],
  ]
  for (const [body, exit] of answers) {
    const { env } = await servePlan(body)
    expect((await tug('job plan - --exit-code', { env, stdin: job })).exit, body).toBe(exit)
    expect((await tug('job plan -', { env, stdin: job })).exit, body).toBe(0)
  }
})

test('the last lines are the commands that apply it, and exactly it, with the same flags', async () => {
  const { env } = await servePlan(changed)
  const plain = await tug('job plan -', { env, stdin: job })
  expect(plain.stderr).toMatch(told('…: tug job apply -\n…: tug job run --check-index 77 -\n'))
  const full = await tug("job plan - --var 'a=b c' --policy-override -n ops --region eu", {
    env,
    stdin: 'variable "a" {}\njob "web" {}',
  })
  expect(full.stderr).toMatch(
    told(
      "…: tug job apply --var 'a=b c' --policy-override - -n ops --region eu\n" +
        "…: tug job run --check-index 77 --var 'a=b c' --policy-override - -n ops --region eu\n",
    ),
  )
})

test('a new job is one line with its groups, and --diff full shows all of it', async () => {
  const { env } = await startDevServer()
  const stdin = 'job "new" {\n group "app" {\n count = 2\n task "srv" {\n driver = "mock"\n }\n }\n}'
  for (const line of ['plan -', 'run - --plan', 'apply - --plan']) {
    const short = (await tug(`job ${line}`, { env, stdin })).stdout
    expect(short.trim().split('\n')).toEqual([expect.stringMatching(/new service: app 2: srv \(mock\)$/)])
    for (const more of line.startsWith('run') ? ['-o wide'] : ['--diff full', '-o wide'])
      expect((await tug(`job ${line} ${more}`, { env, stdin })).stdout).toMatch(/task srv[^]*driver +mock/)
  }
})

test('that command targets the same server', async () => {
  const { env } = await servePlan(changed)
  const address = env['TUG_SCHEDULER_ADDR'] ?? ''
  const { stderr } = await tug(`job plan - --address ${address} --dialect hashicorp --tls-server-name "my host"`, {
    env: {},
    stdin: job,
  })
  expect(stderr).toContain(`--check-index 77 - --address ${address} --dialect hashicorp --tls-server-name 'my host'\n`)
})

test('a plan without changes has no command to apply', async () => {
  const { env } = await servePlan(unchanged)
  const { stdout, stderr } = await tug('job plan -', { env, stdin: job })
  expect({ stdout, stderr }).toEqual({ stdout: says('… web\n'), stderr: '' })
  expect((await tug('job plan - -o md', { env, stdin: job })).stdout).not.toContain('tug job run')
})

test('that command applies the plan, once', async () => {
  const { env } = await startDevServer()
  const edited = (await tug('job get api -o json', { env })).stdout.replace(/"Priority":\d+/, '"Priority":61')
  const { stdout, stderr } = await tug('job plan - --exit-code', { env, stdin: edited })
  expect(stdout).toContain('priority')
  const index = /--check-index (\d+) -\n$/.exec(stderr)?.[1] ?? ''
  const first = await tug(`job run --check-index ${index} -`, { env, stdin: edited })
  expect(first.exit).toBe(0)
  const second = await tug(`job run --check-index ${index} -`, { env, stdin: edited.replace('61', '62') })
  expect(second.exit).toBe(5)
  expect(second.stderr).toContain('the job has changed')
})
