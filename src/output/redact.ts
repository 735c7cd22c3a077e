import type { Host } from '../process/host.ts'
import { escapeData, inGitHub } from './safe.ts'

/** Texts that everybody uses are not secrets: masking them would mangle messages and hide nothing. */
const shortestSecret = 6
const common = new Set(['localhost', 'default', 'secret', 'password', 'postgres', 'example', 'changeme'])

/** The one registry of known secrets: everything written to stderr passes through it. */
export interface Redactor {
  /** From now on the text is masked, as it is and encoded (docs/promises.md, Masking). Short or common texts are ignored. */
  add(text: string): void
  redact(text: string): string
}

/** A registry without secrets; one serves the whole run. */
export function createRedactor(): Redactor {
  const known = new Set<string>()
  /** Secrets whose encodings have not been computed yet. */
  const added: string[] = []
  let ordered: string[] | undefined
  return {
    add(text) {
      const bare = text.trim()
      if (!isSecret(bare)) return
      added.push(bare)
      for (const line of bare.split('\n')) if (line.length >= 20 && line.trim() !== '') known.add(line.trim())
      ordered = undefined
    },
    redact(text) {
      for (const bare of added.splice(0)) for (const form of formsOf(bare)) known.add(form)
      ordered ??= [...known].toSorted((a, b) => b.length - a.length)
      let masked = text
      for (const secret of ordered) masked = masked.replaceAll(secret, '<redacted>')
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

const urlWithPassword = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s:]*:[^/?#\s@]+@/i

/** What is long but public: addresses, host names, paths, UUIDs. */
const publicText =
  /^(?:[a-z][a-z0-9+.-]*:\/\/\S*|[^\s@]+@[\w.-]+|\.{0,2}\/[\w./-]*|[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** What the scheduler puts into a job's values itself. */
const jobVariable = /\$\{(?:NOMAD_|attr\.|device\.|env\.|meta\.|node\.)[\w.-]*\}/g

/** True for a token of a known kind. */
export function isKnownToken(text: string): boolean {
  return knownToken.test(text.trim())
}

/**
 * True for what a CI log must mask: a text stored under a name of secrets, a token of a known kind, a URL with a password, and
 * anything of sixteen characters or more that looks generated (one word of letters and digits that is not an address, a host
 * name, a path or a UUID). Host names, user names, numbers and the scheduler's `${…}` variables stay readable.
 */
export function looksSecret(text: string, name = ''): boolean {
  const bare = text.trim()
  if (secretName.test(name) || knownToken.test(bare) || urlWithPassword.test(bare)) return true
  const own = bare.replace(jobVariable, '')
  if (own.length < 16 || publicText.test(own)) return false
  return /^\S+$/.test(own) && /\p{L}/u.test(own) && /\d/.test(own)
}

const goEscapes: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' }
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The encodings in which a server or a proxy may repeat a text. */
function formsOf(text: string): string[] {
  const bytes = Buffer.from(text)
  // Not of the text itself: half a surrogate pair has no encoding.
  const percent = encodeURIComponent(bytes.toString('utf8'))
  // Go encodes what JavaScript leaves but for the tilde, others the tilde too.
  const go = percent.replace(/[!'()*]/g, percentOf)
  const strict = go.replaceAll('~', percentOf)
  const quoted = JSON.stringify(text).slice(1, -1)
  const hex = bytes.toString('hex')
  const html = text.replace(/[&<>"']/g, (one) => entities[one] as string)
  const encoded = [
    ...[percent, go, strict].flatMap((one) => [one, one.replaceAll('%20', '+')]),
    new URLSearchParams([['', text]]).toString().slice(1),
  ]
  return [
    text,
    quoted,
    quoted.replace(/[<>&]/g, (one) => goEscapes[one] as string),
    quoted.replaceAll('/', '\\/'),
    ...encoded,
    ...encoded.map((one) => one.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())),
    html,
    html.replaceAll('&quot;', '&#34;'),
    html.replaceAll('&#39;', '&#x27;'),
    html.replaceAll('&#39;', '&#039;'),
    hex,
    hex.toUpperCase(),
    ...base64Forms(bytes),
  ]
}

function percentOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

/**
 * The text in base64 and base64url, at each of the three places that it can have in what was encoded (`user:text`). What
 * neighbours could change is left out.
 */
function base64Forms(bytes: Buffer): string[] {
  const forms = [0, 1, 2].map((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes])
    const whole = padded.toString('base64').replaceAll('=', '')
    const first = offset === 0 ? 0 : offset + 1
    const last = padded.length % 3 === 0 ? whole.length : whole.length - 1
    return whole.slice(first, last)
  })
  return [bytes.toString('base64'), ...forms.filter((form) => form.length >= 8)].flatMap((form) => [
    form,
    form.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
  ])
}

/** Secrets that the log of a GitHub workflow must mask. The workflow learns of them before they are printed. */
export interface Masks {
  /** False outside GitHub, where the rest does nothing. */
  readonly isUsed: boolean
  /** From now on this text may be part of what is printed. */
  add(text: string): void
  /** Writes `::add-mask::` for each line of each new secret. Must be called before anything is written to stdout. */
  announce(): void
}

/**
 * The masks of a run; outside GitHub they write nothing. The lines go to stderr, which the runner reads as well, so stdout
 * contains only the result. A mask is one line, so a value of several lines has several.
 */
export function createMasks(host: Pick<Host, 'env' | 'stderr'>): Masks {
  const told = new Set<string>()
  const waiting = new Set<string>()
  if (!inGitHub(host)) return { isUsed: false, add: () => undefined, announce: () => undefined }
  return {
    isUsed: true,
    add(text) {
      for (const line of text.split(/[\r\n]+/).map((one) => one.trim())) {
        if (isSecret(line) && !isFrame(line) && !told.has(line)) waiting.add(line)
      }
    },
    announce() {
      if (waiting.size === 0) return
      host.stderr.write([...waiting].map((line) => `::add-mask::${escapeData(line)}\n`).join(''))
      for (const line of waiting) told.add(line)
      waiting.clear()
    },
  }
}

/** The first and the last line of a key or certificate are in every one of them. */
function isFrame(line: string): boolean {
  return /^-----(?:BEGIN|END) .*-----$/.test(line)
}
