import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { json, serve } from '../../support/serve.ts'
import { tug } from '../../support/run.ts'
import { startDevServer } from '../../support/dev.ts'

/** What `job scale` sends, foresees and concludes. */

const deployment = (Status: string) => ({ ID: 'd1-long-identifier', Status })

/** A job with one group, and a count that may be 2 to 5; scaling answers with this status and text. */
function scheduler(latest: JsonObject | null, { forbidden = '', refusal, type = 'service' }: Answers = {}) {
  const job = { ID: 'web', Type: type, TaskGroups: [{ Name: 'app', Count: 3, Scaling: { Min: 0, Max: 5 } }] }
  return serve(({ method, url }, response) => {
    const part = url.split('/')[4]?.split('?')[0] ?? ''
    if (forbidden.split(' ').includes(part === '' ? 'job' : part)) return json(response, 403, 'Permission denied')
    if (method !== 'GET')
      return json(response, refusal === undefined ? 200 : 400, refusal ?? '{"EvalID":"e","JobModifyIndex":9}')
    if (part === 'deployment') return json(response, 200, JSON.stringify(latest))
    const counts = { JobID: 'web', TaskGroups: { app: { Desired: 3 } } }
    return json(response, 200, JSON.stringify(part === 'scale' ? counts : job))
  })
}

interface Answers {
  readonly forbidden?: string
  readonly refusal?: string
  readonly type?: string
}

test.each<[string, number, string, JsonObject | null, Answers?]>([
  ['within the bounds', 0, '4', null],
  ['after a deployment', 0, '5', deployment('failed')],
  ['above the bounds', 6, '6', null],
  ['of a system job', 6, '2', null, { type: 'system' }],
  ['during a deployment', 5, '4', deployment('paused')],
  ['to the same count', 0, '3', deployment('running')],
])('a plan %s ends with %i', async (_, exit, count, latest, answers) => {
  const { env, seen } = await scheduler(latest, answers)
  expect((await tug(`job scale web app ${count} --plan`, { env })).exit).toBe(exit)
  expect(seen.every(({ method }) => method === 'GET')).toBe(true)
})

test('a count that is in force records no event, and says so if one was wanted', async () => {
  const { env, seen } = await scheduler(null)
  const words = async (flags: string) => {
    const { stdout, stderr } = await tug(`job scale web app 3 ${flags}`, { env })
    return stdout + stderr
  }
  expect(await words('')).not.toContain('event')
  for (const flags of ['--meta a=b', '--message x', '--error x'])
    for (const plan of ['', ' --plan']) expect(await words(flags + plan)).toContain('no event is recorded')
  expect(seen.every(({ method }) => method === 'GET')).toBe(true)
})

test('a plan says what it could not read', async () => {
  const plan = async (forbidden: string) => {
    const { env } = await scheduler(deployment('running'), { forbidden })
    const { stdout } = await tug('job scale web app 6 --plan -o json', { env })
    return JSON.parse(stdout) as JsonObject
  }
  expect(await plan('job deployment')).toMatchObject({
    action: 'scale',
    detail: expect.stringMatching(/bounds.*deployments/),
    rights_checked: false,
  })
  expect(await plan('job deployment scale')).toMatchObject({ action: 'write' })
})

test.each<[string, JsonObject | null, number, string?]>([
  ['with a deployment', deployment('running'), 5],
  ['without one', null, 6],
  ['whose deployment may not be read', null, 6, 'deployment'],
])('a scale that is refused without a known text, %s', async (_, latest, exit, forbidden = '') => {
  const { env } = await scheduler(latest, { refusal: 'scaling is not possible now', forbidden })
  expect((await tug('job scale web app 4', { env })).exit).toBe(exit)
})

test('meta may be numbers, lists and maps, and every format shows them', async () => {
  const { env } = await startDevServer()
  const line = ['job', 'scale', 'web', 'app', '--message', 'm', '--meta', 'cpu:=["a",1.50]', '--meta', 'n=1']
  expect((await tug(line, { env })).exit).toBe(0)
  for (const format of ['wide', 'csv', 'table', 'md'])
    expect((await tug(`job scale-status web -o ${format}`, { env })).stdout.replaceAll(/[\\"]/g, '')).toContain(
      'cpu=[a,1.50], n=1',
    )
  expect((await tug([...line, '--meta', 'x:=[1'], { env })).exit).toBe(2)
})
