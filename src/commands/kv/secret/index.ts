// What a secret is: its path, how it is read and written, its versions, and why it is missing. Commands import from here.

export type { Follows } from './compare.ts'
export { compareSecret, engineDifferences } from './compare.ts'
export { listFolder, readConfig, refuseVersion1 } from './engine.ts'
export {
  explainMissing,
  failureFor404,
  forFolder,
  goneVersion,
  goneVersionIn,
  isGone,
  isMissing,
  listHint,
  seeVersions,
  withoutFolder,
} from './missing.ts'
export {
  asFolder,
  asSecret,
  below,
  comparePaths,
  folderOf,
  folderPath,
  folderWords,
  isFolder,
  placeHints,
  refuseMisplaced,
  refuseMisplacedIn,
  relativeTo,
  secretOrFolder,
  secretPath,
  secretsOrFolders,
} from './paths.ts'
export type { Metadata, Present, Secret } from './read.ts'
export {
  ifLive,
  ifThere,
  readMetadata,
  readOneOfMany,
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
export {
  checkCustomMetadata,
  customMetadataFlag,
  deleteAfterColumn,
  engineSettings,
  isSameSetting,
  maxVersionsColumn,
  secretSettings,
  settingEntries,
} from './settings.ts'
export type { Comparison } from './steps.ts'
export { comparisonWords, temporarySettings } from './steps.ts'
export type { VersionChange } from './version-change.ts'
export { decideDeletion, decideVersions, lineWithSpan, pruneStage, verifyFlags } from './version-change.ts'
export type { Version, VersionState } from './versions.ts'
export { currentVersion, momentOf, momentWords, stateOf, versionWords, versionsFlag, versionsOf } from './versions.ts'
export type { Entry, FoundPath, WalkOptions } from './walk.ts'
export { readFound, secretsBelow, secretsIn, secretsToWrite, walk } from './walk.ts'
export type { PresentData } from './write.ts'
export {
  appliedData,
  checkVersion,
  createListing,
  dataParts,
  decideData,
  isPatchRefused,
  keyColumns,
  keyFacts,
  readPresentData,
  seeChanges,
  sendWrite,
  writeSecret,
  written,
} from './write.ts'
