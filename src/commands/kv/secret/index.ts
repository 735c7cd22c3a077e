// What a secret is: how it and its metadata are read, and every write of its data and versions. Commands import from here.

export type { DataToWrite } from './decide.ts'
export { createDataDecider, decideData, decidePatch, decidePut } from './decide.ts'
export type { CurrentState } from './deleted.ts'
export { currentStates, deletedFlags, isWithoutData } from './deleted.ts'
export type { Metadata, Secret } from './read.ts'
export {
  findMetadata,
  findSecret,
  findSubkeys,
  readForEdit,
  readMetadata,
  readSecret,
  readUntil,
  readWrapped,
} from './read.ts'
export { changeVersions, decideVersions, pruneStage } from './version-change.ts'
export { sendWrite, writeData } from './write.ts'
