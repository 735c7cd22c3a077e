import type { Command } from '../core/command.ts'
import { formats } from '../core/context.ts'
import type { Param, Params } from '../core/param.ts'
import { flag, flagName, paramsOf } from '../core/param.ts'

/** A word of a command line and what it is. A cluster of short flags such as `-yq` is several with the same `at`. */
export interface Word {
  /** Its place among the typed words. */
  readonly at: number
  readonly text: string
  /** `value`: of the flag before it; `passed`: of a program to run. */
  readonly role: 'name' | 'flag' | 'value' | 'argument' | 'dashes' | 'passed'
  /** The param that it belongs to; undefined for an unknown flag with its value, and for surplus arguments. */
  readonly key?: string
  readonly param?: Param
  /** The value for the param. */
  readonly value?: string
  /** `valueless`: a flag without its value; `valued`: a switch with a value other than true or false. */
  readonly fault?: 'unknown' | 'valueless' | 'valued' | 'surplus'
}

/** What may follow at a place of a command line. */
export interface Place {
  readonly command?: Command | undefined
  /** All flags that are valid there. */
  readonly flags: Params
  /** The positions of the words that name the command. */
  readonly names: ReadonlySet<number>
  /** True for the name or alias of a command or group that may follow. */
  readonly isMember: (word: string) => boolean
}

/** The flags of the program itself: `help` anywhere, `version` before a command. */
export const programFlags = {
  help: flag.boolean('show help; also: tug help <command>', { short: 'h' }),
  version: flag.boolean('print the version (before a command)', { short: 'V' }),
}

/** Flags that must be spelled exactly, because correcting a typo to one of them would skip a question. */
export const skipsQuestion: ReadonlySet<string> = new Set(['yes', 'force', 'confirmProfile', 'insecure'])

/** Synonyms; a command declares one of a row and accepts all. */
const synonyms: readonly (readonly string[])[] = [
  ['operation', 'operations'],
  ['pageSize', 'perPage'],
  ['version', 'versions'],
  ['outDir', 'outputDir', 'outputFile'],
  ['toProfile', 'otherProfile'],
  ['toMount', 'otherMount'],
]

/** Switches for what a command with that other flag does by itself: `kv export --recursive`. */
const needless: Readonly<Record<string, string>> = { recursive: 'depth', r: 'depth' }

/** Arguments that may be typed as flags, as other commands have them. */
const argumentsAsFlags: ReadonlySet<string> = new Set(['version', 'from', 'to'])

type Named = readonly [key: string, param: Param]

/**
 * Reads a command line: what each word is. The only place that looks at dashes and `=`. Flags may be anywhere before `--`, even between
 * the names of a command; flags of other tools with one dash (`-field=x`) are read as declared. Never throws: what is wrong with a word
 * is its `fault`.
 */
export function readWords(argv: readonly string[], place: Place): readonly Word[] {
  const words: Word[] = []
  const dashes = argv.indexOf('--')
  const end = dashes === -1 ? argv.length : dashes
  for (let at = 0; at < end; at += 1) {
    const text = argv[at] as string
    if (place.names.has(at)) words.push({ at, text, role: 'name' })
    else if (!isFlag(text)) words.push({ at, text, role: 'argument', value: text })
    else {
      const found = flagWords(text, at, place)
      const last = found.at(-1) as Word
      const next = at + 1 < end && !place.names.has(at + 1) ? argv[at + 1] : undefined
      if (last.value !== undefined) words.push(...found)
      else if (next === undefined || !isValueOf(last, next, place))
        words.push(last.fault === undefined ? { ...last, fault: 'valueless' } : last)
      else {
        at += 1
        const { key, param } = last
        words.push(last, {
          ...(key === undefined || param === undefined ? {} : { key, param }),
          at,
          text: next,
          role: 'value',
          value: next,
        })
      }
    }
  }
  if (end < argv.length) words.push({ at: end, text: '--', role: 'dashes' })
  const [key, param] = passedParam(place.command) ?? []
  for (let at = end + 1; at < argv.length; at += 1) {
    const text = argv[at] as string
    if (key === undefined || param === undefined) words.push({ at, text, role: 'argument', value: text })
    else words.push({ at, text, role: 'passed', key, param, value: text })
  }
  return place.command === undefined ? words : withArguments(words, place.command)
}

/** A dash alone is standard input. */
function isFlag(text: string): boolean {
  return text.length > 1 && text.startsWith('-')
}

/** The flags in a word. The last has no value if it takes the next word, or is unknown. */
function flagWords(text: string, at: number, place: Place): readonly Word[] {
  const word = { at, text, role: 'flag' } as const
  const [, dashes = '', name = '', , assigned] = /^(--?)([^=]*)(=([^]*))?$/.exec(text) ?? []
  const ofFlag = ([key, param]: Named, value: string | undefined): Word => {
    if (!param.boolean) return { ...word, key, param, ...(value === undefined ? {} : { value }) }
    const isWrong = value !== undefined && value !== 'true' && value !== 'false'
    return { ...word, key, param, value: value ?? 'true', ...(isWrong ? { fault: 'valued' } : {}) }
  }
  const long = name.length > 1 || dashes === '--' ? flagNamed(name, place) : undefined
  // `-yes` must not answer a question by mistake.
  if (long !== undefined && (dashes === '--' || !skipsQuestion.has(long[0]))) return [ofFlag(long, assigned)]
  if (dashes === '-') {
    const short = shortFlag(name, place)
    if (short !== undefined && (assigned === undefined || !short[1].boolean)) return [ofFlag(short, assigned)]
    const format = text.slice(2)
    if (text[1] === 'o' && (formats as readonly string[]).includes(format))
      return [ofFlag(['output', place.flags['output'] as Param], format)]
    const letters = text
      .slice(1)
      .split('')
      .map((letter) => shortFlag(letter, place))
    if (letters.every((one) => one?.[1].boolean === true && !(one[0] in programFlags)))
      return letters.map((one) => ofFlag(one as Named, undefined))
  }
  if (hasFlag(needless[name] ?? '', place.flags) && assigned === undefined) return [{ ...word, value: 'true' }]
  return [{ ...word, fault: 'unknown', ...(assigned === undefined ? {} : { value: assigned }) }]
}

