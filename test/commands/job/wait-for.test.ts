import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { failure, tug } from '../../support/run.ts'

test.each([
  ['web', 0],
  ['batch-report', 0],
  ['batch-broken', 8],
  ['stuck', 8],
  ['legacy', 8],
  ['nightly', 0],
  ['nope', 3],
  ['web api', 0],
  ['web batch-broken', 8],
  ['batch-broken stuck', 8],
  ['web nope', 10],
  ['nope neither', 3],
  ['web --until running', 0],
  ['web --until placed', 0],
  ['legacy --until dead', 0],
  ['batch-broken --until dead', 0],
  ['batch-report --until complete', 0],
  ['web --until complete', 2],
  ['legacy --until complete', 2],
  ['web batch-report --until complete', 10],
])('job wait %s exits with %i', async (line, code) => {
  const { env } = await startDevServer()
  const { exit } = await tug(`job wait ${line} --wait-timeout 1m --read-only`, { env })
  expect(exit).toBe(code)
})

test.each([
  'job run service.json',
  'job update web service.json',
  'job apply service.json --yes',
  'job start legacy',
  'job restart web --yes',
  'job scale web app 5',
  'job evaluate web',
  'job revert web 1',
])('a service never completes, so %s --until complete changes nothing', async (line) => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'service.json'), (await tug('job get web -o json', { env })).stdout)
  const state = async () => (await tug('job list -o csv --columns id,version,status', { env })).stdout
  const before = await state()
  expect((await tug(`${line} --until complete --wait-timeout 1m`, { env, cwd })).exit).toBe(2)
  expect(await state()).toBe(before)
})

test('a batch job that does not exist yet can be run until it is complete', async () => {
  const { env } = await startDevServer()
  const stdin =
    '{"ID":"new","Type":"batch","Datacenters":["*"],"TaskGroups":[{"Name":"a","Tasks":[{"Name":"t","Driver":"docker"}]}]}'
  expect((await tug('job run - --until complete --plan', { env, stdin })).exit).toBe(0)
})

test.each([
  ['web nope', ['nope']],
  ['nope neither', ['nope', 'neither']],
  ['web batch-broken', ['batch-broken']],
])('the error of job wait %s names %j', async (line, names) => {
  const { env } = await startDevServer()
  const { message } = await failure(`job wait ${line} --wait-timeout 1m`, { env })
  for (const name of names) expect(message).toMatch(new RegExp(`^ *${name}: `, 'm'))
})

test('a time limit may be longer than a timer', async () => {
  const { env } = await startDevServer()
  expect((await tug('job wait web --wait-timeout 60d --timeout 60d', { env })).exit).toBe(0)
})

test('a wait for the present ends as job status says', async () => {
  const { env } = await startDevServer()
  const { stdout } = await tug('job list -o name', { env })
  for (const job of stdout.trim().split('\n')) {
    const status = await tug(['job', 'status', job, '--exit-code'], { env })
    const wait = await tug(['job', 'wait', job, '--wait-timeout', '1m'], { env })
    expect([job, wait.exit === 0]).toEqual([job, status.exit === 0])
  }
})

test('job wait reports the evaluations of the version in force only', async () => {
  const { env } = await startDevServer()
  const { stdout } = await tug('job wait web -o ndjson', { env })
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; deployment?: string })
  const evaluations = events.filter(({ event }) => event === 'evaluation')
  expect(new Set(evaluations.map(({ deployment }) => deployment))).toEqual(new Set([events.at(-1)?.deployment]))
})
