import { fstatSync, statSync, writeSync } from 'node:fs'

const longFlags = new Map([
  ['-h', '--help'],
  ['-V', '--version'],
])

/**
 * Prints help, the version or a completion script from `texts.json`, where the build keeps what they print in a pipe. False,
 * with nothing printed, for everything else: another line, a terminal (which has a width and colours), a stdout that does not
 * take it.
 */
export function printFixedText(read: (file: string) => string, target: NodeJS.Process): boolean {
  const { argv, env } = target
  const words = argv.slice(2).map((word) => longFlags.get(word) ?? word)
  const line = words.join(' ')
  const isFixed = words.at(-1) === '--help' || line === '--version' || (words.length === 2 && words[0] === 'completion')
  if (!isFixed || !words.every((word) => /^[a-z-]+$/.test(word)) || env['FORCE_COLOR'] || !isPlainStdout()) return false
  const texts = JSON.parse(read('texts.json')) as Record<string, string>
  return Object.hasOwn(texts, line) && isWritten(Buffer.from(texts[line] as string), target)
}

/** True for a file, a pipe or nowhere. Asking the stream would take much of the time that this saves. */
function isPlainStdout(): boolean {
  try {
    const stdout = fstatSync(1)
    return stdout.isFile() || stdout.isFIFO() || stdout.isSocket() || stdout.rdev === statSync('/dev/null').rdev
  } catch {
    return false
  }
}

/** False if nothing could be written: the program then says why. */
function isWritten(bytes: Uint8Array, target: NodeJS.Process): boolean {
  let done: number
  try {
    done = writeSync(1, bytes)
  } catch {
    return false
  }
  if (done === bytes.length) return true
  target.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    target.exitCode = code === 'EPIPE' ? 141 : 1
  })
  target.stdout.write(bytes.subarray(done))
  return true
}
