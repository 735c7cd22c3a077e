import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { startDevServer } from '../../support/dev.ts'
import { failure, tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { jobInForce } from '../../support/serve-plan.ts'

/** Versions by number, tag and stability: `job diff`, `job get --version`, `job revert`. */

const version = (Version: number, more: JsonObject = {}) => ({
  ...jobInForce,
  Version,
  Priority: 50 + Version,
  ...more,
})
const versions = [
  version(5),
  version(4, { Stop: true }),
  version(3, { VersionTag: { Name: 'v1' }, Stable: true }),
  version(2, { VersionTag: { Name: '1' } }),
  version(1, { Stable: true }),
  version(0),
]

/** A server with these versions; a revert is answered. */
const server = (Versions: readonly JsonObject[] = versions) =>
  serve(({ method }, response) => {
    const done = { EvalID: 'e-1', EvalCreateIndex: 80, JobModifyIndex: 80 }
    json(response, 200, JSON.stringify(method === 'GET' ? { Versions } : done))
  })

test.each([
  ['job diff web', ['stop  true → false', 'priority  54 → 55']],
  ['job diff web 3', ['priority  53 → 55']],
  ['job diff web v1', ['priority  53 → 55']],
  ['job diff web 1 2', ['priority  51 → 52']],
  ['job diff web v1 v1', ['no changes to job web']],
])('%s shows %j', async (line, lines) => {
  const { env } = await server()
  const { exit, stdout } = await tug(line, { env })
  expect(exit).toBe(0)
  for (const one of lines) expect(stdout.replaceAll(/ {2,}/g, '  ')).toContain(one)
  const differs = lines[0]?.startsWith('no changes') === true ? 0 : 9
  expect((await tug(`${line} --exit-code`, { env })).exit).toBe(differs)
})

test.each([
  ['job get web --version 2', 2],
  ['job get web --version v1', 3],
  // A number is a version, even if it is a tag as well.
  ['job get web --version 1', 1],
])('%s is version %i', async (line, number) => {
  const { env } = await server()
  expect(JSON.parse((await tug(`${line} -o json`, { env })).stdout)).toMatchObject({ Version: number })
})

test.each([
  ['job revert web v1', 3],
  ['job revert web 0', 0],
  ['job revert web --stable', 3],
])('%s goes back to version %i', async (line, number) => {
  const { env, seen } = await server()
  expect((await tug(line, { env })).exit).toBe(0)
  expect(JSON.parse(seen.at(-1)?.body ?? '')).toMatchObject({ JobID: 'web', JobVersion: number })
})

test.each([
  ['job diff web 9', 3],
  ['job diff web none', 3],
  ['job get web --version none', 3],
  ['job revert web none', 3],
  ['job revert web', 2],
  ['job revert web 3 --stable', 2],
  ['job get web --version 3 --watch', 2],
])('%s ends with %i, and nothing is sent but the question', async (line, exit) => {
  const { env, seen } = await server()
  expect((await tug(line, { env })).exit).toBe(exit)
  expect(seen.filter(({ method }) => method !== 'GET')).toEqual([])
})

const same = { Priority: 50, Stable: true }

test.each([
  ['a job with one version', [version(0, { Stable: true })]],
  ['a job that was stopped and started', [version(2, same), version(1, { ...same, Stop: true }), version(0, same)]],
  ['a job whose rollback failed too', [version(2, { Priority: 50 }), version(1), version(0, same)]],
  ['a job that was never healthy before', [version(1, { Stable: true }), version(0)]],
])('%s has nothing to go back to', async (_, kept) => {
  const { env, seen } = await server(kept)
  expect(await failure('job revert web --stable', { env })).toMatchObject({ exit: 3, reason: 'nothing_to_revert_to' })
  expect(seen.map(({ method }) => method)).toEqual(['GET'])
})

test('a job with one version has nothing to compare', async () => {
  const { env } = await server([version(0)])
  expect((await tug('job diff web', { env })).exit).toBe(3)
})

test('going back to a version that is a stop asks like job stop', async () => {
  const { env, seen } = await server()
  const plan = await tug('job revert web 4 --plan', { env })
  expect([plan.exit, plan.stdout]).toEqual([0, expect.stringContaining('stops the job')])
  expect((await tug('job revert web 4', { env })).exit).toBe(2)
  expect(seen.filter(({ method }) => method !== 'GET')).toEqual([])
  expect((await tug('job revert web 4 --yes -o json', { env })).exit).toBe(0)
  expect(JSON.parse(seen.at(-1)?.body ?? '')).toMatchObject({ JobVersion: 4 })
})

test('going back asks if the versions may not be read, and not if the job is stopped already', async () => {
  const { env, seen } = await serve(({ method }, response) => {
    if (method === 'GET') json(response, 403, 'Permission denied')
    else json(response, 200, '{"EvalID":"e-1","EvalCreateIndex":80,"JobModifyIndex":80}')
  })
  expect((await tug('job revert web 2', { env })).exit).toBe(2)
  expect(seen.filter(({ method }) => method !== 'GET')).toEqual([])
  expect((await tug('job revert web 2 --yes', { env })).exit).toBe(0)
  const stopped = await server([version(5, { Stop: true }), version(4, { Stop: true })])
  expect((await tug('job revert web 4', { env: stopped.env })).exit).toBe(0)
})

test('an instance has its own priority, and a count is set only at the index that was seen', async () => {
  const { env } = await startDevServer({ dialect: 'hashicorp' })
  const dispatched = await tug('job dispatch nightly --meta source=x --priority 70 -o json', { env })
  const { DispatchedJobID: id } = JSON.parse(dispatched.stdout) as { DispatchedJobID: string }
  expect(JSON.parse((await tug(`job get ${id} -o json`, { env })).stdout)).toMatchObject({ Priority: 70 })
  const index = (await tug('job get web -o json --query JobModifyIndex', { env })).stdout.trim()
  expect((await tug('job scale web app 4 --check-index 1', { env })).exit).toBe(5)
  expect((await tug(`job scale web app 4 --check-index ${index}`, { env })).exit).toBe(0)
})
