// What a job's state is: what the server shows of it, how that is judged, and why something failed. Commands import from here.

export { deploymentProgress, groupFacts, groupsProgress, versionBack } from './deployment.ts'
export type { Goal, JudgeOptions } from './findings.ts'
export { createJudge, judge } from './judge.ts'
export type { Snapshot } from './judge.ts'
export { endedBadly, liveAllocations, noteStopped } from './live.ts'
export { placementFailures, placementLine } from './placement.ts'
export type { PlacementFailure } from './placement.ts'
export { failureMoment, failureReason, shortReason, taskFailures } from './reasons.ts'
export { restartCell, restartCount, restartsOf } from './restarts.ts'
export { createIndexOf, expectationOf, indexesOf } from './state.ts'
export type { Allocation, Deployment, Evaluation, Expectation, Part, Reading, WriteAnswer } from './state.ts'
export { isSuccess, nothingToWaitFor, succeeded, verdictLine } from './verdict.ts'
export type { Verdict } from './verdict.ts'
export {
  deploymentReason,
  groupOf,
  isCanaryReady,
  isCurrent,
  isOver,
  isSince,
  isTerminal,
  isUnderWay,
  momentsOf,
  jobVersion,
  rollbackOf,
  sumOf,
  unplacedBy,
  versionOf,
  workAsRead,
} from './work.ts'
export type { Work } from './work.ts'
