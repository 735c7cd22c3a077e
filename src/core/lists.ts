/** `Math.max` for long arrays. */
export function largest(numbers: Iterable<number>, least = 0): number {
  let found = least
  for (const one of numbers) if (one > found) found = one
  return found
}

export function sumOf(numbers: Iterable<number>): number {
  let sum = 0
  for (const one of numbers) sum += one
  return sum
}

/** Groups items by key, keeping their order. */
export function grouped<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
