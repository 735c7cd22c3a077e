import { describe, expect, test } from 'vitest'
import { scratchFolder } from '../support/folder.ts'
import { tug } from '../support/run.ts'
import { serve } from '../support/serve.ts'
import type { Fault } from './kinds.ts'
import { faults, mainFaults } from './kinds.ts'
import { catalogue, environment, leftOut, runs, writeFiles } from './lines.ts'
import { countsAsSuccess, isWriteOf, problemsOf } from './rules.ts'

const lists = ['allocs', 'evals', 'deployments', 'services', 'actions'].map((name) => `job ${name}`)

/** What the rule does not know: answers that look like nonsense and make sense to these commands, by their exit code. */
const exceptions: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'an empty array': { 'job list': 0, 'job export': 0, ...all(lists, 0), 'job action': 3, api: 0 },
  null: {
    'job list': 0,
    'job export': 0,
    ...all(lists, 0),
    'job deployment': 3,
    'job action': 3,
    api: 0,
  },
  // The endpoint that tells about tokens is a product's.
  '404': { login: 0 },
  '404 with an echo of the headers': { login: 0 },
  '404 with a page': { login: 1 },
  // Any answer may be what was asked for.
  'a login page': { api: 0 },
  'an empty object': { api: 0 },
  'another object': { api: 0 },
  'an array of null': { api: 0 },
  'an array of numbers': { api: 0 },
  'an array of empty objects': { api: 0 },
  'a number': { api: 0 },
  'a text': { api: 0 },
}

function all(names: readonly string[], exit: number): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, exit]))
}

/** Commands that pass on a CSV as it arrives. */
const csv = ['explorer export', 'explorer views export']

test('every command of the catalogue is run, or left out for a reason', () => {
  const known = catalogue.map(({ path }) => path)
  expect(thorough.filter((path) => !runs.some(([run]) => run === path))).toEqual([])
  expect(Object.keys(leftOut).filter((path) => !known.includes(path))).toEqual([])
  expect(runs.length + Object.keys(leftOut).length).toBe(known.length)
})

/** These meet every fault, the others one of each kind: reads, lists, streams and writes of each service. */
const thorough = [
  'explorer query',
  'explorer export',
  'explorer views create',
  'kv get',
  'kv list',
  'kv put',
  'kv delete',
  'kmip cred generate',
  'job get',
  'job list',
  'job run',
  'job scale',
  'api',
]

describe(`${runs.length} commands with ${mainFaults.length} faults, ${thorough.length} of them with ${faults.length}`, () => {
  test.each(runs)('tug %s', async (path, line) => {
    const folder = scratchFolder()
    writeFiles(folder)
    let fault = faults[0] as Fault
    const server = await serve((request, response) => fault.answer?.(response, request))
    const problems: string[] = []
    const tryWith = (timeout: number) => {
      server.seen.length = 0
      const flags = timeout === 0 ? '--retries 0' : `--retries 0 --timeout ${timeout}ms`
      const env = {
        ...environment(fault.origin ?? server.origin),
        TUG_CONFIG_DIR: `${folder}/config`,
        GITHUB_ACTIONS: 'true',
      }
      return tug(line.includes(' -- ') ? line.replace(' -- ', ` ${flags} -- `) : `${line} ${flags}`, {
        env,
        cwd: folder,
      })
    }
    for (fault of thorough.includes(path) ? faults : mainFaults) {
      let { timeout = 0 } = fault
      let outcome = await tryWith(timeout)
      // On a busy machine a short time can be over before the server reads anything, which is another fault.
      while (timeout > 0 && timeout < 5000 && server.seen.length === 0) {
        timeout *= 4
        outcome = await tryWith(timeout)
      }
      // A look at the mount, or for a configuration that may be missing, only informs: the write after it meets the fault too.
      const looked = server.seen[0]?.url.startsWith('/v1/sys/internal/') === true || path === 'kmip config set'
      const writes = server.seen.slice(0, looked ? undefined : 1).some((request) => isWriteOf(path, request))
      const counts = writes && countsAsSuccess(path, fault)
      const found = problemsOf(fault, outcome, {
        path,
        writes: writes && !counts,
        exit:
          (counts ? 0 : undefined) ??
          exceptions[fault.name]?.[path] ??
          (writes ? fault.exitOfWrite : undefined) ??
          fault.exit,
        streams: path === 'api' || (csv.includes(path) && fault.exit === 7),
      })
      problems.push(...found.map((problem) => `${fault.name}: ${problem}: ${outcome.exit} ${outcome.stderr}`))
    }
    expect(problems.join('\n')).toBe('')
  })
})
