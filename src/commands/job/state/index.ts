// What a job's state is, and how it is judged: commands ask `diagnose` about a job as it is now, and `follow` about work that a write has
// started. What one allocation, deployment or evaluation shows by itself is in `facts/`.

export { follow, look, outcomeLine, unread } from './follow.ts'
export type { Reader, Snapshot } from './follow.ts'
export { diagnose, failedVersion, groupCounts } from './health.ts'
export type { Answers, GroupCounts, Health } from './health.ts'
export type { Goal, LineAbout } from './judgement.ts'
export { expectationOf } from './state.ts'
export type { Expectation, Part, Reading, WriteAnswer } from './state.ts'
