/** A setting's or variable's text as a boolean; an empty one, `0`, `false` and `no` are false. */
export function isYes(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no', 'f', 'n'].includes(value.toLowerCase())
}
