import { describe, expect, it } from 'vitest'
import { isObject, type Json, type JsonObject } from '../../src/core/json.ts'
import { createJobs } from '../../src/dev/jobs/service.ts'
import { FakeClock, call, objectOf } from '../dev/jobs/calls.ts'
import { Correspondence, bodyOf, differences, exchangesOf, refusalOf, type Exchange } from './jobs-replay.ts'
import {
  describedBody,
  lab,
  outOfScope,
  playedLast,
  statusOnly,
  stepsBefore,
  stepsDuring,
  waitBefore,
  type Step,
} from './jobs-scope.ts'

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
  '16-no-leader',
  '17-submission',
  '18-connection-limit',
  '19-filter-grammar',
  '20-round-trip',
  '21-parse-variables',
]

/** One server for all files: the recordings continue each other. */
const clock = new FakeClock()
const server = createJobs({ clock, nodes: [lab], namespaces: ['team-b'], largestCount: 50_000 })
const known = new Correspondence()

describe.each(files)('recording %s', (file) => {
  const exchanges = exchangesOf(file).filter((exchange) => !isIn(outOfScope, exchange))
  const last = exchanges.filter((exchange) => playedLast.has(keyOf(exchange)))
  const ordered = [...exchanges.filter((exchange) => !last.includes(exchange)), ...last]
  it.for(ordered)('$name', async (exchange) => {
    for (const step of stepsBefore[keyOf(exchange)] ?? []) {
      await take(step)
      clock.advance(3000)
    }
    clock.advance(waitBefore(exchange))
    await replay(exchange)
  })
  it('is replayed or out of scope', () => {
    expect(exchanges.length > 0 || `${file}: *` in outOfScope).toBe(true)
  })
})

it('names only recorded exchanges', () => {
  const recorded = new Set(files.flatMap((file) => [`${file}: *`, ...exchangesOf(file).map(keyOf)]))
  const tables = [outOfScope, statusOnly, stepsBefore, stepsDuring]
  const named = [...tables.flatMap((table) => Object.keys(table)), ...playedLast]
  expect(named.filter((key) => !recorded.has(key))).toEqual([])
})

function keyOf({ file, name }: Exchange): string {
  return `${file}: ${name}`
}

function isIn(table: Readonly<Record<string, string>>, exchange: Exchange): boolean {
  return keyOf(exchange) in table || `${exchange.file}: *` in table
}

async function take(step: Step): Promise<void> {
  const { status, text } = await call(
    server,
    step.method,
    step.path,
    step.body === undefined ? {} : { body: step.body },
  )
  if (status !== 200) throw new Error(`${step.method} ${step.path}: ${status} ${text}`)
}

async function replay(exchange: Exchange): Promise<void> {
  const during = stepsDuring[keyOf(exchange)]
  const target = during === undefined ? known.text(exchange.path) : await withPresentIndex(exchange)
  const body = await bodyFor(exchange)
  const options = { headers: exchange.headers, ...(body === undefined ? {} : { body }) }
  const pending = call(server, exchange.method, target, options)
  if (during !== undefined) await take(during)
  else if (/[?&]index=[1-9]/.test(target)) clock.advance(40_000)
  const answer = await pending
  const reply = bodyOf(answer)
  known.learn(exchange.reply, reply)
  const failed = exchange.status !== 200
  if (failed) {
    const recorded = known.text(String(exchange.reply))
    const text = exchange.method === 'HEAD' ? '' : answer.text
    expect(refusalOf(answer.status, text, recorded)).toEqual(refusalOf(exchange.status, recorded, recorded))
  }
  expect(answer.status).toBe(exchange.status)
  if (failed || isIn(statusOnly, exchange)) return
  expect(differences(exchange.reply, reply, known, exchange.trimmed)).toEqual([])
}

async function bodyFor(exchange: Exchange): Promise<Json | undefined> {
  if (exchange.body === undefined) return undefined
  const body = await describedBody(exchange, readWeb)
  return isObject(body) ? known.body(body) : body
}

async function readWeb(): Promise<JsonObject> {
  return objectOf(await call(server, 'GET', '/v1/job/web'))
}

/** The path of a blocking query that waits for the next change from now on. */
async function withPresentIndex({ path }: Exchange): Promise<string> {
  const { headers } = await call(server, 'GET', path.replace(/index=\d+&/, ''))
  return path.replace(/index=\d+/, `index=${String(headers['x-nomad-index'])}`)
}
