import { usageError } from './errors.ts'
import { didYouMean } from './words.ts'
import { parseDuration, parseLongDuration } from './duration.ts'

/** The kind of names that completion offers for a value. */
export type CompletionKind =
  | 'file'
  | 'directory'
  | 'profile'
  | 'explorer-view'
  | 'explorer-field'
  | 'explorer-filter'
  | 'saved-view'
  | 'secret-path'
  | 'secret-field'
  | 'kmip-scope'
  | 'kmip-role'
  | 'kmip-serial'
  | 'kmip-operation'
  | 'job'
  | 'job-group'
  | 'job-task'
  | 'job-action'
  | 'job-alloc'
  | 'job-version'
  | 'topic'

/** An argument or flag of a command: spelling, meaning and destination. */
export interface Param<T = unknown> {
  /** Where the value goes: into the path or the query of the request, or only to the command's code. */
  readonly place: 'path' | 'query' | 'local'
  readonly summary: string
  readonly kind: 'argument' | 'flag'
  readonly required: boolean
  /** Takes several values: the remaining arguments, or a repeatable flag. */
  readonly repeatable: boolean
  /** A boolean flag (`--purge`, `--purge=false`). */
  readonly boolean: boolean
  /** The name in the query if it isn't the key. */
  readonly wire?: string
  readonly short?: string
  /** The value in help: `<placeholder>`. */
  readonly placeholder?: string
  readonly choices?: readonly string[]
  readonly complete?: CompletionKind
  /** Suggestions for completion; other values are valid too. */
  readonly offers?: readonly string[]
  /** The default value in help. */
  readonly defaultText?: string
  /** For arguments of the form `key=value`: whether errors may show the value. By default they don't. */
  readonly showsValue?: (key: string) => boolean
  /** Takes everything after `--`, literally. */
  readonly passThrough?: boolean
  /** Keys of params; this one requires one of them. */
  readonly needs?: readonly string[]
  /** Keys of params that cannot be used together with this one. */
  readonly excludes?: readonly string[]
  /** Parses the typed strings, if any. Throws a usage error that names `label`. */
  read(texts: readonly string[], label: string): T
}

export type Params = Readonly<Record<string, Param>>

/** The values that a command's `run` gets, by the keys of its params. */
export type Input<P extends Params> = { readonly [K in keyof P]: P[K] extends Param<infer T> ? T : never }

export interface Options {
  readonly required?: boolean
  readonly wire?: string
  readonly short?: string
  readonly placeholder?: string
  readonly complete?: CompletionKind
  readonly offers?: readonly string[]
  readonly defaultText?: string
  readonly showsValue?: (key: string) => boolean
  readonly needs?: readonly string[]
  readonly excludes?: readonly string[]
}

type Maybe<T, O> = O extends { required: true } ? T : T | undefined

/** Parses one typed string; throws {@link RangeError} with the reason, without the label. */
type Reader<T> = (text: string) => T

type Base = Pick<Param, 'place' | 'kind'>

/** A param with one value. */
function single<T, const O extends Options>(
  { place, kind }: Base,
  summary: string,
  read: Reader<T>,
  options?: O,
  defaults: Partial<Param> = {},
) {
  const param: Param<T | undefined> = {
    place,
    kind,
    summary,
    required: false,
    repeatable: false,
    boolean: false,
    ...(defaults as object),
    ...options,
    read(texts, label) {
      const text = texts.at(-1)
      return text === undefined ? undefined : readLabelled(read, text, label)
    },
  }
  return param as Param<Maybe<T, O>>
}

function several<T>(
  { place, kind }: Base,
  summary: string,
  read: Reader<T>,
  options?: Options,
  placeholder?: string,
): Param<T[]> {
  return {
    place,
    kind,
    summary,
    required: false,
    repeatable: true,
    boolean: false,
    ...(placeholder === undefined ? {} : { placeholder }),
    ...options,
    read: (texts, label) => texts.map((text) => readLabelled(read, text, label)),
  }
}

/** Reads a string. If the reader rejects it, throws a usage error that begins with the label. */
export function readLabelled<T>(read: Reader<T>, text: string, label: string): T {
  try {
    return read(text)
  } catch (error) {
    if (error instanceof RangeError) throw usageError(`${label}: ${error.message}`)
    throw error
  }
}

