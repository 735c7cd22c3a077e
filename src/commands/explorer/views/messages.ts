import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import { didYouMean } from '../../../core/words.ts'

// Names
export const severalNamed = (name: string, ids: readonly string[], hint: string) =>
  usageError(`${ids.length} saved views are named '${name}': ${ids.join(', ')}`, hint)
export const noSuchView = (name: string, names: readonly string[], { commandLine }: Context) =>
  new TugError('not_found', `there is no saved view '${name}'${didYouMean(name, names)}`, {
    hints: [`all saved views: ${commandLine('explorer views list')}`],
  })
export const noQuery = () =>
  new TugError('failed', 'unexpected response: the saved view has no query', {
    service: 'explorer',
    reason: 'unexpected_response',
    hints: ['is the address right? tug status shows what answers there'],
  })

// create, update
export const typeFixed = (name: string, stored: string, wanted: string, ...hints: string[]) =>
  usageError(
    `the saved view '${name}' queries ${stored}, its file ${wanted}; the type of a saved view cannot be changed`,
    ...hints,
  )

// Files
export const noView = (file: string) => usageError(`${file} has no saved view`)
export const severalViews = (file: string, count: number) =>
  usageError(`${file} has ${count} saved views, not one`, 'tug explorer views apply <file> takes files with several')
export const notAView = (file: string) =>
  usageError(`${file} does not contain a saved view: {name, query_type, query: {filter, fields, sort}}`)
export const queryNotObject = (file: string) => usageError(`${file}: query is not an object`)
export const unreadable = (file: string, { message }: Error) =>
  usageError(`cannot read ${file}: ${message.replace(/:?\n[^]*/, '')}`)
export const nestedTooDeeply = () => new RangeError('nested too deeply')
export const duplicateKey = (line: number, column: number) =>
  new RangeError(`Map keys must be unique at line ${line}, column ${column}`)

/** A misspelt key has its nearest name, any other the shape of a view. */
export function unknownKey(file: string, key: string, near: string): TugError {
  const shape =
    'a saved view is {name, query_type, query: {filter, fields, sort}}; a file has one, or a list of them (tug explorer views apply --help)'
  return usageError(`${file} has an unknown key '${key}'${near}`, ...(near === '' ? [shape] : []))
}
