// What a secret is: its path, how it is read and written, its versions, and why it is missing. Commands import from here.

export type { Follows } from './compare.ts'
export { compareSecret, engineDifferences } from './compare.ts'
export { listFolder, readConfig, refuseVersion1 } from './engine.ts'
export { placeHints, refuseMisplaced, refuseMisplacedIn } from './misplaced.ts'
export {
  explainMissing,
  failureFor404,
  forFolder,
  goneVersion,
  isGone,
  isMissing,
  listHint,
  seeVersions,
  withoutFolder,
} from './missing.ts'
export type { Metadata, Present, Secret } from './read.ts'
export {
  fetchSecret,
  ifLive,
  ifThere,
  presentOf,
  readMetadata,
  readPresent,
  readSecret,
  readVersion,
  subkeysIn,
} from './read.ts'
export type { EngineConfig, SecretRecord, VersionRecord } from './record.ts'
export {
  currentOf,
  engineShape,
  outlineOf,
  readDeleted,
  readEngine,
  readOutline,
  readSnapshot,
  secretShape,
} from './record.ts'
export { compareNow, otherHistory, restoreSecret } from './restore.ts'
export type { Comparison } from './steps.ts'
export { comparisonWords, temporarySettings } from './steps.ts'
export type { VersionChange } from './version-change.ts'
export { decideDeletion, decideVersions, lineWithSpan, pruneStage, verifyFlags } from './version-change.ts'
export type { Version, VersionState } from './versions.ts'
export { currentVersion, versionWords, versionsFlag, versionsOf } from './versions.ts'
export type { Entry, FoundPath, WalkOptions } from './walk.ts'
export { readFound, secretsBelow, secretsIn, secretsToWrite, walk } from './walk.ts'
export type { PresentData } from './write.ts'
export {
  appliedData,
  checkVersion,
  createPresentReader,
  decideData,
  isPatchRefused,
  keyColumns,
  keyFacts,
  patchOfGone,
  patchSecret,
  readPresentData,
  seeChanges,
  sendWrite,
  writeSecret,
} from './write.ts'
