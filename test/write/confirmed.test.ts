import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask, serveBetween } from '../support/between.ts'
import { startDevServer } from '../support/dev.ts'
import { scratchFolder } from '../support/folder.ts'
import { quickClock } from '../support/quick-clock.ts'
import { tug } from '../support/run.ts'
import { still, story } from '../support/story.ts'

/** A service that runs, or exits with status 1 and is not restarted. */
const jobFile = (id: string, command: string) =>
  JSON.stringify({
    ID: id,
    Type: 'service',
    Datacenters: ['dc1'],
    TaskGroups: [
      {
        Name: 'app',
        RestartPolicy: { Attempts: 0, Mode: 'fail' },
        ReschedulePolicy: { Attempts: 0, Unlimited: false },
        Update: { MaxParallel: 1, HealthCheck: 'task_states', MinHealthyTime: 1_000_000 },
        Tasks: [{ Name: 'srv', Driver: 'raw_exec', Config: { command, args: ['infinity'] } }],
      },
    ],
  })

/** Writes that wait, with the exit status and the outcome of a run whose write got its response. */
const lines: readonly (readonly [line: string, exit: number, outcome: string])[] = [
  ['job apply bad.json --yes', 8, 'failed'],
  ['job apply good.json --yes', 0, 'succeeded'],
  ['job scale web 4 --wait', 0, 'succeeded'],
  ['job stop web --yes --wait', 0, 'succeeded'],
  ['job start legacy --wait', 0, 'succeeded'],
]

const isWrite = ({ method, url }: { readonly method: string; readonly url: string }) =>
  method === 'DELETE' || (method === 'POST' && /\/v1\/jobs$|\/scale$/.test(url))

async function begin() {
  const { env } = await startDevServer({ clock: quickClock(20) })
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'good.json'), jobFile('good', '/bin/sleep'))
  writeFileSync(join(cwd, 'bad.json'), jobFile('bad', '/bin/false'))
  return { env, cwd }
}

test.each(lines)('%s follows the job after a lost response', async (line, exit, outcome) => {
  const { env, cwd } = await begin()
  const lossy = await serveBetween(env, { after: (request) => (isWrite(request) ? 'lost' : undefined) })
  const run = await tug(`${line} -o json --retries 0`, { env: { ...env, ...lossy }, cwd })
  expect(run.exit, run.stderr).toBe(exit)
  expect(JSON.parse(run.stdout)).toMatchObject({ changed: true, outcome })
})

test.each(lines.slice(0, 2))(
  '%s follows the job if somebody else has registered it first',
  async (line, exit, outcome) => {
    const { env, cwd } = await begin()
    const { origin } = new URL(env['TUG_SCHEDULER_ADDR'] ?? '')
    const raced = await serveBetween(env, {
      before: async (request) => void (isWrite(request) && (await ask(origin, request))),
    })
    const run = await tug(`${line} -o json`, { env: { ...env, ...raced }, cwd })
    expect(run.exit, run.stderr).toBe(exit)
    expect(JSON.parse(run.stdout)).toMatchObject({ action: 'unchanged', changed: false, outcome })
  },
)

test('what a write says whose response was lost, once a read shows it', async () => {
  const { env } = await startDevServer({ clock: still })
  const lossy = await serveBetween(env, { after: ({ method }) => (method === 'GET' ? undefined : 'lost') })
  const lost = ['kv config set --max-versions 20', 'kv set app/db a=1', 'kv delete app/db', 'job scale web 4']
  await story(
    'lost-responses',
    lost.map((line) => `${line} --retries 0`),
    { env: { ...env, ...lossy } },
  )
})
