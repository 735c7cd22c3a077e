/**
 * The form of well-known types of token. Short texts with such a prefix are names: `sk-web`, `npm_config`. What a dot must follow has a
 * limit: going back through millions of characters ends the regular expression's memory.
 */
const tokenForm = [
  String.raw`hv[bsr]\.[\w-]{2,}`,
  String.raw`(?:gh[opsur]_|github_pat_|glpat-|xox[a-z]-)[\w-]{2,}`,
  'A[KS]IA[A-Z0-9]{12,}',
  String.raw`(?:sk[-_]|pk_live_|npm_)[\w-]{16,}`,
  String.raw`eyJ[\w-]{6,4000}(?:\.[\w-]+){1,2}`,
  String.raw`\w{6,100}\.atlasv1\.\w+`,
  '-----BEGIN [A-Z ]*PRIVATE KEY',
].join('|')

const isToken = new RegExp(`^(?:${tokenForm})`)
const tokenInside = new RegExp(String.raw`(?<![\w.-])(?:${tokenForm})`, 'g')

/** True for a known type of token. */
export function isKnownToken(text: string): boolean {
  return isToken.test(text.trim())
}

/** The tokens of known types anywhere in a text. */
export function knownTokens(text: string): string[] {
  return text.match(tokenInside) ?? []
}

/** Variables that tokens or other credentials are read from. */
export const tokenVariable =
  /^(?:TUG_[A-Z]+|VAULT|BAO|NOMAD|TFE)_TOKEN$|^TF_TOKEN_|^(?:TUG_[A-Z]+|VAULT|BAO)_HEADERS$|^NOMAD_HTTP_AUTH$/

/** Names of headers that carry a token, in any dialect. */
export function isTokenHeader(name: string): boolean {
  return /^(authorization|proxy-authorization|x-(secrets|scheduler|vault|nomad|consul)-token)$/i.test(name)
}

/** A URL parameter with a secret-looking name: `?sshkey=…`, `&X-Amz-Signature=…`. */
const secretParameter =
  /([?&][\w.-]{0,60}(?:sshkey|token|secret|passw|api[_-]?key|private[_-]?key|credential|signature|\bsig\b)[\w.-]{0,60}=)([^&#\s"]+)/gi

function mayHaveUrlSecrets(text: string): boolean {
  return text.includes('://') || text.includes('=')
}

/** Removes credentials from the URLs in a string: user and password, and secret-looking parameters. */
export function withoutUrlSecrets(text: string): string {
  if (!mayHaveUrlSecrets(text)) return text
  return text.replace(/:\/\/[^/@\s"]+@/g, '://<redacted>@').replace(secretParameter, '$1<redacted>')
}

/** The passwords and secret parameters of the URLs in a string. */
export function urlSecrets(text: string): string[] {
  if (!mayHaveUrlSecrets(text)) return []
  const passwords = [...text.matchAll(/:\/\/[^/@\s:]*:([^/@\s]+)@/g)].map(([, password]) => password as string)
  return [...passwords, ...[...text.matchAll(secretParameter)].map(([, , value]) => value as string)]
}

/**
 * Headers that are never shown: token headers, and any with a name that looks like a credential. `X-Secrets-Namespace` and
 * `X-Secrets-Wrap-TTL` are named after the service and are not secret.
 */
export function isSecretHeader(name: string): boolean {
  const words = name.replace(/^x-secrets-(namespace|request|wrap-ttl)$/i, '')
  return isTokenHeader(name) || /cookie|token|secret|passw|api-?key|credential|signature|(^|-)auth(-|$)/i.test(words)
}

/** Headers of users that may be shown: those of HTTP itself and of the services, except for credentials. */
export function isPublicHeader(name: string): boolean {
  return /^(?:accept|content|if|x-(?:secrets|scheduler|vault|nomad))\b/i.test(name) && !isSecretHeader(name)
}
