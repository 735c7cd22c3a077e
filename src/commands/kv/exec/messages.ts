import type { Context } from '../../../core/context.ts'
import { usageError } from '../../../core/errors.ts'

export const sameVariable = (name: string) => usageError(`two keys would become the variable ${name}`, 'omit --upper')
export const notVariable = (key: string) => usageError(`the key '${key}' cannot be the name of a variable`)
export const nulInVariable = (key: string) =>
  usageError(`the value of '${key}' contains a NUL character, which a variable cannot contain`)
export const loaderVariables = ({ commandLine }: Context, path: string, names: readonly string[]) => {
  const allowed = names.flatMap((name) => ['--allow-env', name])
  return usageError(
    `${names.join(', ')}: ${names.length === 1 ? 'this variable decides' : 'these variables decide'} what programs load; nothing was run`,
    `give the names a prefix: ${commandLine('kv exec', path, '--prefix', 'APP_')} -- …`,
    `if that is intended: ${commandLine('kv exec', path, ...allowed)} -- …`,
  )
}
