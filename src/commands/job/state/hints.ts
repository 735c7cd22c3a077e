import { promoteLines } from '../facts/deployment.ts'
import type { Hint } from './judgement.ts'

// What to do next, each made of one command line.

/** In a row of all jobs, the status of the job says more. */
const closer =
  (hint: Hint): Hint =>
  (facts) =>
    facts.place === 'fleet' ? facts.line('job status') : hint(facts)

/** The product's command, which is not among the endpoints that `tug` has. */
export const seeNodes: Hint = () => 'nomad node status'
export const changeFileOrNodes: Hint = () => 'change the job file, or add nodes: nomad node status'
export const changeFile: Hint = () => 'change the job file, then tug job plan <file>'
export const addRoom: Hint = () => 'add nodes, or raise its priority in the job file'
export const seeEvaluations: Hint = ({ line }) => `details: ${line('job evals')}`
export const seeAllocations: Hint = closer(({ line }) => `details: ${line('job allocs')}`)
export const startIt: Hint = ({ line }) => `start it again: ${line('job start')}`
export const seeChanges: Hint = ({ line }) => `what changed: ${line('job versions', ['--diffs'])}`
export const seeSuccessor: Hint = ({ line }) => `the job that has this ID now: ${line('job get')}`
export const evaluateIt: Hint = ({ line }) => `let the scheduler look at it again: ${line('job evaluate')}`

/** A wait has ended; what it shows may go on. */
export const followIt: Hint = closer(({ line, place }) => {
  if (place === 'wait') return `details: ${line('job allocs')}`
  return place === 'watch' ? '' : `follow it: ${line('job status', ['--watch'])}`
})

/** After a rollback the failed allocations are stopped. */
export const seeStopped: Hint = closer(({ line }) => `fix the job file; what failed: ${line('job allocs', ['--all'])}`)

/** Suggests to go back, if there is a version for that, or to fix the job file. */
export const recovery: Hint = closer(({ line, back }) => {
  if (back === undefined) return `fix the job file, or find a stable version: ${line('job versions')}`
  return back === null
    ? 'there is no healthy version to go back to; fix the job file, then run tug job plan <file>'
    : `go back to version ${back}, which was healthy: ${line('job revert', String(back), ['--wait'])}`
})

export function promote(deployment: string, namespace: string | undefined): Hint {
  return () => promoteLines(deployment, namespace)
}
