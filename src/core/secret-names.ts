/** Names of headers that carry a token, in any dialect. */
export function isTokenHeader(name: string): boolean {
  return /^(authorization|proxy-authorization|x-(secrets|scheduler|vault|nomad|consul)-token)$/i.test(name)
}

/** A text without the credentials of the URLs in it. */
export function withoutUrlSecrets(text: string): string {
  return text.replace(/:\/\/[^/@\s"]+@/g, '://<redacted>@')
}

/**
 * Names of headers whose value is never shown: those of tokens, and whatever else looks like a credential. The service's
 * own name in `X-Secrets-Namespace` and `X-Secrets-Wrap-TTL` makes neither a secret.
 */
export function isSecretHeader(name: string): boolean {
  const words = name.replace(/^x-secrets-(namespace|request|wrap-ttl)$/i, '')
  return isTokenHeader(name) || /cookie|token|secret|passw|api-?key|credential|signature|(^|-)auth(-|$)/i.test(words)
}