function readText(text: string, options: Options | undefined): string {
  if (text === '' && options?.complete === 'file') throw new RangeError('the name of the file is empty')
  if (text === '' && options?.complete === 'directory') throw new RangeError('the name of the folder is empty')
  if (text === '-' && options?.complete === 'directory')
    throw new RangeError("'-' is not a folder; for one of this name write ./-")
  return text
}

/** Constructors of params with one destination. */
function constructors(base: Base) {
  return {
    /** Any string. */
    text: <const O extends Options>(summary: string, options?: O) =>
      single(base, summary, (text) => readText(text, options), options, { placeholder: 'text' }),
    /** Any strings, in order. */
    texts: <const O extends Options>(summary: string, options?: O) =>
      several(base, summary, (text) => readText(text, options), options, 'text'),
    /**
     * `a,b`, repeatable; blanks around items are dropped, empty items rejected. With `clears`, an empty string is an empty list;
     * `item` reads one item.
     */
    list: (
      summary: string,
      options: Options & { clears?: boolean; item?: Reader<string> } = {},
    ): Param<string[] | undefined> => {
      const { clears = false, item = (text: string) => text, ...more } = options
      const readItems = (text: string) => {
        if (clears && text === '') return []
        const items = text.split(',').map((one) => one.trim())
        if (items.includes('')) throw new RangeError(`'${text}' has an empty item (a stray comma)`)
        return items.map(item)
      }
      const { read, ...param } = several(base, summary, readItems, more, 'a,b')
      return { ...param, read: (texts, label) => (texts.length === 0 ? undefined : read(texts, label).flat()) }
    },
    /** An integer within limits. */
    integer: <const O extends Options & { min?: number; max?: number }>(summary: string, options?: O) =>
      single(base, summary, (text) => readInteger(text, options?.min, options?.max), options, { placeholder: 'n' }),
    /** A boolean flag; undefined if absent. */
    boolean: <const O extends Options>(summary: string, options?: O) =>
      single(base, summary, (text) => text === 'true', options, { boolean: true }),
    /** One of several words; `meant` maps synonyms to choices, `advice` has hints for other words. */
    choice: <const C extends string, const O extends Options & Alternatives<C>>(
      summary: string,
      choices: readonly C[],
      options?: O,
    ) =>
      single(base, summary, (text) => readChoice(text, choices, options), options, {
        placeholder: choices.join('|'),
        choices,
      }),
    /** A duration in milliseconds: `30s`, `1h30m`, `7d`, or seconds. */
    duration: <const O extends Options>(summary: string, options?: O) =>
      single(base, summary, parseDuration, options, { placeholder: 'duration' }),
    /** A duration that is usually in days; print its `warning`. */
    longDuration: <const O extends Options>(summary: string, options?: O) =>
      single(base, summary, parseLongDuration, options, { placeholder: 'duration' }),
    /** A custom value parsed from one string; throw RangeError with the reason if it is invalid. */
    of: <T, const O extends Options>(summary: string, read: Reader<T>, options?: O) =>
      single(base, summary, read, options),
    /** Custom values, each parsed from one string. */
    each: <T, const O extends Options>(summary: string, read: Reader<T>, options?: O) =>
      several(base, summary, read, options),
  }
}

/** Arguments and flags that the command's own code uses. */
export const argument = constructors({ place: 'local', kind: 'argument' })
export const flag = constructors({ place: 'local', kind: 'flag' })
/** Flags that go into the query. */
export const query = constructors({ place: 'query', kind: 'flag' })

const inPath: Base = { place: 'path', kind: 'argument' }

/** Arguments that go into the path. */
export const path = {
  /** One segment: not empty, `.` or `..`, no control characters; a slash inside is encoded. */
  segment: (summary: string, options: Omit<Options, 'required'> = {}) =>
    single(inPath, summary, readSegment, { required: true, ...options } as const),
  /** One segment without a slash. */
  name: (summary: string, options: Omit<Options, 'required'> = {}) =>
    single(inPath, summary, readName, { required: true, ...options } as const),
  /** Several segments separated by slashes; no slash at the end. */
  segments: (summary: string, options: Omit<Options, 'required'> = {}) =>
    single(inPath, summary, readSegments, { required: true, ...options } as const),
  /** A folder: several segments, a slash at the end allowed and dropped, or nothing for the root. */
  folder: (summary: string, options: Options = {}) =>
    single(inPath, summary, readFolder, options, { placeholder: 'path' }),
}

/** Everything after `--`: the command to run. */
export function passThrough(summary: string): Param<string[]> {
  return {
    ...several({ place: 'local', kind: 'argument' }, summary, (text) => text, { placeholder: 'command…' }),
    required: true,
    passThrough: true,
  }
}

