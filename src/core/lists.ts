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

/** Compares names, with the numbers in them as numbers: `row 2` comes before `row 10`. */
export function compareNames(one: string, other: string): number {
  let start = 0
  while (start < one.length && one[start] === other[start]) start += 1
  // The number that differs may have begun before.
  while (/\d/.test(one[start - 1] ?? '')) start -= 1
  const [first, second] = [one, other].map((name) => /^0*(\d+)/.exec(name.slice(start))?.[1]?.length)
  return (first && second && first - second) || (one < other ? -1 : Number(one > other))
}
