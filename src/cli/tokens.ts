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

/** Flags that must be spelled exactly: correcting a typo to one of them would skip a question. */
export const skipsQuestion: ReadonlySet<string> = new Set(['--yes', '--force', '--confirm-profile', '--insecure'])

/** Spellings that people try, of flags that change nothing by themselves. */
const synonyms: Readonly<Record<string, string>> = { '--operations': '--operation' }

/** The words with flags spelled as declared: `--field=x` for `-field=x` of other tools. Values, and words after `--`, are unchanged. */
export function withDeclaredFlags(words: readonly string[], params: Params): string[] {
  const end = beforeDashes(words).length
  let isValue = false
  return words.map((word, index) => {
    if (isValue || index >= end) {
      isValue = false
      return word
    }
    const declared = declaredFlag(word, params)
    isValue = Object.entries(params).some(([key, param]) => !param.boolean && isSpelling(declared, key, param))
    return declared
  })
}

/** The declared spelling of a flag; other words are returned unchanged. */
export function declaredFlag(word: string, params: Params): string {
  const [name = ''] = word.split('=')
  if (!/^--?[a-z][a-z-]+$/.test(name)) return word
  const long = name.startsWith('--') ? name : `-${name}`
  const declared = [long, synonyms[long] ?? long].find((one) => flagNamed(one, params) !== undefined)
  return declared === undefined || skipsQuestion.has(declared) ? word : declared + word.slice(name.length)
}

/** The flag with this long name. */
export function flagNamed(name: string, params: Params): Param | undefined {
  return paramsOf(params, 'flag').find(([key]) => flagName(key) === name)?.[1]
}
