import type { Io } from '../../../core/context.ts'
import { usageError } from '../../../core/errors.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { JsonNumber, keysOf, sameNumber } from '../../../core/json.ts'

const mostNamed = 20

/**
 * Checks secrets, by their paths or one by '', for what servers would change: numbers, because they use 64-bit floats
 * (docs/servers.md, Secrets numbers), and texts that UTF-8 cannot hold. Warns about keys with numbers that would be rounded; throws
 * a usage error for numbers that no server accepts and for such texts.
 */
export function checkValues(io: Io, secrets: Iterable<readonly [path: string, data: JsonObject | null]>): void {
  const lossy: string[] = []
  for (const [path, data] of secrets) {
    for (const key of keysOf(data ?? {})) {
      const problem = Math.max(problemIn(key), problemIn(data?.[key] ?? null))
      if (problem === problems.none) continue
      const label = path === '' ? key : `${path} ${key}`
      if (problem === problems.torn)
        throw usageError(`${label}: half of a surrogate pair is not text; encode binary data first, with base64`)
      if (problem === problems.tooLarge)
        throw usageError(`${label}: a number is larger than a 64-bit float; write it as text to keep it`)
      lossy.push(label)
    }
  }
  if (lossy.length === 0) return
  const more = lossy.length > mostNamed ? ` and ${lossy.length - mostNamed} more` : ''
  io.warnAlways(
    `${lossy.slice(0, mostNamed).join(', ')}${more}: servers round a number with more digits than a 64-bit float; write it as text to keep it`,
  )
}

/** The worst is the largest. */
const problems = { none: 0, lossy: 1, tooLarge: 2, torn: 3 }

/** The worst problem of a value and all that it contains. */
function problemIn(value: Json): number {
  // Servers replace half of a surrogate pair by another character.
  if (typeof value === 'string') return /\p{Cs}/u.test(value) ? problems.torn : problems.none
  if (typeof value !== 'object' || value === null) return problems.none
  if (value instanceof JsonNumber) {
    if (!Number.isFinite(Number(value.text))) return problems.tooLarge
    return isLossy(value) ? problems.lossy : problems.none
  }
  let worst = problems.none
  if (Array.isArray(value)) for (const item of value) worst = Math.max(worst, problemIn(item))
  else for (const key of keysOf(value)) worst = Math.max(worst, problemIn(key), problemIn(value[key] ?? null))
  return worst
}

/** True for a number that a 64-bit float cannot hold: servers would change it (docs/servers.md, Secrets numbers). */
function isLossy(value: Json): boolean {
  return value instanceof JsonNumber && !sameNumber(value, Number(value.text))
}
