/** A setting's or variable's text as a boolean; an empty one, `0`, `false` and `no` are false. */
export function isYes(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no', 'f', 'n'].includes(value.toLowerCase())
}

/** True where nothing may move or be drawn over: for screen readers (`TUG_ACCESSIBLE=1`) and on simple terminals (`TERM=dumb`). */
export function isSimpleTerminal(env: Readonly<Record<string, string | undefined>>): boolean {
  return isYes(env['TUG_ACCESSIBLE']) || env['TERM'] === 'dumb'
}
