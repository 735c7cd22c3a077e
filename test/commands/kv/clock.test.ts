import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { tug } from '../../support/run.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const hour = 3_600_000

/** The local server, whose time is 12:00, and a machine whose clock is wrong by so many hours. */
async function serverAt(wrong: number) {
  let time = now - 24 * hour
  const { env, writes } = await startDevServer({
    empty: true,
    clock: { now: () => new Date(time), after: () => () => undefined },
  })
  const run = (line: string) => tug(line, { env, now: new Date(time + wrong * hour) })
  await run('kv set old/a v=1')
  time = now - 10_000
  await run('kv set old/a v=2')
  await run('kv set new/a v=1')
  await run('kv delete new/a')
  time = now
  return { run, env, writes }
}

/** A clock that is wrong by two hours changes no result: the server's counts, and the difference is a warning. */
test.each([0, 2, -2])('with a clock that is wrong by %i hours, moments and ages are by the server', async (wrong) => {
  const { run, writes } = await serverAt(wrong)
  const results = async (line: string) => {
    const { exit, stdout, stderr } = await run(line)
    expect(stderr.includes("this machine's clock"), `${line}\n${stderr}`).toBe(wrong !== 0)
    return [exit, stdout]
  }
  const plan = (await results('kv rollback old/ --at 1m --plan -o json'))[1] as string
  // A Date has whole seconds.
  expect(JSON.parse(plan).at).toMatch(/^2026-11-21T11:59:00\.[05]00Z$/)
  expect(JSON.parse(plan).counts.change).toBe(1)
  expect(await run('kv rollback old/ --at 5s --plan -o json --query counts')).toMatchObject({
    stdout: expect.stringContaining('"unchanged":1') as string,
  })
  const lines = [
    'kv find --older-than 1h',
    'kv find --newer-than 1h',
    'kv undelete new/ --recursive --deleted-within 1m',
  ]
  const [older, newer, undeleted] = await Promise.all([
    run(`${lines[0]} -o name`),
    run(`${lines[1]} -o name`),
    run(`${lines[2]} --plan -o json --query counts.undelete`),
  ])
  expect([older.stdout, newer.stdout, undeleted.stdout]).toEqual(['', 'old/a\n', '1\n'])
  expect((await results('kv metadata get old/a'))[1]).toMatch(/\((?:9|10)s\)|9\.\d/)
  const before = writes.length
  // It is in the future by the server's clock alone, or by the local one alone.
  expect((await run('kv rollback old/ --at 2026-11-21T12:30:00Z --yes')).exit).toBe(2)
  expect((await run('kv rollback old/a --at 2026-11-21T12:30:00Z --yes')).exit).toBe(2)
  expect((await run('kv rollback old/ --at 2026-11-23T12:00:00Z --yes')).exit).toBe(2)
  expect(writes.length).toBe(before)
})
