/** `1 secret`, `2 secrets`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A file's name in messages: `-` is standard input. */
export function fileWords(path: string): string {
  return path === '-' ? 'standard input' : path
}
