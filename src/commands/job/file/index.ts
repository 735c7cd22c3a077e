// What a job file is: which files there are, how one is read and parsed, and its variables. Commands import from here.

export { jobFileFlags, jobFileFrom, jobFileParams, namespaceIn, namespaceOf, readJobFile } from './file.ts'
export type { JobFile } from './file.ts'
export { isOneFile, jobFilesOf, readJobFiles, variablesBeside } from './files.ts'
export type { Problem } from './files.ts'
export { parseJobFile, submissionOf } from './parse.ts'
export { declaredIn, variablesText } from './variables.ts'
