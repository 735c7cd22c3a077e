import { expect, test } from 'vitest'
import { expressionOf, readStatus, readType } from '../../../src/commands/job/list.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { compileFilter } from '../../../src/dev/jobs/endpoints/filter.ts'
import { startDevServer } from '../../support/dev.ts'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'

/** `job list` in the words of its own table. */

test('each word of the table finds the rows that show it', async () => {
  const { env } = await startDevServer()
  const rows = (await tug('job list', { env })).stdout.trim().split('\n').slice(1)
  const shown = rows.map((row) => row.trim().split(/ {2,}/))
  for (const [flag, column] of [
    ['--type', 1],
    ['--status', 2],
  ] as const) {
    for (const word of new Set(shown.map((row) => row[column] ?? ''))) {
      const expected = shown.filter((row) => row[column] === word).map((row) => row[0] ?? '')
      const found = (await tug(`job list ${flag} ${word} -o name`, { env })).stdout.trim().split('\n')
      expect(found.toSorted(), `${flag} ${word}`).toEqual(expected.toSorted())
    }
  }
})

const none = { Periodic: null, ParameterizedJob: null, Dispatched: false }
const jobsByStatus: Record<string, JsonObject> = {
  running: { Status: 'running', Stop: false },
  pending: { Status: 'pending', Stop: false },
  dead: { Status: 'dead', Stop: false },
  stopped: { Status: 'dead', Stop: true },
  stopping: { Status: 'running', Stop: true },
}
const jobsByType: Record<string, JsonObject> = {
  service: { Type: 'service', ...none },
  batch: { Type: 'batch', ...none },
  system: { Type: 'system', ...none },
  sysbatch: { Type: 'sysbatch', ...none },
  periodic: { Type: 'batch', ...none, Periodic: { Spec: '@daily' } },
  parameterized: { Type: 'batch', ...none, ParameterizedJob: { Payload: '' } },
}

test.each([
  ...Object.keys(jobsByStatus).map((word) => ['status', word, jobsByStatus] as const),
  ...Object.keys(jobsByType).map((word) => ['type', word, jobsByType] as const),
])('--%s %s matches the jobs that the table calls so, and no others', (flag, word, jobs) => {
  const read = flag === 'status' ? { status: [readStatus(word)], type: [] } : { status: [], type: [readType(word)] }
  const matches = compileFilter(expressionOf({ filter: undefined, ...read }) ?? '')
  expect(Object.keys(jobs).filter((name) => matches(jobs[name] as JsonObject))).toEqual([word])
})

test('an instance of a parameterized job is a batch job', () => {
  const instance = { ...jobsByType['parameterized'], Dispatched: true }
  const matches = (word: string) =>
    compileFilter(expressionOf({ filter: undefined, status: [], type: [readType(word)] }) ?? '')(instance)
  expect(['batch', 'parameterized'].filter(matches)).toEqual(['batch'])
})

test('several words of one flag are alternatives, flags are conditions', async () => {
  const { env } = await startDevServer()
  const found = await tug('job list --type service --type system --status stopped -o name', { env })
  expect(found.stdout.trim()).toBe('legacy')
  expect((await tug('job list --type service --filter \'Name == "web"\' -o name', { env })).stdout.trim()).toBe('web')
})

test('--sort puts the rows in the order of a column, in every format', async () => {
  const { env } = await startDevServer()
  const ids = (await tug('job list -o name', { env })).stdout.trim().split('\n')
  expect((await tug('job list --sort=-id -o name', { env })).stdout.trim().split('\n')).toEqual(
    ids.toSorted().toReversed(),
  )
  for (const heading of ['ID', 'Id', 'job_modify_index', 'Job Modify Index'])
    expect((await tug(['job', 'list', '--sort', heading], { env })).exit).toBe(0)
  const found = JSON.parse((await tug('job list --sort id -o json', { env })).stdout) as { ID: string }[]
  expect(found.map(({ ID }) => ID)).toEqual(ids.toSorted())
})

test.each([
  ...['ndjson', 'csv', 'tsv', 'table', 'wide', 'md', 'box'].map((format) => `-o ${format} --columns job_modify_index`),
  ...['json', 'ndjson', 'yaml', 'csv', 'tsv', 'table', 'wide', 'md', 'box', 'name'].map(
    (format) => `-o ${format} --query [].JobModifyIndex`,
  ),
  '-o ndjson',
  '-o json',
  '-o yaml',
])('job list %s keeps every digit', async (flags) => {
  const { env } = await serve((_, response) => json(response, 200, '[{"ID":"a","JobModifyIndex":9007199254740993}]'))
  expect((await tug(`job list ${flags}`, { env })).stdout).toContain('9007199254740993')
})

test.each([
  ['submitted', ['b', 'c', 'a']],
  ['-submitted', ['a', 'c', 'b']],
  ['priority', ['c', 'a', 'b']],
  ['-priority', ['b', 'a', 'c']],
  ['type', ['c', 'b', 'a']],
])('--sort=%s sorts numbers by value, texts by their letters, and what is missing first', async (column, ids) => {
  const jobs = [
    { ID: 'a', SubmitTime: 1_795_000_000_000_000_000, Priority: 9, Type: 'service' },
    { ID: 'b', Priority: 10, Type: 'batch' },
    { ID: 'c', SubmitTime: 1_794_000_000_000_000_000, Priority: 8 },
  ]
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify(jobs)))
  expect((await tug(`job list --sort=${column} -o name`, { env })).stdout.trim().split('\n')).toEqual(ids)
})

test.each(['job list --status gone', 'job list --type job', 'job list --sort nosuch', 'job list --sort id --watch'])(
  '%s is refused',
  async (line) => {
    const { env, seen } = await serve((_, response) => json(response, 200, '[]'))
    expect((await tug(line, { env })).exit).toBe(2)
    expect(seen).toEqual([])
  },
)

test('jobs that failed are looked for with job status', async () => {
  const { exit, stderr } = await tug('job list --status failed', { env: (await startDevServer()).env })
  expect(exit).toBe(2)
  expect(stderr).toContain("'tug job status' lists the jobs that are not healthy")
})

test('job submission without a version is that of the current one', async () => {
  const { env } = await startDevServer()
  const version = (await tug('job get web -o json --query Version', { env })).stdout.trim()
  const current = await tug('job submission web --source', { env })
  expect(current).toMatchObject({ exit: 0, stderr: '' })
  expect(current.stdout).toBe((await tug(`job submission web --version ${version} --source`, { env })).stdout)
})