/** The flag with this long name, or a synonym of it; also an argument that may be typed as a flag. */
export function flagNamed(name: string, { flags, command }: Pick<Place, 'flags' | 'command'>): Named | undefined {
  const key = keyOf(name)
  const row = synonyms.find((one) => one.includes(key)) ?? []
  const found = [key, ...row].find((one) => Object.hasOwn(flags, one))
  if (found !== undefined) return [found, flags[found] as Param]
  const argument = argumentsAsFlags.has(key) ? command?.params[key] : undefined
  return argument === undefined ? undefined : [key, argument]
}

function shortFlag(letter: string, place: Place): Named | undefined {
  const { flags } = place
  const found = Object.entries(flags).find(([, { short }]) => short === letter)
  if (found !== undefined) return found
  // A folder is the output of some commands.
  if (letter === 'O' && hasFlag('out-dir', flags)) return flagNamed('out-dir', place)
  return letter === 'v' && flags['version'] === programFlags.version ? ['version', programFlags.version] : undefined
}

/** Whether a flag takes the next word. A known flag takes any but a long flag that is known itself, or a request for help. */
function isValueOf({ param }: Word, next: string, place: Place): boolean {
  if (param === undefined) return !isFlag(next) && !place.isMember(next)
  return next !== '-h' && !isKnownFlag(next, place)
}

/** True for a long flag as it is declared. */
function isKnownFlag(text: string, { flags }: Place): boolean {
  return hasFlag(/^--([^=]+)/.exec(text)?.[1] ?? '', flags)
}

/** True if a flag is declared with this long name, without its dashes. */
export function hasFlag(name: string, flags: Params): boolean {
  return flags[keyOf(name)]?.kind === 'flag'
}

/** The typed words without the names of the command. */
export function typedWords(line: readonly Word[]): string[] {
  const others = line.filter(({ role, at }, index) => role !== 'name' && line[index - 1]?.at !== at)
  return others.map(({ text }) => text)
}

/**
 * The typed words without the names of the command, with other values of these params (undefined: without it); a flag that wasn't typed
 * is added.
 */
export function withValues(line: readonly Word[], changes: Readonly<Record<string, string | undefined>>): string[] {
  const flagOf = (key: string) => {
    const value = changes[key]
    return value === undefined ? [] : value === 'true' ? [flagName(key)] : [flagName(key), value]
  }
  const added = Object.keys(changes).filter((key) => !line.some((word) => word.key === key))
  const typed = line.flatMap(({ role, key = '', text, at }, index) => {
    if (role === 'name' || line[index - 1]?.at === at) return []
    if (role === 'dashes') return [...added.splice(0).flatMap(flagOf), text]
    if (!Object.hasOwn(changes, key)) return [text]
    // A repeated one is given once.
    if (line.findIndex((word) => word.key === key) !== index) return []
    if (role === 'argument') return [changes[key] ?? ''].filter((value) => value !== '')
    return role === 'flag' ? flagOf(key) : []
  })
  return [...typed, ...added.flatMap(flagOf)]
}

/** `page-size` → `pageSize`; '' for what is no name of a flag. */
function keyOf(name: string): string {
  return /^[a-z][a-z\d-]*$/.test(name) ? name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()) : ''
}

/** The arguments that the words may give. A flag in place of one (`kv set --from <file> key=value`) leaves the words to the next. */
export function openArguments(words: readonly Word[], params: Params): (readonly [key: string, param: Param])[] {
  const flags = words.filter(({ role }) => role === 'flag')
  const asFlags = new Set(flags.map(({ key }) => key))
  const excluded = new Set(flags.flatMap(({ param }) => param?.excludes ?? []))
  const open = paramsOf(params, 'argument').filter(
    ([key, { passThrough }]) => passThrough !== true && !asFlags.has(key),
  )
  return open.filter((one) => one === open.at(-1) || !excluded.has(one[0]))
}

/** Gives each argument its param. A version may follow the arguments: `kv undelete app/db 3`. */
function withArguments(words: readonly Word[], { params }: Command): readonly Word[] {
  const open = openArguments(words, params)
  const last = open.at(-1)
  const version = paramsOf(params, 'flag').find(
    ([key, { choices }]) => (key === 'version' || key === 'versions') && choices === undefined,
  )
  let index = 0
  return words.map((word) => {
    if (word.role !== 'argument') return word
    const isVersion = index === open.length && version !== undefined && mayBe(version[1], word.text)
    const [key, param] = open[index] ?? (last?.[1].repeatable === true ? last : isVersion ? version : [])
    index += 1
    return key === undefined || param === undefined ? { ...word, fault: 'surplus' } : { ...word, key, param }
  })
}

function mayBe(param: Param, text: string): boolean {
  return /^\d/.test(text) || accepts(param, text)
}

/** True if the param's reader accepts the text. */
export function accepts(param: Param, text: string): boolean {
  try {
    param.read([text], '')
    return true
  } catch {
    return false
  }
}

function passedParam(command: Command | undefined): Named | undefined {
  return Object.entries(command?.params ?? {}).find(([, { passThrough }]) => passThrough === true)
}
