import { expect, test } from 'vitest'
import type { Job } from '../../../src/api/job-shapes.ts'
import type { Plan } from '../../../src/api/plan-shapes.ts'
import { changesOf } from '../../../src/commands/job/plan/changes.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { startDevServer } from '../../support/dev.ts'
import { tug } from '../../support/run.ts'
import { checkLeaves, leafChangesOf } from './plan-leaves/leaves.ts'
import { richJob } from './plan-leaves/rich-job.ts'

test('a new version is made if and only if the plan said that something changes', { timeout: 120_000 }, async () => {
  const { env, origin } = await startDevServer({ dialect: 'hashicorp' })
  const token = env['TUG_SCHEDULER_TOKEN'] ?? ''
  const headers = { 'X-Nomad-Token': token }
  expect((await tug('job run - -q', { env, stdin: richJob })).exit).toBe(0)
  const read = async () => (await (await fetch(`${origin}/v1/job/rich`, { headers })).json()) as Job
  // As `job plan` decides, without its command line.
  const planned = async (document: JsonObject) => {
    const body = JSON.stringify({ Job: document, Diff: true })
    const answer = await fetch(`${origin}/v1/job/rich/plan`, { method: 'POST', headers, body })
    if (!answer.ok) return 'refused'
    return changesOf(await read(), document, ((await answer.json()) as Plan).Diff ?? undefined).Type ?? ''
  }
  const job = (await read()) as JsonObject
  const { registered, wrong } = await checkLeaves(planned, { origin, token }, job, leafChangesOf(job))
  expect(wrong).toEqual([])
  expect(registered).toBeGreaterThan(150)
})
