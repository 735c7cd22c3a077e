import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import { didYouMean, fileReason, plural } from '../../core/words.ts'
import type { LineFlag } from '../../core/shell.ts'
import { shellQuote } from '../../core/shell.ts'

// Job files; `name` is that of the file
export const emptyFile = (name: string) => usageError(`${name} is empty`)
export const binaryFile = (name: string) => usageError(`${name} is a binary file, not a job file`)
export const onlyForHcl = (name: string, flag: string) =>
  usageError(`${name} is JSON, and ${flag} is for HCL: remove it`)
export const parsedAlready = (name: string) =>
  usageError(`${name} is JSON already; only HCL can be parsed`, 'job run and job plan accept JSON')
export function badJson(name: string, source: string, { offset, message }: { offset: number; message: string }) {
  const before = source.slice(0, offset).split('\n')
  return usageError(`${name}:${before.length}:${(before.at(-1) ?? '').length + 1}: ${message}`)
}
export const badJob = (name: string, why: string) => usageError(`${name} is not a job: it ${why}`)
export const otherNamespace = (name: string, namespace: string, flag: string) =>
  usageError(
    `-n ${flag} contradicts ${name}, which names the namespace ${namespace}`,
    `remove -n, or change the namespace in ${name}`,
  )
export const usingNamespace = (name: string, namespace: string, set: string) =>
  `using namespace ${namespace} from ${name}, not ${set} from the environment or profile`
export const contradiction = (name: string, member: string) =>
  usageError(`${name} has ${member} beside the job, which contradicts the flags; use only one of them`)
export const undeclared = (place: string, name: string, variable: string, declared: readonly string[]) =>
  usageError(
    `${place}: ${name} declares no variable '${variable}'${didYouMean(variable, declared)}`,
    declared.length === 0
      ? `declare it in ${name}: variable "${variable}" {}`
      : `it declares: ${declared.toSorted().join(', ')}`,
  )
export const unsetVariables = (names: readonly string[]) =>
  `set it: ${names.map((name) => `--var ${shellQuote(name)}=…`).join(' ')}, or --var-file <file>`
export const noServerFiles =
  'the server cannot read files: put the text into the job file, or pass it with --var name="$(cat file)"'
export const changedSinceRead = ({ commandLine }: Context, job: string, where: readonly LineFlag[]) =>
  `the job has changed since it was read; see: ${commandLine('job versions', job, ['--diffs'], ...where)}`

// Several jobs
export const notPrinted = (done: string, { message }: TugError) => `${done}, but ${message}`
export const changedSince = (name: string, seen: string, undone: string) =>
  new TugError('conflict', `${name} has changed since it was ${seen}, so it was not ${undone}`)

// Rows of a dispatch; `place` is `rows.ndjson:3` or `rows.csv: row 2`

// Single jobs
export const duplicateMeta = (key: string) => usageError(`--meta: duplicate key '${key}'`)
export const stoppedAllocations = ({ commandLine }: Context, job: string, count: number) =>
  `${plural(count, 'stopped allocation')}: ${commandLine('job allocs', job, ['--all'])}`
export const unwritable = (file: string, error: unknown) => usageError(`cannot write ${file}: ${fileReason(error)}`)
