/** `1 secret`, `2 secrets`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A file's name in messages: `-` is standard input. */
export function fileWords(path: string): string {
  return path === '-' ? 'standard input' : path
}

/** A size for people: `9.4 kB`. */
export function readableBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}
