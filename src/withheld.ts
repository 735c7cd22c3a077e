import { knownTokens, urlSecrets } from './core/secret-names.ts'
import { looksSecret } from './output/redact.ts'
import type { Route } from './cli/route.ts'
import type { Word } from './cli/words.ts'
import { accepts } from './cli/words.ts'

/** Tokens with the form of other texts: of older versions of Vault, and UUIDs. */
const likeToken = /^(?:[sb]\.[A-Za-z0-9.]{8,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

/** Neither a comparison such as `Type == "batch"`, nor the colons of `C:\file` and `https://host`. */
const separator = /(?<!\s[=!])=(?!=\s)|(?<!^@?[a-z](?=:[\\/])):(?!\/\/)/i

/**
 * What is never repeated of a command line: tokens of a known form, wherever they are, and what looks like a token in place of a token
 * file.
 */
export function withheld({ line }: Pick<Route, 'line'>): string[] {
  return line.flatMap(({ text, key = '', value = '' }) => {
    const isForToken = /^token$|tokenFile$/i.test(key) && looksLikeToken(value)
    return [...knownTokens(text), ...(isForToken ? [value] : [])]
  })
}

/**
 * What usage errors withhold besides, because it may be a secret in the wrong place: a word without a param, or one that its param
 * refuses, if it looks like a token; what follows `=` or `:`, unless the param shows it; the word after a flag with the name of a secret.
 */
export function misplaced({ line, place }: Pick<Route, 'line' | 'place'>): string[] {
  return line.flatMap((word, index) => {
    const { role, text, param, fault, value = text } = word
    if (role === 'name' || role === 'dashes') return []
    const isFlag = param !== undefined && (role === 'flag' || role === 'value')
    const pair = isFlag ? value : text
    const [name = ''] = pair.split(separator)
    const isShown = isFlag
      ? !/=|: /.test(param.placeholder ?? '') && !hasSecretName(name)
      : param?.showsValue?.(name) === true
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

/** True after a flag with the name of a secret and no value of its own. */
function followsSecretFlag({ key, param }: Word, before: Word | undefined): boolean {
  if (before?.role !== 'flag' || before.value) return false
  return hasSecretName(before.text) && (param === undefined || before.key !== key)
}

function hasSecretName(name: string): boolean {
  return looksSecret('', name)
}

function looksLikeToken(text: string): boolean {
  return likeToken.test(text) || looksSecret(text)
}

function valuesIn(word: string): string[] {
  const start = word.search(separator)
  if (start === -1) return []
  const value = word.slice(start + 1)
  return [value, ...valuesIn(value)]
}
