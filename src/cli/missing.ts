import type { Command } from '../core/command.ts'
import type { TugError } from '../core/errors.ts'
import { usageError } from '../core/errors.ts'
import type { Param } from '../core/param.ts'
import { labelOf } from '../core/param.ts'
import { shellQuote } from '../core/shell.ts'
import type { Route } from './route.ts'
import { positionalsOf } from './route.ts'

/** Names the arguments that are missing, and where they belong; one that was typed may be the value of a later one. */
export function missingArgument(typed: readonly string[], route: Route, place: string): TugError {
  const required = positionalsOf(route).filter(([, param]) => param.required)
  const labels = required.map(([key, param]) => labelOf(key, param))
  const { target, words, rest } = route
  const example = target?.kind === 'command' ? target.examples[0]?.line.split(' ')[words.length] : undefined
  const isMisplaced = typed.length === 1 && !isAccepted(typed[0], required[0]) && isAccepted(typed[0], required[1])
  const first = isMisplaced ? 0 : typed.length
  const [, param] = required[first] ?? []
  const choices = param?.choices === undefined ? '' : ` (${param.choices.join(', ')})`
  const meaning = `: ${param?.summary}${choices}`
  if (isMisplaced && labels[1] !== undefined && example !== undefined) {
    const line = [example, ...rest].map(shellQuote).join(' ')
    return usageError(`${labels[0]} is missing before ${labels[1]} '${typed[0]}'${meaning}`, `${place} ${line}`)
  }
  const hint = target?.kind === 'command' ? exampleOf(target, place) : `${place} --help`
  const missing = labels.slice(first)
  if (missing.length > 1) return usageError(`${missing.join(' and ')} are required`, hint)
  return usageError(`${missing[0]} is required${first === 0 ? '' : ` after ${labels[first - 1]}`}${meaning}`, hint)
}

function isAccepted(text: string | undefined, [, param]: readonly [string?, Param?] = []): boolean {
  try {
    if (text !== undefined) param?.read([text], '')
    return param !== undefined
  } catch {
    return false
  }
}

/** A command line of the command's examples. */
export function exampleOf({ examples: [shown] }: Command, place: string): string {
  return shown === undefined ? `${place} --help shows how it is used` : `for example: tug ${shown.line}`
}

/**
 * The line that was typed, with a flag that it lacks and the value that the examples have for it. A number from an example
 * could destroy the wrong version when pasted, so its placeholder is shown instead.
 */
export function lineWith(
  flag: string,
  { placeholder }: Param,
  { examples }: Command,
  { rest }: Route,
  place: string,
): string {
  const value = examples.map(({ line }) => line.split(`${flag} `)[1]?.split(' ')[0]).find((one) => one !== undefined)
  if (value === undefined || rest.includes('--')) return `${place} --help shows how it is used`
  const line = [place, ...rest.map(shellQuote), flag].join(' ')
  return /^\d/.test(value) ? `write: ${line} <${placeholder ?? 'n'}>` : `for example: ${line} ${value}`
}
