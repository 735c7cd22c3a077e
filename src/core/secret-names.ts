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
