import { urlSecrets } from './core/secret-names.ts'
import type { Redactor } from './output/redact.ts'
import { looksSecret } from './output/redact.ts'
import type { Route } from './cli/route.ts'
import type { Word } from './cli/words.ts'
import { accepts } from './cli/words.ts'
import { looksLikeToken } from './withheld.ts'

/** Neither a comparison such as `Type == "batch"`, nor the colons of `C:\file` and `https://host`. */
const separator = /(?<!\s[=!])=(?!=\s)|(?<!^@?[a-z](?=:[\\/])):(?!\/\/)/i

/**
 * What usage errors withhold besides, because it may be a secret in the wrong place: a word without a param, or one that its param
 * refuses, if it looks like a token; what follows `=` or `:`, unless the param shows it; the word after a flag with the name of a secret.
 */
function misplaced({ line, place }: Pick<Route, 'line' | 'place'>): string[] {
  return line.flatMap((word, index) => {
    const { role, text, param, fault, value = text } = word
    if (role === 'name' || role === 'dashes') return []
    const isFlag = param !== undefined && (role === 'flag' || role === 'value')
    const pair = isFlag ? value : text
    const [name = ''] = pair.split(separator)
    const isShown = isFlag
      ? !/=|: /.test(param.placeholder ?? '') && !hasSecretName(name)
      : param?.showsValue?.(name) === true || (isFile(word) && !hasSecretName(name))
    const isRefused = fault !== undefined || param === undefined || !accepts(param, value)
    const values = valuesIn(pair)
    return [
      ...urlSecrets(text),
      ...(isShown ? [] : values),
      ...(isRefused ? [value, ...values].filter(looksLikeToken) : []),
      ...(followsSecretFlag(word, line[index - 1]) && !place.isMember(value) ? [value] : []),
    ]
  })
}

/** True for a path with a colon: `C:web.hcl`; after `@`, of any argument. */
function isFile({ param, text }: Word): boolean {
  return (param?.complete === 'file' || text.startsWith('@')) && !text.includes('=')
}

/** Withholds them from what is printed from now on. */
export function withholdMisplaced(route: Route, redactor: Redactor): void {
  for (const text of misplaced(route)) redactor.add(text, 'credential')
}

/** True after a flag with the name of a secret and no value of its own. */
function followsSecretFlag({ key, param }: Word, before: Word | undefined): boolean {
  if (before?.role !== 'flag' || before.value) return false
  return hasSecretName(before.text) && (param === undefined || before.key !== key)
}

function hasSecretName(name: string): boolean {
  return looksSecret('', name)
}

function valuesIn(word: string): string[] {
  const start = word.search(separator)
  if (start === -1) return []
  const value = word.slice(start + 1)
  return [value, ...valuesIn(value)]
}
