type Headers = Readonly<Record<string, string>>

/**
 * Milliseconds that an answer asks to wait: Retry-After (seconds or a date) or x-ratelimit-reset (seconds); the longer one.
 * Undefined if it asks for none: repeating at once would be refused again.
 */
export function waitAsked(headers: Headers, now: Date): number | undefined {
  const waits = [headers['retry-after'], headers['x-ratelimit-reset']].flatMap((value) => {
    if (value === undefined || value === '') return []
    if (/^\d+(?:\.\d+)?$/.test(value)) return [Number(value) * 1000]
    const date = Date.parse(value)
    return Number.isNaN(date) ? [] : [Math.max(0, date - now.getTime())]
  })
  return Math.max(0, ...waits) || undefined
}

/** True if the answer says that the quota is used up until it is filled again. */
export function usedUp(headers: Headers): boolean {
  return Number(headers['x-ratelimit-remaining'] || NaN) === 0
}