/** The params of one kind, with their keys. */
export function paramsOf(params: Params, kind: Param['kind']): readonly (readonly [key: string, param: Param])[] {
  return Object.entries(params).filter(([, param]) => param.kind === kind)
}

/** The flag's spelling: `pageSize` → `--page-size`. */
export function flagName(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** An argument or flag in messages: `--page-size`, `<view>`. */
export function labelOf(key: string, param: Param): string {
  if (param.kind === 'flag') return flagName(key)
  const name = flagName(key).slice(2)
  return `<${param.choices === undefined ? (param.placeholder ?? name) : name}>`
}

/** A decimal integer within limits. Throws RangeError. */
export function readInteger(text: string, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER): number {
  if (!/^[+-]?\d+$/.test(text.trim())) throw new RangeError(`'${text}' is not a whole number`)
  const value = Number(text)
  if (value < min || value > max) {
    const bounds = max === Number.MAX_SAFE_INTEGER && value < min ? `at least ${min}` : `between ${min} and ${max}`
    throw new RangeError(`${text} is out of range: it must be ${bounds}`)
  }
  return value
}

interface Alternatives<C> {
  readonly meant?: Readonly<Record<string, C>>
  readonly advice?: Readonly<Record<string, string>>
}

function readChoice<C extends string>(
  text: string,
  choices: readonly C[],
  { meant = {}, advice = {} }: Alternatives<C> = {},
): C {
  const found = choices.find((choice) => choice === text)
  if (found !== undefined) return found
  if (Object.hasOwn(meant, text)) return meant[text] as C
  const more = Object.hasOwn(advice, text) ? `; ${advice[text]}` : didYouMean(text, choices)
  throw new RangeError(`'${text}' is not one of ${choices.join(', ')}${more}`)
}

const control = /[\u0000-\u001f\u007f-\u009f]/
/**
 * Bytes of the command line that weren't UTF-8 have become U+FFFD; the rest are lone surrogates. Patterns with Unicode classes would add
 * a millisecond to every start.
 */
const notUnicode = /[\ud800-\udfff\ufffd]/u

/** Any string except an empty one. Throws RangeError. */
export function readFilled(text: string): string {
  if (text === '') throw new RangeError('must not be empty')
  return text
}

/** One path segment. Throws RangeError. */
export function readSegment(text: string): string {
  if (text === '') throw new RangeError('must not be empty')
  if (text === '.' || text === '..') throw new RangeError(`'${text}' cannot be a name`)
  if (/(?:^|\/)\.\.?(?:\/|$)/.test(text)) throw new RangeError(`'${text}' contains a '.' or '..' segment`)
  if (control.test(text)) throw new RangeError('control characters are not allowed in a path')
  if (notUnicode.test(text)) throw new RangeError('not valid Unicode text')
  return text
}

/** One path segment without a slash. Throws RangeError. */
export function readName(text: string): string {
  if (text.includes('/')) throw new RangeError(`'${text}' must not contain a slash`)
  return readSegment(text)
}

/** Segments that need no further check, as most do. */
const plainPath = /^\w[\w.-]*(?:\/\w[\w.-]*)*$/

/** A path of segments without a slash at either end. Throws RangeError. */
export function readSegments(text: string): string {
  if (plainPath.test(text)) return text
  if (text.endsWith('/')) throw new RangeError(`'${text}' ends with a slash, as folders do; a secret's path doesn't`)
  const parts = text.split('/')
  if (parts[0] === '' && parts.length > 1 && !parts.slice(1).includes(''))
    throw new RangeError(`'${text}' begins with a slash; write '${text.slice(1)}'`)
  if (parts.length > 1 && parts.includes(''))
    throw new RangeError(`'${text}' has an empty segment (a doubled or leading slash)`)
  parts.forEach(readSegment)
  return text
}

/** A path of segments that may end with a slash; '' for the whole mount. Throws RangeError. */
export function readFolder(text: string): string {
  if (text.endsWith('//')) throw new RangeError(`'${text}' has an empty segment (a doubled or leading slash)`)
  const bare = text.endsWith('/') ? text.slice(0, -1) : text
  return bare === '' ? '' : readSegments(bare)
}

/** The path of a mount; slashes at its ends are dropped. Throws RangeError. */
export function readMount(text: string): string {
  return readSegments(text.replace(/^\/+|\/+$/g, ''))
}
