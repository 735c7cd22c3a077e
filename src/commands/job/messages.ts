import type { Context } from '../../core/context.ts'
import { usageError } from '../../core/errors.ts'
import { didYouMean } from '../../core/words.ts'

// Job files; `name` is that of the file
export const emptyFile = (name: string) => usageError(`${name} is empty`)
export const binaryFile = (name: string) => usageError(`${name} is a binary file, not a job file`)
export const uselessFlag = (name: string, flag: string) => usageError(`${name} is JSON; remove ${flag}`)
export const parsedAlready = (name: string) =>
  usageError(`${name} is JSON already; only HCL can be parsed`, 'job run and job plan accept JSON')
export function badJson(name: string, source: string, { offset, message }: { offset: number; message: string }) {
  const before = source.slice(0, offset).split('\n')
  return usageError(`${name}:${before.length}:${(before.at(-1) ?? '').length + 1}: ${message}`)
}
export const badJob = (name: string, why: string) => usageError(`${name} is not a job: it ${why}`)
export const noJob = (name: string, isHcl: boolean) =>
  usageError(
    `${name} is JSON, but not a job: it has no "ID"`,
    isHcl
      ? 'this looks like the JSON form of HCL; write it as HCL, or as what `tug job parse` prints'
      : 'a job looks like what `tug job get <job> -o json` or `tug job parse` prints, bare or as {"Job": …}',
  )
export const otherJob = (name: string, id: string, wanted: string) =>
  usageError(
    `${name} contains the job '${id}', not '${wanted}'; nothing was registered`,
    'job run registers whatever job the file contains',
  )
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
  `set it: ${names.map((name) => `--var ${name}=…`).join(' ')}, or --var-file <file>`
export const noServerFiles =
  'the server cannot read files: put the text into the job file, or pass it with --var name="$(cat file)"'
export const registersStopped = 'the file contains "Stop": true, so the job is registered as stopped (false starts it)'
export const largeSource = (bytes: number) =>
  `the job file has ${(bytes / 1e6).toFixed(1)} MB: the server may have registered the job without storing its source`
export const changedSinceRead = ({ commandLine }: Context, job: string, where: readonly string[]) =>
  `the job has changed since it was read; see: ${commandLine('job versions', job, '--diffs', ...where)}`
