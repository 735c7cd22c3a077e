/** Texts that everybody uses are no secrets: masking them would mangle messages and hide nothing. */
const shortestSecret = 6
const common = new Set(['localhost', 'default', 'secret', 'password', 'postgres', 'example', 'changeme'])

/** The one registry of known secrets: what is said on stderr passes through it. */
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

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}
