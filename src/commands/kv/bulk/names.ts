const mostNamed = 10

/** The first names of a question. */
export function namedIn(names: readonly string[]): string {
  return names.slice(0, mostNamed).join(', ') + (names.length > mostNamed ? ', …' : '')
}
