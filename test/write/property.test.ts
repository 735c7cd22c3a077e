import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { serveBetween } from '../support/between.ts'
import { startDevServer } from '../support/dev.ts'
import { catalogue } from '../faults/lines.ts'
import { scratchFolder } from '../support/folder.ts'
import type { Machine } from '../support/run.ts'
import { tug } from '../support/run.ts'
import { stoppedClock } from '../support/stopped-clock.ts'
import type { World } from './worlds.ts'
import { worlds } from './worlds.ts'

/**
 * A property of every declared write: its plan has the rows of its run; afterwards, the plan has nothing to do and a second run
 * writes nothing; what somebody else has written meanwhile is kept; a run that was cut off after any request is continued by the same
 * line. Writes that `repeats` have the first part alone.
 */

const declared = catalogue.filter(({ command }) => command.decides !== undefined)

const all = declared.flatMap(({ path, command }) =>
  (worlds[path] ?? []).map((world) => ({ world, line: world.line, repeats: command.decides?.repeats !== undefined })),
)
const idempotent = all.filter(({ repeats, line }) => !repeats || line.includes('--if-expiring'))

test('every declared write has a world, and every world a declared write', () => {
  expect(Object.keys(worlds).toSorted()).toEqual(declared.map(({ path }) => path).toSorted())
  expect(Object.entries(worlds).filter(([, { length }]) => length === 0)).toEqual([])
  const unclear = all.filter(({ world }) => (world.other === undefined) === (world.alone === undefined))
  expect(unclear).toEqual([])
})

interface Row {
  readonly item: string
  readonly action: string
  readonly detail: string
  readonly outcome: string | null
}

/** The world of a line, on a server of its own. */
async function begin({ given = [], files = {}, env = {} }: World) {
  const server = await startDevServer({ clock: stoppedClock })
  const cwd = scratchFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text, { mode: 0o600 })
  const machine: Machine = { env: { ...server.env, TUG_LIST_METHOD: 'get', XDG_RUNTIME_DIR: cwd, ...env }, cwd }
  for (const line of given) expect((await tug(line, machine)).exit, line).toBe(0)
  const before = server.writes.length
  return { ...server, machine, writes: () => server.writes.length - before }
}

function rowsOf(stdout: string): Row[] {
  const rows = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row & { event?: string }]))
  const byName = (one: Row, other: Row) => (one.item < other.item ? -1 : 1)
  return rows.filter(({ event }) => event === undefined).toSorted(byName)
}

/** Actions of what needs no write, and of what no read shows. */
const settled = ['unchanged', 'not_found', 'set']

const decisions = (stdout: string) => rowsOf(stdout).map(({ item, action }) => [item, action])

describe('a plan has the rows of its run, and changes nothing', () => {
  test.each(all)('$line', async ({ world, line }) => {
    const { machine, writes } = await begin(world)
    const plan = await tug(`${line} --plan -o ndjson`, machine)
    expect(writes()).toBe(0)
    const run = await tug(`${line} --yes -o ndjson`, machine)
    expect(decisions(run.stdout), run.stderr).toEqual(decisions(plan.stdout))
    expect([plan.exit, run.exit], plan.stderr + run.stderr).toEqual([0, 0])
    expect(writes()).toBeGreaterThan(0)
  })
})

describe('after a run there is nothing to do', () => {
  test.each(idempotent)('$line', async ({ world, line }) => {
    const { machine, writes } = await begin(world)
    await tug(`${line} --yes`, machine)
    const count = writes()
    const plan = await tug(`${line} --plan --exit-code -o ndjson`, machine)
    const hidden = rowsOf(plan.stdout).some(({ action }) => action === 'set')
    // What was removed is not found.
    expect(hidden ? [9] : [0, 3], plan.stdout + plan.stderr).toContain(plan.exit)
    if (hidden) return
    expect(rowsOf(plan.stdout).filter(({ action }) => !settled.includes(action))).toEqual([])
    const again = await tug(`${line} --yes`, machine)
    expect(again.exit, again.stderr).toBe(plan.exit)
    expect(writes()).toBe(count)
  })
})

