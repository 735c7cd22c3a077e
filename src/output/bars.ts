const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/**
 * A bar for `value` of `max`, at most `width` cells long and without blanks behind it. Any value above zero is seen.
 * `ascii` draws whole cells of `#` instead of eighth blocks.
 */
export function bar(value: number, max: number, width: number, options?: { ascii?: boolean }): string {
  if (!(value > 0) || !(max > 0) || !(width >= 1)) return ''
  const share = Math.min(1, value / max) * Math.floor(width)
  if (options?.ascii === true) return '#'.repeat(Math.max(1, Math.round(share)))
  const parts = Math.max(1, Math.round(share * 8))
  return '█'.repeat(Math.floor(parts / 8)) + (eighths[parts % 8] as string)
}
