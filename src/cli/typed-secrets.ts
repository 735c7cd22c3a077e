import type { Route } from './route.ts'
import { flagNamed, isSpelling } from './tokens.ts'

/**
 * What a command line may contain that is a secret in the wrong place, for error messages to withhold: the part of an argument,
 * or of an unknown flag, after its first `=` or `:` (`password:…`, `-var=password=…`), and passwords in addresses. Values of
 * known flags are shown, because mistakes in them must be.
 */
export function typedSecrets({ rest, params }: Pick<Route, 'rest' | 'params'>): string[] {
  const takesValue = (token: string) =>
    Object.entries(params).some(([key, param]) => !param.boolean && isSpelling(token, key, param))
  return rest.flatMap((token, index) => {
    const name = /^--[\w-]+(?==)/.exec(token)?.[0]
    const isKnown = name !== undefined && flagNamed(name, params) !== undefined
    return isKnown || takesValue(rest[index - 1] ?? '')
      ? passwordsIn(token)
      : [...passwordsIn(token), ...valuesIn(token)]
  })
}

/** `http://user:password@host`, `user:password@host`. */
function passwordsIn(token: string): string[] {
  const password = /^(?:--[\w-]+=)?(?:[a-z][a-z0-9+.-]*:\/\/)?[^/@:\s]*:([^/\s]+)@/i.exec(token)?.[1]
  return password === undefined ? [] : [password]
}

/** The text after the first `=` or `:`, and after each `=` in it; nothing for an address or a comparison. */
function valuesIn(token: string): string[] {
  if (/\s[=!]=\s/.test(token)) return []
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(token)) return []
  const start = token.search(/[=:]/)
  if (start === -1) return []
  const value = token.slice(start + 1)
  return [value, ...valuesIn(value)]
}
