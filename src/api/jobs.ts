import { endpoint } from '../core/endpoint.ts'
import type { AnswerForm, Infer, Shape } from '../core/shape.ts'
import { array, count, json, filled, integer, map, nullable, object, objectWith, string } from '../core/shape.ts'
import * as work from './allocation-shapes.ts'
import * as shapes from './job-shapes.ts'
import * as plans from './plan-shapes.ts'

// The endpoints of the scheduler's jobs API, in the order of its specification.

const readJobs = 'namespace:read-job'
const submit = 'namespace:submit-job'
const submitOrOverride = `${submit}, and namespace:policy-override with --policy-override`

/** An empty list may be null. */
function items<T>(of: Shape<T>): AnswerForm<readonly T[] | null> {
  return json(nullable(array(of)))
}

/** The index of something that exists. */
const index = integer(1)

/** A write that makes an evaluation; its ID is empty if none was made (periodic and parameterized jobs). */
const evaluated = json(
  objectWith({ EvalID: string, EvalCreateIndex: shapes.index, JobModifyIndex: index }, { 'Warnings?': string }),
)

export const list = endpoint('GET /v1/jobs', {
  acl: 'namespace:list-jobs',
  blocking: true,
  answers: items(shapes.stub),
})

export const register = endpoint('POST /v1/jobs', { acl: submitOrOverride, answers: evaluated })

export const parse = endpoint('POST /v1/jobs/parse', {
  acl: 'namespace:parse-job or namespace:submit-job',
  answers: json(shapes.parsedJob),
  effect: 'reads',
})

export const read = endpoint('GET /v1/job/{job}', {
  acl: readJobs,
  blocking: true,
  answers: json(shapes.job),
})

const keptFile = object({
  Source: string,
  'JobID?': string,
  'Namespace?': string,
  'Version?': count(),
  'Format?': string,
  'Variables?': string,
  'VariableFlags?': map(string),
  'JobModifyIndex?': shapes.index,
  'JobIndex?': shapes.index,
})

/** The job file that a server keeps of a version. */
export type KeptFile = Infer<typeof keptFile>

export const submission = endpoint('GET /v1/job/{job}/submission', {
  acl: readJobs,
  answers: json(keptFile),
})

export const versions = endpoint('GET /v1/job/{job}/versions', {
  acl: readJobs,
  blocking: true,
  answers: json(object({ Versions: array(shapes.job), 'Diffs?': array(nullable(plans.diff)) })),
})

export const allocations = endpoint('GET /v1/job/{job}/allocations', {
  acl: readJobs,
  blocking: true,
  answers: items(work.allocation),
})

export const evaluations = endpoint('GET /v1/job/{job}/evaluations', {
  acl: readJobs,
  blocking: true,
  answers: items(work.evaluation),
})

export const deployments = endpoint('GET /v1/job/{job}/deployments', {
  acl: readJobs,
  blocking: true,
  answers: items(work.deployment),
})

/** The newest deployment; null for a job without any, and for an unknown job. */
export const deployment = endpoint('GET /v1/job/{job}/deployment', {
  acl: readJobs,
  blocking: true,
  answers: json(nullable(work.deployment)),
})

export const summary = endpoint('GET /v1/job/{job}/summary', {
  acl: readJobs,
  blocking: true,
  answers: json(shapes.summary),
})

export const update = endpoint('POST /v1/job/{job}', { acl: submitOrOverride, answers: evaluated })

export const dispatch = endpoint('POST /v1/job/{job}/dispatch', {
  acl: 'namespace:dispatch-job',
  answers: json(object({ DispatchedJobID: filled, 'EvalID?': string, 'EvalCreateIndex?': integer() })),
})

export const revert = endpoint('POST /v1/job/{job}/revert', { acl: submit, answers: evaluated })

export const markStable = endpoint('POST /v1/job/{job}/stable', {
  acl: submit,
  answers: json(objectWith({ JobModifyIndex: index, Index: index })),
})

export const evaluate = endpoint('POST /v1/job/{job}/evaluate', {
  acl: submit,
  answers: json(object({ EvalID: filled, 'EvalCreateIndex?': integer(), 'JobModifyIndex?': integer() })),
})

export const plan = endpoint('POST /v1/job/{job}/plan', {
  acl: submitOrOverride,
  answers: json(plans.plan),
  effect: 'reads',
})

export const forcePeriodic = endpoint('POST /v1/job/{job}/periodic/force', {
  acl: 'namespace:dispatch-job or namespace:submit-job',
  answers: json(object({ EvalID: filled, 'EvalCreateIndex?': integer(), 'JobModifyIndex?': integer() })),
})

/** For an unknown job the answer has an empty evaluation, or none, and index 0 (docs/servers.md, Stopping). */
export const stop = endpoint('DELETE /v1/job/{job}', {
  acl: submit,
  answers: json(objectWith({ EvalID: string, EvalCreateIndex: integer(), JobModifyIndex: integer() })),
})

export const scaleStatus = endpoint('GET /v1/job/{job}/scale', {
  acl: 'namespace:read-job-scaling or namespace:read-job',
  blocking: true,
  answers: json(shapes.scaling),
})

export const scale = endpoint('POST /v1/job/{job}/scale', {
  acl: 'namespace:scale-job or namespace:submit-job, and namespace:policy-override with --policy-override',
  answers: json(
    object({ JobModifyIndex: index, 'EvalID?': string, 'EvalCreateIndex?': integer(), 'Warnings?': string }),
  ),
})

export const services = endpoint('GET /v1/job/{job}/services', {
  acl: readJobs,
  blocking: true,
  answers: items(shapes.service),
})

export const actions = endpoint('GET /v1/job/{job}/actions', {
  acl: readJobs,
  answers: items(shapes.action),
})

export const action = endpoint('GET /v1/job/{job}/action', {
  acl: 'namespace:alloc-exec, and namespace:alloc-node-exec if the task driver does not isolate the file system',
  answers: { form: 'upgrade' },
  effect: 'writes',
})
