/** A list of validation errors starts with their number, or with a prefix that a follower adds. */
const listHeading = /^(?:rpc error: (?:code = \w+ desc = )?)?\d+ errors? occurred:/

/** True for a list of errors in log format: `2 errors occurred:` and bullets. */
export function isErrorList(words: string): boolean {
  return listHeading.test(words)
}

/** Removes the heading and bullets of such a list. */
export function withoutHeading(words: string): string {
  const bare = words.replace(/^rpc error: (?:code = \w+ desc = )?/, '')
  if (!listHeading.test(bare)) return bare
  return bare
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/^\s*\*\s*/, '').trim())
    .filter((line) => line !== '' && !/^\d+ errors? occurred:$/.test(line))
    .join('; ')
}
