const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/**
 * A bar for `value` of `max`, at most `width` cells long and without blanks behind it. Any value above zero is seen.
 */
export function bar(value: number, max: number, width: number): string {
  if (!(value > 0) || !(max > 0) || !(width >= 1)) return ''
  const share = Math.min(1, value / max) * Math.floor(width)
  const parts = Math.max(1, Math.round(share * 8))
  return '█'.repeat(Math.floor(parts / 8)) + (eighths[parts % 8] as string)
}
