import { largest } from '../core/lists.ts'
import { isKnownToken, knownTokens } from '../core/secret-names.ts'

/** Common strings, and words of messages, are not secrets: masking them would garble messages and hide nothing. */
const shortestSecret = 6
const common = new Set(
  'localhost default secret secrets password postgres example changeme version versions nothing unchanged changed created updated deleted destroyed removed restored copied written stopped started registered planned failed skipped unknown conflict differs exists running production development staging'.split(
    ' ',
  ),
)

/** The registry of known secrets: everything written to stderr passes through it. */
export interface Redactor {
  /**
   * Masks the string from now on, literally and encoded (docs/promises.md, Masking). Short or common strings are ignored. A `credential`
   * of the run itself is masked even where it is a name.
   */
  add(text: string, kind?: 'credential'): void
  isCredential(text: string): boolean
  /** Keeps a name readable, such as a path, a job ID or a variable, also if a secret is equal to it or is a part of it. */
  keep(name: string): void
  /** True if the text is such a name, or is a part of one. */
  isNamed(text: string): boolean
  /** `name` is kept in this text only. */
  redact(text: string, name?: string): string
}

/** An empty registry, for a whole run. */
export function createRedactor(): Redactor {
  /** Each secret with its forms, computed on first use: a bulk run has thousands of secrets, and few lines to mask. */
  const secrets = new Map<string, readonly string[] | undefined>()
  /** Long lines of multi-line secrets. */
  const lines = new Set<string>()
  const credentials = new Set<string>()
  const names = new Set<string>()
  const namesWith = (form: string) => [...names].filter((name) => name.includes(form))
  return {
    keep(name) {
      // A shorter name is never equal to a secret, and has none inside.
      if (name.length >= shortestSecret && knownTokens(name).length === 0) names.add(name)
    },
    isNamed: (text) => !credentials.has(text) && namesWith(text).length > 0,
    isCredential: (text) => credentials.has(text.trim()),
    add(text, kind) {
      const bare = text.trim()
      if (kind === 'credential') credentials.add(bare)
      if (secrets.has(bare) || !isSecret(bare)) return
      secrets.set(bare, undefined)
      if (!bare.includes('\n')) return
      for (const line of bare.split('\n')) if (line.length >= 20 && line.trim() !== '') lines.add(line.trim())
    },
    redact(text, own) {
      const longest = largest(text.split(/[^\w+/=-]/).map((run) => run.length))
      const forms = new Set([...knownTokens(text), ...[...lines].filter((line) => text.includes(line))])
      // In a name alone, only a credential is masked.
      const searched = text === own ? [...credentials].filter((bare) => secrets.has(bare)) : secrets.keys()
      for (const bare of searched) {
        if (!mayContain(text, longest, bare)) continue
        const found = secrets.get(bare) ?? formsOf(bare)
        secrets.set(bare, found)
        for (const form of found) forms.add(form)
      }
      let masked = text
      for (const form of [...forms].toSorted((a, b) => b.length - a.length)) {
        const kept = own?.includes(form) === true ? [...namesWith(form), own] : namesWith(form)
        const holders = credentials.has(form) ? [] : kept
        masked = masked.replaceAll(form, (_, at: number, whole: string) =>
          holders.some((name) => isNameAt(whole, at, form, name)) ? form : '<redacted>',
        )
      }
      return masked
    },
  }
}

/** True if the form at this position is a part of the name, as a word of its own that isn't assigned to a secret-looking name. */
function isNameAt(text: string, at: number, form: string, name: string): boolean {
  for (let offset = name.indexOf(form); offset !== -1; offset = name.indexOf(form, offset + 1)) {
    const start = at - offset
    const before = text.slice(Math.max(0, start - longestName), Math.max(0, start))
    const isWord = !/[\w]$/.test(before) && !/^[\w]/.test(text.slice(start + name.length, start + name.length + 1))
    const [, assigned = ''] = /([\w.-]+)["']?\s{0,4}[:=]\s{0,4}["']?$/.exec(before) ?? []
    if (isWord && text.startsWith(name, start) && !secretName.test(assigned.toLowerCase())) return true
  }
  return false
}

/** Longest name of an assigned value that is looked at. */
const longestName = 60

/**
 * False if the text contains no form of the secret. Hexadecimal and Base64 are at least a third longer than the secret, less two
 * characters that depend on neighbours; `longest` is the longest run of their characters. All other forms keep letters and digits.
 */
function mayContain(text: string, longest: number, bare: string): boolean {
  if (longest >= Math.floor((bare.length * 4) / 3) - 2) return true
  return (bare.match(/[A-Za-z0-9]+/g) ?? []).every((run) => text.includes(run))
}

/** False for strings too short or too common to be masked everywhere, and for what is masked already. */
export function isSecret(text: string): boolean {
  const bare = text.trim()
  return (
    bare.length >= shortestSecret &&
    !common.has(bare.toLowerCase()) &&
    !/^(?:true|false|null|\d{1,8}|<redacted>|\(masked\b.*\))$/.test(bare)
  )
}

/** Typical names of secrets: `db_password`, `apikey`, `client-secret`. In lower case: ignoring case takes twice as long to compile. */
const secretName =
  /pass(?:w(?:or)?d|phrase|code)|pwd|secret|token|credential|private|signature|cookie|salt|(?:^|[^a-z])(?:pass|pin|auth|cert|dsn)(?:$|[^a-z])|(?:^|[_\W])key$|[a-z]key$|api_?key/

const urlWithPassword = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s:]*:[^/?#\s@]+@/i

/** Public strings: addresses, host names, paths, images, UUIDs. For millions of characters a pattern would lack memory. */
const longestPublic = 8192
const publicText =
  /^(?:[a-z][a-z0-9+.-]*:\/\/\S*|[^\s@]+@[\w.-]+|\.{0,2}\/[\w./-]*|[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?|[a-z0-9.-]+(?::\d+)?(?:\/[a-z0-9._-]+)+:\w[\w.-]{0,127}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** Variables that the scheduler interpolates in a job. */
const jobVariable = /\$\{(?:NOMAD_|attr\.|device\.|env\.|meta\.|node\.)[\w.-]*\}/g

/**
 * True for strings that a CI log must mask: values with a secret-looking name, known token types, URLs with a password, and anything
 * of 16 characters or more that looks generated (one word of letters and digits that is not an address, host name, path or UUID). Host
 * names, user names, numbers and the scheduler's `${…}` variables stay readable.
 */
export function looksSecret(text: string, name = ''): boolean {
  const bare = text.trim()
  if (secretName.test(name.toLowerCase()) || isKnownToken(bare) || urlWithPassword.test(bare)) return true
  const value = bare.replace(jobVariable, '')
  if (value.length < 16 || (value.length <= longestPublic && publicText.test(value))) return false
  return /^\S+$/.test(value) && /\p{L}/u.test(value) && /\d/.test(value)
}

const goEscapes: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' }
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Encodings in which a server or proxy may echo a string. */
function formsOf(text: string): string[] {
  const bytes = Buffer.from(text)
  // Not for the string itself: a lone surrogate has no encoding.
  const percent = encodeURIComponent(bytes.toString('utf8'))
  // Go encodes what JavaScript doesn't, except for the tilde; others encode that too.
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
 * The string in base64 and base64url at each of the three possible offsets in the encoded data (`user:text`), without characters that
 * depend on neighbouring bytes.
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
