import type { Param, Params } from '../core/param.ts'
import { flagName, paramsOf } from '../core/param.ts'

/** The part of a command line before the first `--`. */
export function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}

/** Whether a token is a flag's name, long or short. */
export function isSpelling(token: string, key: string, param: Param): boolean {
  if (param.kind !== 'flag') return false
  return token.startsWith('--') ? flagName(key) === token : param.short !== undefined && token === `-${param.short}`
}

/** The flag with this long name. */
export function flagNamed(name: string, params: Params): Param | undefined {
  return paramsOf(params, 'flag').find(([key]) => flagName(key) === name)?.[1]
}
