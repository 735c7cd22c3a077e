import { cleanPath } from '../../go.ts'
import type { DevReply } from '../../http.ts'
import { evaluateJob, forcePeriodic, markStable, revertJob, stopJob } from './changes.ts'
import { dispatchJob } from './dispatch.ts'
import { planJob } from './plan.ts'
import { registerJob } from './register.ts'
import { scaleJob } from './scale.ts'
import { words } from '../state/documents.ts'
import type { WriteHandler } from '../api/write.ts'

/** What a path below `/v1/job/` names: a job, whose ID may contain slashes, and the endpoint's word, empty for the job itself. */
export interface JobRoute {
  readonly id: string
  readonly word: string
}

/** Writes by their last word. POST and PUT mean the same. */
export const jobWrites: Readonly<Record<string, WriteHandler>> = {
  '': registerJob,
  dispatch: dispatchJob,
  revert: revertJob,
  stable: markStable,
  evaluate: evaluateJob,
  plan: planJob,
  'periodic/force': forcePeriodic,
  scale: scaleJob,
}

/** Deletes by their last word. */
export const jobDeletes: Readonly<Record<string, WriteHandler>> = { '': stopJob }

const endings = words(`
  periodic/force dispatch revert stable evaluate plan scale submission versions allocations evaluations deployments
  deployment summary services actions action
`)

/** Splits the decoded rest of a path. */
export function jobRoute(rest: string): JobRoute {
  const word = endings.find((candidate) => rest.endsWith(`/${candidate}`)) ?? ''
  return { id: word === '' ? rest : rest.slice(0, -word.length - 1), word }
}

/** A redirect to the path without `//`, `.` and `..`, undefined for a clean one. */
export function redirect(rawPath: string): DevReply | undefined {
  const clean = rawPath === '/v1/job' ? '/v1/job/' : cleanPath(rawPath)
  if (clean === rawPath) return undefined
  const body = `<a href="${clean}">Temporary Redirect</a>.\n\n`
  return { status: 307, headers: { 'content-type': 'text/html; charset=utf-8', location: clean }, body }
}
