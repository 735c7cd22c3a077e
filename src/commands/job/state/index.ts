// What a job's state is: what the server shows of it, how that is judged, and why something failed. Commands import from here.

export { endedBadly, liveAllocations, restartsOf } from './allocations.ts'
export { deploymentProgress, isOver, versionBack } from './deployment.ts'
export type { Goal } from './findings.ts'
export { follow, look, outcomeLine, unread } from './follow.ts'
export type { Reader, Snapshot } from './follow.ts'
export { diagnose, failedVersion, groupCounts, needsEvaluations } from './health.ts'
export type { Answers, GroupCounts, Health } from './health.ts'
export { placementFailures, placementLine } from './placement.ts'
export { failureReason, shortReason } from './reasons.ts'
export { expectationOf } from './state.ts'
export type { Expectation, Part, Reading, WriteAnswer } from './state.ts'
export { isSuccess, verdictLine } from './verdict.ts'
