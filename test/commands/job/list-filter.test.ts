import { expect, test } from 'vitest'
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
