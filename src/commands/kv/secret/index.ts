// What a secret is: the state of a version, its metadata, and every write of data and versions. Commands import from here.

export { explainMissing, failureFor404, goneVersion, seeVersions } from './missing.ts'
export { decidePatch } from './patch.ts'
export type { Metadata, Present, Secret } from './read.ts'
export {
  findMetadata,
  findSecret,
  findSubkeys,
  readForEdit,
  readMetadata,
  readPresent,
  readSecret,
  readUntil,
} from './read.ts'
export type { VersionChange } from './version-change.ts'
export { decideDeletion, decideVersions, lineWithFlag, pruneStage, verifyFlags } from './version-change.ts'
export type { Version, VersionState } from './versions.ts'
export { versionWords, versionsFlag } from './versions.ts'
export {
  checkVersion,
  createPresentReader,
  decideData,
  guardedWrite,
  keyColumns,
  keyFacts,
  sendWrite,
  writeSecret,
} from './write.ts'
