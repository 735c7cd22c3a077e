import type { JsonObject } from '../../../core/json.ts'
import { parseJobHcl } from '../../hcl/parse-job.ts'
import { copyOf, text } from '../state/documents.ts'
import type { JobRecord } from '../state/model.ts'
import { startChild } from '../endpoints/dispatch.ts'
import { completeJob } from '../endpoints/validate.ts'
import { upsertJob } from '../endpoints/register.ts'
import * as files from './jobs.ts'
import type { Service } from '../api/write.ts'
import type { Timeline } from '../time/timeline.ts'

const hour = 3_600_000

/** Registers the demo jobs and replays a day of their past. */
export function seedJobs(service: Service, timeline: Timeline): void {
  timeline.rewind(26 * hour)
  service.store.namespaces.add('team-b')
  for (const id of ['legacy', 'team-a/site', 'café']) register(service, files.smallSource(id))
  register(service, files.cleanupSource)
  register(service, files.nightlySource)
  register(service, files.apiSource)
  register(service, files.webSource(files.webVersions[0]))
  timeline.advance(2 * hour)
  register(service, files.webSource(files.webVersions[1]))
  timeline.advance(6 * hour)
  register(service, files.webSource(files.webVersions[2]))
  const legacy = service.store.job('default', 'legacy') as JobRecord
  const stopped = Object.assign(copyOf(legacy.current), { Stop: true })
  upsertJob(service, legacy, stopped, { trigger: 'job-deregister', named: 0 })
  register(service, files.batchSource('batch-report', 0))
  register(service, files.batchSource('batch-broken', 3))
  timeline.advance(12 * hour)
  dispatch(service, 'b2c4d6e8', { source: 's3://example/orders' })
  register(service, files.batchSource('audit', 0), 'team-b')
  timeline.advance(3 * hour)
  register(service, files.webSource(files.webVersions[3]))
  register(service, files.stuckSource)
  dispatch(service, '0f1e2d3c', { source: 's3://example/returns', rows: '500' })
  timeline.toPresent()
}

const demoJobs = new Map<string, JsonObject>()

/** The job of a demo file. Each is read once: a process that runs tests starts many servers. */
function demoJob(source: string, namespace: string): JsonObject {
  const key = `${namespace} ${source}`
  const job =
    demoJobs.get(key) ??
    completeJob(parseJobHcl(source, { variables: '', variableFlags: {}, canonicalize: false }), namespace)
  demoJobs.set(key, job)
  return copyOf(job)
}

function register(service: Service, source: string, namespace = 'default'): void {
  const job = demoJob(source, namespace)
  const known = service.store.job(namespace, text(job, 'ID'))
  const submission = { Source: source, Format: 'hcl2', Variables: '', VariableFlags: null }
  upsertJob(service, known, job, { trigger: 'job-register', submission, named: 0 })
}

function dispatch(service: Service, suffix: string, meta: JsonObject): void {
  const { store } = service
  const seconds = Math.floor(store.clock.now().getTime() / 1000)
  const parent = store.job('default', 'nightly') as JobRecord
  startChild(service, parent, `nightly/dispatch-${seconds}-${suffix}`, { meta })
}
