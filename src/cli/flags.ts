import { usageError } from '../core/errors.ts'
import { didYouMean } from '../core/nearest.ts'
import type { Param, Params } from '../core/param.ts'
import { flagName } from '../core/param.ts'
import { cutAtDashes, isFlag } from './route.ts'

/** A command line in one form: every flag with its value, the arguments, and what followed `--`. */
export interface NormalLine {
  /** `--page-size=20`, in the order typed; booleans as `--purge=true`. */
  readonly flags: readonly string[]
  /** Arguments, the command's words among them. */
  readonly positionals: readonly string[]
  /** The words after `--`; undefined where there is none. */
  readonly after: readonly string[] | undefined
}

/**
 * Brings flags into one form (`-s x`, `-sx`, `--sort x`, `--sort=x`, `-qy`). Throws a usage error for an unknown flag, a
 * flag without its value, a value that is a known flag, and a boolean with a value that is none.
 */
export function normalLine(argv: readonly string[], params: Params, place: string): NormalLine {
  const { tokens, after } = cutAtDashes(argv)
  const table = flagTable(params)
  const flags: string[] = []
  const positionals: string[] = []
  let index = 0

  const valueFor = (name: string, inline: string | undefined): string => {
    if (inline !== undefined) return inline
    index += 1
    const value = tokens[index]
    if (value === undefined) throw usageError(`${name} needs a value`, help(place))
    if (value.startsWith('--') && table.long.has(value.split('=')[0] as string)) {
      throw usageError(
        `${name} needs a value; '${value}' is a flag itself`,
        `to mean it as the value: ${name}=${value}`,
      )
    }
    return value
  }

  for (; index < tokens.length; index += 1) {
    const token = tokens[index] as string
    if (!isFlag(token)) positionals.push(token)
    else if (token.startsWith('--')) flags.push(longFlag(token))
    else flags.push(...shortFlags(token))
  }
  return { flags, positionals, after }

  function longFlag(token: string): string {
    const equals = token.indexOf('=')
    const name = equals === -1 ? token : token.slice(0, equals)
    const inline = equals === -1 ? undefined : token.slice(equals + 1)
    if (name === '--help') return '--help=true'
    const param = table.long.get(name)
    if (param === undefined) {
      throw usageError(`unknown flag '${name}'.${didYouMean(name, [...table.long.keys(), '--help'])}`, help(place))
    }
    if (!param.boolean) return `${name}=${valueFor(name, inline)}`
    if (inline !== undefined && !['true', 'false'].includes(inline)) {
      throw usageError(`${name} is a switch: write ${name}, ${name}=true or ${name}=false, not '${inline}'`)
    }
    return `${name}=${inline ?? 'true'}`
  }

  function shortFlags(token: string): string[] {
    const found: string[] = []
    for (let at = 1; at < token.length; at += 1) {
      const letter = token[at] as string
      const name = letter === 'h' ? '--help' : table.short.get(letter)
      if (name === undefined) {
        const where = token.length === 2 ? '' : ` in '${token}'`
        throw usageError(`unknown flag '-${letter}'${where}`, help(place))
      }
      const param = table.long.get(name)
      if (param === undefined || param.boolean) found.push(`${name}=true`)
      else {
        const rest = token.slice(at + 1).replace(/^=/, '')
        found.push(`${name}=${valueFor(`-${letter}`, rest === '' ? undefined : rest)}`)
        break
      }
    }
    return found
  }
}

function flagTable(params: Params) {
  const long = new Map<string, Param>()
  const short = new Map<string, string>()
  for (const [key, param] of Object.entries(params)) {
    if (param.kind !== 'flag') continue
    long.set(flagName(key), param)
    if (param.short !== undefined) short.set(param.short, flagName(key))
  }
  return { long, short }
}

function help(place: string): string {
  return `${place} --help shows the flags`
}
