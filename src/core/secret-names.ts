/** Names of headers that carry a token, in any dialect. */
export function isTokenHeader(name: string): boolean {
  return /^(authorization|proxy-authorization|x-(secrets|scheduler|vault|nomad|consul)-token)$/i.test(name)
}

/** A parameter of a URL whose name looks like a secret's: `?sshkey=…`, `&X-Amz-Signature=…`. */
const secretParameter =
  /([?&][\w.-]{0,60}(?:sshkey|token|secret|passw|api[_-]?key|private[_-]?key|credential|signature|\bsig\b)[\w.-]{0,60}=)([^&#\s"]+)/gi

/** A text without the credentials of the URLs in it: user and password, and parameters that look like secrets. */
export function withoutUrlSecrets(text: string): string {
  return text.replace(/:\/\/[^/@\s"]+@/g, '://<redacted>@').replace(secretParameter, '$1<redacted>')
}

/** The passwords and secret parameters of the URLs in a text. */
export function urlSecrets(text: string): string[] {
  const passwords = [...text.matchAll(/:\/\/[^/@\s:]*:([^/@\s]+)@/g)].map(([, password]) => password as string)
  return [...passwords, ...[...text.matchAll(secretParameter)].map(([, , value]) => value as string)]
}

/**
 * Names of headers whose value is never shown: those of tokens, and whatever else looks like a credential. The service's
 * own name in `X-Secrets-Namespace` and `X-Secrets-Wrap-TTL` makes neither a secret.
 */
export function isSecretHeader(name: string): boolean {
  const words = name.replace(/^x-secrets-(namespace|request|wrap-ttl)$/i, '')
  return isTokenHeader(name) || /cookie|token|secret|passw|api-?key|credential|signature|(^|-)auth(-|$)/i.test(words)
}
