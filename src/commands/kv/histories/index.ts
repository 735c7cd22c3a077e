// The whole history of a secret as a record: how it is read, compared with another, and written. Import from here.

export type { Follows } from './compare.ts'
export { compareSecret, settingDifferences } from './compare.ts'
export type { SecretRecord } from './record.ts'
export { readDeleted, readOutline, readSnapshot, secretShape } from './record.ts'
export { compareNow, otherHistory, restoreSecret } from './restore.ts'
export type { Comparison } from './steps.ts'
export { comparisonWords, temporarySettings } from './steps.ts'
