// What a mount contains: which engine it is, its folders, and paths that name the mount by mistake. Import from here.

export { isReadAsVersion1, readConfig, refuseVersion1, requireVersion2, showsVersion2, wrongEngine } from './engine.ts'
export { listFolder, listHint, misplacedHints } from './list.ts'
export { refuseMisplaced, refuseMisplacedIn } from './misplaced.ts'
export type { Entry, FoundPath } from './walk.ts'
export { secretsAsked, secretsToWrite, workBelow } from './targets.ts'
export { readFound, secretsBelow, secretsIn, walk } from './walk.ts'
