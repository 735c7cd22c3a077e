// What may stand in a path, as it is typed.

const control = /[\u0000-\u001f\u007f-\u009f]/

/** Refuses what a path cannot contain: control characters, and text that isn't Unicode. */
function readPathText(text: string): string {
  if (control.test(text)) throw new RangeError('control characters are not allowed in a path')
  if (!isUnicode(text)) throw new RangeError('not valid Unicode text')
  return text
}

/** False if bytes of the command line that weren't UTF-8 have become U+FFFD, or for half of a character. */
function isUnicode(text: string): boolean {
  return !/[\ud800-\udfff\ufffd]/u.test(text)
}

/** True if the text may be part of a path. Patterns with classes of Unicode would take a millisecond of every start. */
export function isPathText(text: string): boolean {
  return !control.test(text) && isUnicode(text)
}

/** One path segment. Throws RangeError. */
export function readSegment(text: string): string {
  if (text === '') throw new RangeError('must not be empty')
  if (text === '.' || text === '..') throw new RangeError(`'${text}' cannot be a name`)
  if (text.split('/').some((part) => part === '..' || part === '.'))
    throw new RangeError(`'${text}' contains a '.' or '..' segment`)
  return readPathText(text)
}

/** One path segment without a slash. Throws RangeError. */
export function readName(text: string): string {
  if (text.includes('/')) throw new RangeError(`'${text}' must not contain a slash`)
  return readSegment(text)
}

/** A path of segments without a slash at either end. Throws RangeError. */
export function readSegments(text: string): string {
  if (text === '') throw new RangeError('must not be empty')
  if (text.endsWith('/')) throw new RangeError(`'${text}' ends with a slash, as folders do; a secret's path doesn't`)
  for (const part of text.split('/')) {
    if (part === '') throw new RangeError(`'${text}' has an empty segment (a doubled or leading slash)`)
    readSegment(part)
  }
  return text
}

/** A path of segments that may end with a slash; '' for the whole mount. Throws RangeError. */
export function readFolder(text: string): string {
  if (text.endsWith('//')) throw new RangeError(`'${text}' has an empty segment (a doubled or leading slash)`)
  const bare = text.endsWith('/') ? text.slice(0, -1) : text
  return bare === '' ? '' : readSegments(bare)
}
