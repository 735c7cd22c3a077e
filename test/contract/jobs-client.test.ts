import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { entriesOf, isObject, objectFrom, parseJson, stringifyJson } from '../../src/core/json.ts'
import { tug } from '../support/run.ts'
import { lineFor, type Line } from './jobs-lines.ts'
import { exchangesOf, type Exchange } from './jobs-replay.ts'

const files = [
  '01-parse',
  '02-register',
  '03-read-list',
  '04-read-parts',
  '05-plan',
  '06-dispatch',
  '07-periodic-evaluate',
  '08-scale',
  '09-canary-deployment',
  '10-revert-stable',
  '11-actions-list',
  '12-stop',
  '13-blocking',
  '14-namespaces-misc',
  '15-acl',
  '16-no-leader',
  '17-submission',
  '18-connection-limit',
  '19-filter-grammar',
  '20-round-trip',
  '21-parse-variables',
]

/** Exit status by the server's text, whatever the HTTP status is (docs/servers.md, Scheduler responses). */
const meanings: readonly (readonly [RegExp, number])[] = [
  [/Permission denied|ACL token not found|disabled by the scheduler configuration/, 4],
  [/Enforcing job modify index|enforcing version|scaling blocked|can't revert to current version/, 5],
  [/not found$|^Unknown job|nonexistent namespace/, 3],
  [/No cluster leader|No path to region/, 1],
  [/too many concurrent connections/, 7],
]

/** The expected exit status. Whatever else the server refuses is the caller's mistake. */
function dueExit({ status, reply, path, method }: Exchange): number {
  if (status === 200) {
    const isNoDeployment = /\/deployment(?:\?|$)/.test(path) && reply === null
    const stoppedNothing = method === 'DELETE' && stringifyJson(reply).includes('"Index":0,')
    return isNoDeployment || stoppedNothing ? 3 : 0
  }
  const text = typeof reply === 'string' ? reply.trim() : ''
  return meanings.find(([pattern]) => pattern.test(text))?.[1] ?? 6
}

let folder = ''
let origin = ''
let answer: Exchange | undefined
const server = createServer((request, response) => {
  request.resume()
  const isWrite = answer !== undefined && answer.method !== 'GET'
  const isStable = answer?.path.includes('/stable') === true
  const status = isWrite && request.method === 'GET' ? 200 : answer?.status
  // The job before a write was not recorded.
  if (isWrite && !isStable && request.method === 'GET') return response.writeHead(403).end('Permission denied')
  const reply = answer === undefined ? null : request.method === 'GET' ? before(answer) : completed(answer)
  const isText = typeof reply === 'string'
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json'
  return response.writeHead(status ?? 200, { 'content-type': type }).end(isText ? reply : stringifyJson(reply))
})

/** What is read before a write: the job at the version that the write is about. */
function before(recorded: Exchange): Json {
  const { method, path, body } = recorded
  if (method === 'GET' || !path.includes('/stable')) return completed(recorded)
  const { JobVersion: Version = 0, Stable = false } = isObject(body) ? body : {}
  // The versions are read after the write.
  return { ID: 'x', Version, Versions: [{ Version, Stable }] }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tug-contract-'))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

const all = files.flatMap(exchangesOf).map((exchange) => ({ exchange, line: lineFor(exchange) }))
const replayed = all.filter((one): one is { exchange: Exchange; line: Line } => typeof one.line !== 'string')

describe.each(files)('%s', (file) => {
  const own = replayed.filter(({ exchange }) => exchange.file === file)
  test.each(own.map((one) => [one.exchange.name, one] as const))('%s', async (_, { exchange, line }) => {
    for (const [name, text] of Object.entries(line.files)) writeFileSync(join(folder, name), text, 'latin1')
    for (const [name, text] of Object.entries(line.files))
      if (name !== 'payload') writeFileSync(join(folder, name), text)
    answer = exchange
    const { exit, stdout, stderr } = await tug([...line.words, '-o', 'json'], {
      cwd: folder,
      env: {
        TUG_SCHEDULER_ADDR: origin,
        TUG_SCHEDULER_TOKEN: 'sesame-open',
        TUG_DIALECT: 'hashicorp',
        TUG_RETRIES: '0',
      },
    })
    expect({ exit, stderr: exit === 0 ? '' : stderr }).toEqual({
      exit: dueExit(exchange),
      stderr: exit === 0 ? '' : expect.stringMatching(/^\{"error":\{"code":/),
    })
    if (exit === 0) {
      expect(parseJson(stdout)).toMatchObject(completed(exchange) as object)
    } else {
      expect(stdout).toBe('')
      for (const word of wordsOf(exchange)) expect(stderr).toContain(JSON.stringify(word).slice(1, -1))
    }
    const shown = await tug([...line.words], {
      cwd: folder,
      env: { TUG_SCHEDULER_ADDR: origin, TUG_DIALECT: 'hashicorp', TUG_RETRIES: '0' },
      terminals: { stdout: 80 },
    })
    expect(shown.exit).toBe(exit)
    expect(shown.stderr).not.toContain('internal error')
  })
})

/** An answer that the recorder cut down, with the members put back without which it would make no sense. */
function completed({ reply, trimmed, status }: Exchange): Json {
  // Of some lists the recorder kept the IDs alone.
  if (Array.isArray(reply)) return reply.map((item) => (typeof item === 'string' ? { ID: item } : item))
  if (!trimmed || status !== 200 || !isObject(reply)) return reply
  const needed = [
    ['ID', 'x'],
    ['EvalID', 'e'],
    ['JobModifyIndex', 1],
  ] as const
  return objectFrom(new Map<string, Json>([...needed, ...entriesOf(reply)]))
}

/** The parts of an error that must be printed: each of its lines, including details of diagnostics. */
function wordsOf({ status, reply }: Exchange): string[] {
  if (status === 200 || typeof reply !== 'string') return []
  const [, ...diagnostics] = reply.split(
    /(?:Failed to parse job: (?:unable to parse var content: )?|\n)(?:input\.hcl|<nil>)[^ ]* /,
  )
  if (diagnostics.length > 0) return diagnostics.map((one) => one.split(/; |input\.hcl/)[0] as string)
  return (
    reply
      .split('\n')
      .map((line) => line.replace(/^\s*\*\s*/, '').trim())
      // Headings of lists are not printed.
      .map((line) => line.replace(/:? ?\d+ errors? occurred:$/, ''))
      .filter((line) => line !== '')
  )
}

test('every recording that is not replayed has a reason', () => {
  const reasons: Record<string, number> = {}
  for (const { line } of all) if (typeof line === 'string') reasons[line] = (reasons[line] ?? 0) + 1
  expect(reasons).toEqual({
    'about HTTP itself, not about the command': 1,
    'an action speaks over a WebSocket: the tests of actions replay it': 7,
    'none of the 24 endpoints': 9,
    'the recorder kept the list alone, without the object around it': 3,
    'the recorder noted no answer to this one request': 13,
    'tug never sends that body, or refuses to before anything is sent': 71,
    'tug never sends that query, or checks the value first': 46,
    'tug never uses that method there': 18,
  })
  expect(replayed).toHaveLength(418)
})
