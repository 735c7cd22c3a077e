import { openBulk } from '../../../bulk/engine.ts'
import { secretsAtOnce } from '../../../bulk/flags.ts'
import type { BulkInput } from '../../../bulk/flags.ts'
import * as jobs from '../../../api/jobs.ts'
import { blockingQuery } from '../../../api/blocking.ts'
import { asJson, items } from '../../../core/answer.ts'
import type { Result } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { exitCodes } from '../../../core/errors.ts'
import { formatSpan } from '../../../core/duration.ts'
import type { Json } from '../../../core/json.ts'
import { parseJsonPlain } from '../../../core/json.ts'
import type { HttpRequest } from '../../../core/request.ts'
import { shellQuote } from '../../../core/shell.ts'
import { plural } from '../../../core/words.ts'
import { arrayItems } from '../../../http/array-stream.ts'
import type { FleetStatus } from './fleet-view.ts'
import { fleetView } from './fleet-view.ts'
import type { Diagnosis } from './health.ts'
import { diagnose } from './health.ts'
import { readStatus } from './one.ts'
import type { Survey, Suspect } from './survey.ts'
import { isFine, stub, surveyOf } from './survey.ts'

/** What to look at, and how. */
export interface FleetInput extends BulkInput {
  /** The query of the list. */
  readonly query: NonNullable<HttpRequest['query']>
  readonly exitCode: boolean | undefined
  readonly thorough: boolean | undefined
  readonly by: 'why' | undefined
  readonly watch: boolean | undefined
}

/** A job that isn't healthy, or of which that isn't known. */
interface Finding extends Suspect {
  readonly health: Diagnosis
}

/** All jobs at a glance: one list, then a closer look at those that it shows to be in trouble. */
export async function fleetStatus(context: Context, input: FleetInput): Promise<Result> {
  const look = await lookerOf(context, input)
  const view = fleetView(context.settings, input.by)
  if (input.watch === true) return { snapshots: watched(context, input, look), view }
  const request = jobs.list({}, { query: input.query })
  const answer = await context.http.stream(request)
  const place = { service: 'scheduler', method: request.method, path: request.path }
  const survey = await surveyOf(
    arrayItems(answer, { place, of: stub, parse: parseJsonPlain }),
    context.settings.namespace,
  )
  const data = await look(survey)
  const isHealthy = data.unhealthy.length === 0 && data.unknown === undefined
  return {
    data: asJson(data),
    view,
    ...(input.exitCode === true && !isHealthy ? { exitCode: exitCodes.differences } : {}),
  }
}

async function* watched(context: Context, input: FleetInput, look: Look): AsyncGenerator<Json> {
  const request = jobs.list({}, { query: input.query })
  for await (const { body } of blockingQuery(context, request, { everyAnswer: true })) {
    const page = async function* () {
      yield items(body)
    }
    yield asJson(await look(await surveyOf(page(), context.settings.namespace)))
  }
}

type Look = (survey: Survey) => Promise<FleetStatus>

async function lookerOf(context: Context, input: FleetInput): Promise<Look> {
  const bulk = await openBulk(context, input, { action: 'status', parallel: secretsAtOnce })
  return async (survey) => {
    const { suspects, running } = survey
    const more = input.thorough === true ? running : []
    if (input.thorough === true) announce(context, input, suspects.length, more.length)
    const found: Finding[] = []
    const known = new Set(suspects)
    let gone = 0
    const all = [...suspects, ...more]
    const judge = async (one: Suspect) =>
      known.has(one) || !(await seemsFine(bulk.context, one)) ? judged(bulk.context, one) : undefined
    for await (const outcome of bulk.read('looking at jobs', all, judge, { total: all.length })) {
      if (!('error' in outcome)) {
        if (outcome.value !== undefined && outcome.value.health.healthy !== true) found.push(outcome.value)
      } else if (outcome.error.code === 'not_found') gone += 1
      else throw outcome.error
    }
    return statusOf({ ...survey, jobs: survey.jobs - gone }, found, input.by)
  }
}

/** Before requests that may take long: how many, and with `--rate` how long. */
function announce({ io }: Context, { rate }: FleetInput, suspects: number, running: number): void {
  const count = 1 + suspects * 3 + running * 2
  const span = rate === undefined ? '' : `, at ${rate}/s about ${formatSpan((count / rate) * 1000)}`
  io.note(`--thorough: about ${plural(count, 'request')}${span}`)
}

function queryOf({ namespace }: Suspect): [string, string][] {
  return [['namespace', namespace]]
}

async function seemsFine({ http }: Context, one: Suspect): Promise<boolean> {
  const query = queryOf(one)
  const deployment = await http.send(jobs.deployment({ job: one.id }, { query }))
  const allocations = await http.send(jobs.allocations({ job: one.id }, { query }))
  return isFine(deployment.json(), items(allocations.json()))
}

/** The judge of a single job. */
async function judged(context: Context, one: Suspect): Promise<Finding> {
  const reading = await readStatus(context, { job: one.id, query: queryOf(one) })
  const line = lineIn(context, one.namespace)
  const health = diagnose(reading, { line, now: context.now() })
  // The screen of the job has more than fits in a row.
  const isShort = health.next === '' || health.kind === 'not placed' || health.kind === 'waits for promotion'
  return { ...one, health: isShort ? health : { ...health, next: line('job status', one.id) } }
}

/** Command lines about a job where the list is of all namespaces. */
function lineIn({ settings, commandLine }: Context, namespace: string): Context['commandLine'] {
  if (settings.namespace !== '*') return commandLine
  const own = `-n ${shellQuote(namespace)}`
  return (words, ...args) => {
    const line = commandLine(words, ...args)
    return line.includes(" -n '*'") ? line.replace("-n '*'", own) : `${line} ${own}`
  }
}

function statusOf({ jobs: count, stopped }: Survey, found: readonly Finding[], by: 'why' | undefined): FleetStatus {
  const unhealthy = found.filter(({ health }) => health.healthy === false)
  const unknown = found.length - unhealthy.length
  const rows = unhealthy.map(({ namespace, id, health: { why, next } }) => ({ namespace, job: id, why, next }))
  return {
    jobs: count,
    healthy: count - stopped - found.length,
    stopped,
    ...(unknown === 0 ? {} : { unknown }),
    unhealthy: by === 'why' ? groupsOf(unhealthy) : rows,
  }
}

/** The same trouble of several jobs, the most frequent first. */
function groupsOf(unhealthy: readonly Finding[]) {
  const groups = new Map<string, string[]>()
  for (const { namespace, id, health } of unhealthy) {
    const known = groups.get(health.kind)
    if (known === undefined) groups.set(health.kind, [`${namespace}/${id}`])
    else known.push(`${namespace}/${id}`)
  }
  return [...groups]
    .map(([why, all]) => ({ why, count: all.length, jobs: all }))
    .toSorted((one, other) => other.count - one.count)
}
