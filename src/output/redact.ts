/** Texts that everybody uses are not secrets: masking them would mangle messages and hide nothing. */
const shortestSecret = 6
const common = new Set(['localhost', 'default', 'secret', 'password', 'postgres', 'example', 'changeme'])

/** The one registry of known secrets: everything written to stderr passes through it. */
export interface Redactor {
  /** From now on the text, and its base64 and percent-encoded forms, are masked. Short or common texts are ignored. */
  add(text: string): void
  redact(text: string): string
}

/** A registry without secrets; one serves the whole run. */
export function createRedactor(): Redactor {
  const known = new Set<string>()
  let ordered: string[] | undefined
  return {
    add(text) {
      const bare = text.trim()
      if (!isSecret(bare)) return
      for (const form of [bare, JSON.stringify(bare).slice(1, -1), encodeURIComponent(bare), base64(bare)])
        known.add(form)
      for (const line of bare.split('\n')) if (line.length >= 20) known.add(line.trim())
      ordered = undefined
    },
    redact(text) {
      ordered ??= [...known].toSorted((a, b) => b.length - a.length)
      let masked = text
      for (const secret of ordered) if (masked.includes(secret)) masked = masked.replaceAll(secret, '<redacted>')
      return masked
    },
  }
}

/** False for what is too short or too common to be masked wherever it occurs. */
export function isSecret(text: string): boolean {
  const bare = text.trim()
  return bare.length >= shortestSecret && !common.has(bare.toLowerCase()) && !/^(?:true|false|null|\d{1,8})$/.test(bare)
}

/** Names under which secrets are stored: `DB_PASSWORD`, `apiKey`, `client-secret`. */
const secretName =
  /pass(?:w(?:or)?d|phrase|code)|pwd|secret|token|credential|private|signature|cookie|salt|(?:^|[^a-z])(?:pass|pin|auth|cert|dsn)(?:$|[^a-z])|(?:^|[_\W])key$|[a-z]Key$|api_?key/i

/** Beginnings of well-known kinds of tokens. */
const knownToken =
  /^(?:hv[sbr]\.|gh[opsur]_|github_pat_|glpat-|xox[a-z]-|AKIA|ASIA|sk[-_]|pk_live_|npm_|eyJ[\w-]+\.|-----BEGIN [A-Z ]*PRIVATE KEY)/

const urlWithPassword = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]*:[^/?#\s@]+@/i

/** What is long but public: addresses, host names, paths, UUIDs. */
const publicText =
  /^(?:[a-z][a-z0-9+.-]*:\/\/\S*|[^\s@]+@[\w.-]+|\.{0,2}\/[\w./-]*|[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** True for a token of a known kind. */
export function isKnownToken(text: string): boolean {
  return knownToken.test(text.trim())
}

/**
 * True for what a CI log must mask: a text stored under a name of secrets, a token of a known kind, a URL with a password, and
 * anything of sixteen characters or more that looks generated (one word of letters and digits that is not an address, a host
 * name, a path or a UUID). Host names, user names and numbers stay readable.
 */
export function looksSecret(text: string, name = ''): boolean {
  const bare = text.trim()
  if (secretName.test(name) || knownToken.test(bare) || urlWithPassword.test(bare)) return true
  if (bare.length < 16 || publicText.test(bare)) return false
  return /^\S+$/.test(bare) && /\p{L}/u.test(bare) && /\d/.test(bare)
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}
