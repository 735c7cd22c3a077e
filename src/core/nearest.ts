/** The candidates that a misspelt word may mean, nearest first; at most two, none far off. */
export function nearest(word: string, candidates: Iterable<string>): string[] {
  const wanted = word.toLowerCase()
  const limit = Math.max(1, Math.floor(wanted.replace(/^-+/, '').length / 3))
  return [...candidates]
    .map((candidate) => ({ candidate, distance: closeness(wanted, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, 2)
    .map(({ candidate }) => candidate)
}

/** What follows an unknown name in an error: `. Did you mean 'a' or 'b'?`, or nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const found = nearest(word, candidates)
  return found.length === 0 ? '' : `. Did you mean ${found.map((one) => `'${one}'`).join(' or ')}?`
}

/** Edit distance; the beginning, the end or a part of the candidate counts as near. */
function closeness(word: string, candidate: string): number {
  if (
    word.length >= 3 &&
    (candidate.startsWith(word) || candidate.endsWith(`_${word}`) || candidate.split(/[_-]/).includes(word))
  )
    return 1
  return editDistance(word, candidate)
}

/** Insertions, deletions, replacements and swaps of neighbours between two words. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, (row[j - 1] as number) + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (before[j - 2] as number) + 1)
      }
      next.push(best)
    }
    before = row
    row = next
  }
  return row[b.length] as number
}
