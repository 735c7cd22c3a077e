import type { DevClock, DevReply, DevRequest, DevService } from '../http.ts'
import { handleAction, withoutUpgrade } from './action/upgrade.ts'
import { actionBackend } from './action/backend.ts'
import { answerRead, textReply } from './api/answers.ts'
import { Launcher } from './scheduler/launcher.ts'
import { listJobs } from './endpoints/list.ts'
import type { DemoNode } from './state/model.ts'
import { demoNodes } from './seed/nodes.ts'
import { parseJob } from './endpoints/parse.ts'
import { namespaceOf, readQuery } from './api/query.ts'
import { jobReads, submissionVersion } from './endpoints/reads.ts'
import { Refusal } from './api/refusal.ts'
import { registerJob } from './endpoints/register.ts'
import { jobDeletes, jobRoute, jobWrites, redirect } from './api/routes.ts'
import { Scheduler } from './scheduler/scheduler.ts'
import { seedJobs } from './seed/seed.ts'
import type { Service, WriteHandler } from './api/write.ts'
import { Store } from './state/store.ts'
import { Timeline } from './seed/timeline.ts'
import { Access, type Token } from './api/tokens.ts'

export interface JobsOptions {
  readonly clock: DevClock
  /** Demo jobs with a past of a day. */
  readonly seed?: boolean
  /** Whether requests need a token. */
  readonly acl?: boolean
  /** Tokens by secret id. */
  readonly tokens?: ReadonlyMap<string, Token>
  /** The machines, instead of the demo's. */
  readonly nodes?: readonly DemoNode[]
  /** How many allocations a job may ask for (job_max_count); in a process beside others a thousand are plenty. */
  readonly largestCount?: number
}

/**
 * The job scheduler of the local server: `/v1/jobs…` and `/v1/job/…`, the 24 endpoints of the spec, in memory. What a task
 * would do is simulated from its config (see `planTask`); actions are run for real.
 */
export function createJobs(options: JobsOptions): DevService {
  const timeline = new Timeline(options.clock)
  const store = new Store(timeline, options.nodes ?? demoNodes, options.largestCount ?? 1000)
  const scheduler = new Scheduler(store)
  const launcher = new Launcher(store, scheduler)
  const access = new Access(options.acl ?? false, options.tokens ?? new Map())
  const service: Service = { store, scheduler, launcher, access }
  if (options.seed === true) seedJobs(service, timeline)
  const closing = new AbortController()
  const backend = actionBackend(service, closing.signal)

  return {
    async handle(request) {
      try {
        return await answer(service, request, closing.signal)
      } catch (error) {
        if (error instanceof Refusal) return textReply(error.status, error.message)
        throw error
      }
    },
    upgrade: (request, message, socket, head) => handleAction(request, message, socket, head, backend),
    close() {
      closing.abort()
      scheduler.close()
      launcher.close()
      timeline.close()
    },
  }
}

function answer(service: Service, request: DevRequest, closed: AbortSignal): Promise<DevReply> | DevReply {
  const moved = redirect(request.rawPath)
  if (moved !== undefined) return moved
  const open = { ...request, signal: AbortSignal.any([request.signal, closed]) }
  if (request.rawPath === '/v1/jobs') return answerJobs(service, open)
  if (request.rawPath === '/v1/jobs/parse') return write(service, open, '', parseJob)
  if (request.rawPath.startsWith('/v1/job/')) return answerJob(service, open)
  return { status: 404 }
}

function answerJobs(service: Service, request: DevRequest): Promise<DevReply> | DevReply {
  if (request.method !== 'GET') return write(service, request, '', registerJob)
  checkRegion(request)
  const query = readQuery(request.query)
  return answerRead(service.store, request, query, () => listJobs(service.store, service.access, request, query))
}

function answerJob(service: Service, request: DevRequest): Promise<DevReply> | DevReply {
  const { id, word } = jobRoute(decodeURIComponent(request.rawPath.slice('/v1/job/'.length)))
  if (word === 'action') return withoutUpgrade(request)
  if (word === 'submission') submissionVersion(request)
  const read = jobReads[word]
  if (read !== undefined && (request.method === 'GET' || word === 'summary')) {
    return readJob(service, request, id, word)
  }
  const handlers = request.method === 'DELETE' ? jobDeletes : jobWrites
  const handler = handlers[word]
  if (handler === undefined) return invalidMethod
  return request.method === 'DELETE' ? change(service, request, id, handler) : write(service, request, id, handler)
}

function readJob(service: Service, request: DevRequest, id: string, word: string): Promise<DevReply> | DevReply {
  checkRegion(request)
  const query = readQuery(request.query)
  const { store } = service
  const { namespace } = query
  const capabilities = word === 'scale' ? ['read-job-scaling', 'read-job'] : ['read-job']
  service.access.demand(request, namespace, ...capabilities)
  const read = jobReads[word]
  if (read === undefined) return invalidMethod
  // Actions have no index to wait for (contract b.23).
  const asked = word === 'actions' ? { ...query, index: 0 } : query
  return answerRead(store, request, asked, () => read({ store, request, namespace, id }))
}

function write(service: Service, request: DevRequest, id: string, handler: WriteHandler): DevReply {
  if (request.method !== 'POST' && request.method !== 'PUT') return invalidMethod
  return change(service, request, id, handler)
}

function change(service: Service, request: DevRequest, id: string, handler: WriteHandler): DevReply {
  if (handler !== registerJob && handler !== parseJob) checkRegion(request)
  return handler({ ...service, request, namespace: namespaceOf(request.query), id })
}

function checkRegion(request: DevRequest): void {
  const region = request.query.get('region') ?? ''
  if (region !== '' && region !== 'global') throw new Refusal(500, 'No path to region')
}

const invalidMethod = textReply(405, 'Invalid method')
