import { variableName } from './core/environment.ts'
import { knownTokens, tokenVariable } from './core/secret-names.ts'
import type { Host } from './process/host.ts'
import { looksSecret } from './output/redact.ts'
import type { Route } from './cli/route.ts'

/** Tokens with the form of other texts: of older versions of Vault, and UUIDs. */
const likeToken = /^(?:[sb]\.[A-Za-z0-9.]{8,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

/**
 * What is never repeated of a command line: tokens of a known form, wherever they are, what looks like a token in place of a token
 * file, and the tokens of the environment, whether or not this command reads them.
 */
export function withheld({ line }: Pick<Route, 'line'>, { env, platform }: Pick<Host, 'env' | 'platform'>): string[] {
  const typed = line.flatMap(({ text, key = '', value = '' }) => {
    const isForToken = /^token$|tokenFile$/i.test(key) && looksLikeToken(value)
    return [...knownTokens(text), ...(isForToken ? [value] : [])]
  })
  const names = Object.keys(env).filter((name) => tokenVariable.test(variableName(name, platform)))
  return [...typed, ...names.map((name) => env[name] ?? '')]
}

/** True for what looks like a token, or another secret. */
export function looksLikeToken(text: string): boolean {
  return likeToken.test(text) || looksSecret(text)
}
