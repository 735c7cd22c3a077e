import { entriesOf, isObject, jsonOrNothing } from '../core/json.ts'
import type { Json } from '../core/json.ts'
import type { Host } from '../process/host.ts'
import type { Redactor } from './redact.ts'
import { isSecret, looksSecret } from './redact.ts'
import { escapeData } from './safe.ts'
import { secretsIn } from './secret-text.ts'
import { writable } from './streams.ts'

/** Secrets that the log of a GitHub workflow must mask. They are announced before anything is printed. */
export interface Masks {
  /** Registers a string that may be printed from now on. */
  add(text: string): void
  /** Registers all that looks secret in a result that is printed next. */
  see(data: Json): void
  /** The same for bytes that are printed unchanged. */
  seeText(text: string | Uint8Array): void
  /** Writes `::add-mask::` for each line of each new secret. Call it before anything is written to stdout. */
  announce(): void
}

/** Members that describe or name something, although they may be named after a secret: `token_type`, `SecretsNamespace`. */
const describes =
  /(?:types?|policy|policies|names?|namespace|ttl|paths?|versions?|times?|periods?|uses|methods?|formats?|roles?|status|state|engines?|enabled|required|modes?)$/i

/** Members that identify something by a text that looks generated. */
const identifies = /(?:ids?|image|digest|hash|sha\d*|fingerprint|url|uri|address|addr|node|alloc|commit|ref)$/i

/** Members with the name of something that messages and later commands need. */
const isNameOf = /^(?:id|name|jobid|parentid|path)$/i

/** Text that is kept for the next piece, where a value may go on. */
const longestTail = 4096

/**
 * The masks of a run in a GitHub workflow. The lines go to stderr, which the runner reads too, so stdout contains only the result. A
 * mask is one line, so a multi-line value has several. A name is never masked: it would be in commands that follow.
 */
export function createMasks(
  host: Pick<Host, 'stderr'>,
  redactor: Pick<Redactor, 'keep' | 'isCredential' | 'isNamed'>,
): Masks {
  const announced = new Set<string>()
  const waiting = new Set<string>()
  let tail = ''
  function add(text: string): void {
    for (const line of text.split(/[\r\n]+/).map((one) => one.trim())) {
      // The first and last lines of keys and certificates are always the same.
      const isFrame = /^-----(?:BEGIN|END) .*-----$/.test(line)
      if (isSecret(line) && !isFrame && !announced.has(line)) waiting.add(line)
    }
  }
  function seeString(text: string): void {
    for (const [secret] of secretsIn(text)) add(secret)
    for (const [key] of text.matchAll(/-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*/g)) add(key)
  }
  function seeValue(value: Json, name: string): void {
    if (typeof value === 'string') {
      if (redactor.isCredential(value) || isHidden(value, name)) add(value)
      else if (isNameOf.test(name) && !looksSecret(value)) redactor.keep(value)
      else if (value.length >= 8) seeString(value)
    } else if (Array.isArray(value)) for (const item of value) seeValue(item, name)
    else if (isObject(value))
      for (const [key, item] of entriesOf(value)) {
        redactor.keep(key)
        // A field of a diff.
        seeValue(item, /^(?:Old|New)$/.test(key) && typeof value['Name'] === 'string' ? value['Name'] : key)
      }
  }
  return {
    add,
    see: (data) => seeValue(data, ''),
    seeText(piece) {
      const text = tail + (typeof piece === 'string' ? piece : Buffer.from(piece).toString())
      tail = text.slice(text.lastIndexOf('\n') + 1).slice(-longestTail)
      const whole = jsonIn(text)
      if (whole !== undefined) return seeValue(whole, '')
      for (const line of text.split('\n')) {
        const value = jsonIn(line)
        if (value !== undefined) seeValue(value, '')
      }
      seeString(text)
    },
    announce() {
      const lines = [...waiting].filter((line) => !redactor.isNamed(line))
      waiting.clear()
      if (lines.length === 0) return
      writable(host.stderr).write(lines.map((line) => `::add-mask::${escapeData(line)}\n`).join(''))
      for (const line of lines) announced.add(line)
    },
  }
}

/** The value of a document, or of a line, of JSON. */
function jsonIn(text: string): Json | undefined {
  return /^\s*[[{]/.test(text) ? jsonOrNothing(text) : undefined
}

/** Known tokens, and passwords in addresses, are found inside text as well. */
function isHidden(value: string, name: string): boolean {
  return !describes.test(name) && (looksSecret('', name) || (!identifies.test(name) && looksSecret(value)))
}