describe('what somebody else writes meanwhile is kept', () => {
  const contested = all.flatMap(({ world, line }) =>
    world.other === undefined ? [] : [{ world, line, other: world.other }],
  )
  test.each(contested)('$line', async ({ world, line, other }) => {
    const { machine, env } = await begin(world)
    let expected: string | undefined
    const write = async () => {
      if (expected !== undefined) return
      expected = ''
      expect((await tug(other.line, machine)).exit, other.line).toBe(0)
      expected = (await tug(other.shows, machine)).stdout
      expect(expected).not.toBe('')
    }
    if (other.when === 'question') {
      const answer = async function* () {
        await write()
        yield 'y\r'
      }
      const terminals = { stdin: true, stdout: 100, stderr: 100 }
      const run = await tug(line, { ...machine, terminals, stdin: Readable.from(answer()) })
      expect([5, 10], run.stderr).toContain(run.exit)
    } else {
      const between = await serveBetween(env, {
        before: async ({ method }) => (method === 'GET' ? undefined : write()),
      })
      const run = await tug(`${line} --yes`, { ...machine, env: { ...machine.env, ...between } })
      expect(other.merges === true ? [0] : [5, 10], run.stderr).toContain(run.exit)
    }
    expect((await tug(other.shows, machine)).stdout).toBe(expected)
  })
})

describe('a write that is not idempotent, and whose response is lost, is unknown', () => {
  test.each(all.filter(({ repeats }) => repeats))('$line', async ({ world, line }) => {
    const { machine, env } = await begin(world)
    const lossy = await serveBetween(env, { after: ({ method }) => (method === 'GET' ? undefined : 'lost') })
    const { exit, stdout } = await tug(`${line} --yes -o ndjson`, { ...machine, env: { ...machine.env, ...lossy } })
    const outcomes = new Set(rowsOf(stdout).map(({ outcome }) => outcome))
    expect([[...outcomes], exit]).toEqual([['unknown'], 7])
  })
})

describe('a run that was cut off after any request is continued by the same line', () => {
  test.each(idempotent.filter(({ world }) => world.lost === undefined))('$line', async ({ world, line }) => {
    const whole = await begin(world)
    let count = 0
    const counted = await serveBetween(whole.env, { before: () => void (count += 1) })
    await tug(`${line} --yes`, { ...whole.machine, env: { ...whole.machine.env, ...counted } })
    const expected = await stateOf(line, whole.machine)
    expect(count).toBeGreaterThan(0)
    for (let cut = 1; cut <= Math.min(count, mostCuts); cut += 1) {
      const { machine, env } = await begin(world)
      let sent = 0
      // From this request on, which is carried out, nothing is answered.
      const dying = await serveBetween(env, {
        answers: (_, response) => {
          sent += 1
          if (sent > cut) response.socket?.destroy()
          return sent > cut
        },
        after: () => (sent >= cut ? 'lost' : undefined),
      })
      await tug(`${line} --yes --retries 0`, { ...machine, env: { ...machine.env, ...dying } })
      const again = await tug(`${line} --yes`, machine)
      expect([0, 3], `cut after ${cut}: ${again.stderr}`).toContain(again.exit)
      expect(await stateOf(line, machine), `cut after ${cut}`).toEqual(expected)
    }
  })
})

/** The last request of a longer run is like the others; `TUG_TEST_CUTS` tries more. */
const mostCuts = Number(process.env['TUG_TEST_CUTS'] ?? 4)

/** What the service of a line holds, without times, IDs and counters. */
async function stateOf(line: string, { env, cwd }: Machine): Promise<unknown> {
  const machine = { ...(env === undefined ? {} : { env }), ...(cwd === undefined ? {} : { cwd }) }
  const read = async (words: string): Promise<unknown> => {
    const { stdout } = await tug(`${words} -o json`, machine)
    return stdout === '' ? null : (JSON.parse(stdout) as unknown)
  }
  const [service] = line.split(' ')
  if (service === 'explorer') {
    const views = (await read('explorer views list')) as { name: string; type: string; query: unknown }[]
    return views.map(({ name, type, query }) => ({ name, type, query }))
  }
  if (service === 'job') {
    const jobs = (await read('job list')) as Record<string, unknown>[]
    return jobs.map(({ ID, Stop, Status }) => ({ ID, Stop, Status }))
  }
  if (service === 'kmip')
    return {
      config: await read('kmip config get'),
      scopes: await read('kmip scope list'),
      role: await read('kmip role get storage backup'),
      certificates: ((await read('kmip cred list')) as unknown[] | null)?.length,
    }
  const paths = (await read('kv tree')) as string[]
  const secrets = await Promise.all(
    paths.map(async (path) => {
      const metadata = (await read(`kv metadata get ${path}`)) as Record<string, unknown>
      const versions = Object.values(
        metadata['versions'] as Record<string, { destroyed: boolean; deletion_time: string }>,
      )
      const states = versions.map(({ destroyed, deletion_time: time }) => [destroyed, time !== ''])
      const settings = ['current_version', 'max_versions', 'cas_required', 'delete_version_after', 'custom_metadata']
      return [path, states, settings.map((name) => metadata[name])]
    }),
  )
  return { secrets, data: await read('kv export /'), config: await read('kv config get') }
}
