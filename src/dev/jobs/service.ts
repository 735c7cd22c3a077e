import { setMaxListeners } from 'node:events'
import type { DevClock, DevReply, DevRequest, DevService } from '../http.ts'
import { jsonReply } from '../http.ts'
import { handleAction, withoutUpgrade } from './action/session.ts'
import { answerRead, namespaceOf, readQuery, textReply, Refusal, type Found, type ReadQuery } from './api/answers.ts'
import { Launcher } from './scheduler/launcher.ts'
import { listJobs, jobReads, submissionVersion } from './endpoints/reads.ts'
import { evaluateJob, forcePeriodic, markStable, promoteDeployment, revertJob, stopJob } from './endpoints/changes.ts'
import { dispatchJob } from './endpoints/dispatch.ts'
import { planJob, parseJob } from './endpoints/plan.ts'
import { scaleJob } from './endpoints/scale.ts'
import { words } from './state/documents.ts'
import { registerJob } from './endpoints/register.ts'
import { Scheduler } from './scheduler/scheduler.ts'
import { seedJobs } from './seed/seed.ts'
import type { Service, WriteHandler } from './api/write.ts'
import { Store, type StoreOptions } from './state/store.ts'
import { Timeline } from './time/timeline.ts'
import { Access, demand, secretOf, type Token } from './api/tokens.ts'

export interface JobsOptions extends StoreOptions {
  readonly clock: DevClock
  /** Start with demo jobs and a day of history. */
  readonly seed?: boolean
  /** Tokens by secret id. Without any, requests need none. */
  readonly tokens?: ReadonlyMap<string, Token>
}

/**
 * The job scheduler of the local server, in memory: the jobs endpoints, and those that official clients need beside them.
 * Tasks are simulated from their config (see `planTask`); actions really run.
 */
export function createJobs(options: JobsOptions): DevService {
  const timeline = new Timeline(options.clock)
  const store = new Store(timeline, options)
  const scheduler = new Scheduler(store)
  const launcher = new Launcher(store, scheduler)
  const access = new Access(options.tokens)
  const service: Service = { store, scheduler, launcher, access }
  if (options.seed === true) seedJobs(service, timeline)
  const closing = new AbortController()
  // Each open session listens to it; Node would warn about more than ten.
  setMaxListeners(0, closing.signal)
  const backend = { allocations: store.allocations, access, closed: closing.signal }

  return {
    async handle(request) {
      const open = { ...request, signal: AbortSignal.any([request.signal, closing.signal]) }
      try {
        return await answer(service, open)
      } catch (error) {
        if (error instanceof Refusal) return textReply(error.status, error.message)
        throw error
      }
    },
    knows: (request) => access.knows(secretOf(request)),
    upgrade: (request, message, socket, head) => handleAction(request, message, socket, head, backend),
    close() {
      closing.abort()
      timeline.close()
    },
  }
}

function answer(service: Service, request: DevRequest): Promise<DevReply> | DevReply {
  const { rawPath: path } = request
  if (path === '/v1/jobs')
    return request.method === 'GET'
      ? blockingRead(service, request, (query) => listJobs(service.store, service.access, request, query))
      : write(service, request, '', registerJob)
  if (path === '/v1/jobs/parse') return write(service, request, '', parseJob)
  if (path.startsWith('/v1/job/')) return answerJob(service, request)
  const namespace = /^\/v1\/namespace\/([^/]+)$/.exec(path)?.[1]
  if (namespace !== undefined && request.method === 'GET') {
    demand(service.access.mayRead(secretOf(request), decodeURIComponent(namespace)))
    const exists = service.store.namespaces.has(decodeURIComponent(namespace))
    return exists
      ? jsonReply(200, JSON.stringify({ Name: decodeURIComponent(namespace) }))
      : textReply(404, 'Namespace not found')
  }
  const promoted = /^\/v1\/deployment\/promote\/([^/]+)$/.exec(path)?.[1]
  if (promoted !== undefined) return write(service, request, promoted, promoteDeployment)
  return textReply(404, `the local server of tug doesn't serve ${request.method} ${path}`)
}

/** Writes by their last word. POST and PUT mean the same. */
const jobWrites: Readonly<Record<string, WriteHandler>> = {
  '': registerJob,
  dispatch: dispatchJob,
  revert: revertJob,
  stable: markStable,
  evaluate: evaluateJob,
  plan: planJob,
  'periodic/force': forcePeriodic,
  scale: scaleJob,
}

const endpointWords = words(`
  periodic/force dispatch revert stable evaluate plan scale submission versions allocations evaluations deployments
  deployment summary services actions action
`)

function answerJob(service: Service, request: DevRequest): Promise<DevReply> | DevReply {
  // A job, whose ID may contain slashes, and the endpoint's word.
  const rest = decodeURIComponent(request.rawPath.slice('/v1/job/'.length))
  const word = endpointWords.find((candidate) => rest.endsWith(`/${candidate}`)) ?? ''
  const id = word === '' ? rest : rest.slice(0, -word.length - 1)
  if (word === 'action') return withoutUpgrade
  if (word === 'submission') submissionVersion(request)
  const read = jobReads[word]
  if (read !== undefined && (request.method === 'GET' || word === 'summary')) {
    const { store, access } = service
    const namespace = namespaceOf(request.query)
    checkRegion(request)
    demand(access.mayRead(secretOf(request), namespace))
    return blockingRead(service, request, () => read({ store, request, namespace, id }), word !== 'actions')
  }
  if (request.method === 'DELETE' && word === '') return change(service, request, id, stopJob)
  const handler = jobWrites[word]
  return handler === undefined ? invalidMethod : write(service, request, id, handler)
}

/** Answers a read, which may wait for its index. Actions have no index to wait for. */
function blockingRead(
  { store }: Service,
  request: DevRequest,
  find: (query: ReadQuery) => Found,
  canWait = true,
): Promise<DevReply> {
  checkRegion(request)
  const query = readQuery(request.query)
  return answerRead(store, request, canWait ? query : { ...query, index: 0 }, () => find(query))
}

function write(service: Service, request: DevRequest, id: string, handler: WriteHandler): DevReply {
  if (request.method !== 'POST' && request.method !== 'PUT') return invalidMethod
  return change(service, request, id, handler)
}

function change(service: Service, request: DevRequest, id: string, handler: WriteHandler): DevReply {
  if (handler !== registerJob && handler !== parseJob) checkRegion(request)
  demand(service.access.mayWrite(secretOf(request)))
  return handler({ ...service, request, namespace: namespaceOf(request.query), id })
}

function checkRegion(request: DevRequest): void {
  const region = request.query.get('region') ?? ''
  if (region !== '' && region !== 'global') throw new Refusal(500, 'No path to region')
}

const invalidMethod = textReply(405, 'Invalid method')
