// What a secret is: how it and its metadata are read, and every write of its data and versions. Commands import from here.

export { decidePatch } from './patch.ts'
export { decidePut } from './put.ts'
export type { Metadata, Secret } from './read.ts'
export { findMetadata, findSecret, findSubkeys, readForEdit, readMetadata, readSecret, readUntil } from './read.ts'
export { changeVersions, decideVersions, pruneStage } from './version-change.ts'
export { readWrapped } from './wrap.ts'
export type { DataToWrite } from './write.ts'
export { createDataDecider, decideData, sendWrite, writeData } from './write.ts'
