/** Bodies that are too long to be kept whole in the recordings: built again and held to the recorded length. */

const long: Readonly<Record<string, () => string>> = {
  '1 MiB value': () => JSON.stringify({ data: { v: 'x'.repeat(1_048_576) } }).replaceAll(':', ': '),
  'just under 32 MiB': () => `{"data":{"v":"${'x'.repeat(33_554_412)}"}}`,
  'over 32 MiB': () => `{"data":{"v":"${'x'.repeat(33_554_442)}"}}`,
  '400 pairs (800 strings)': () => pairs('k', 400),
  '499 pairs (999 strings with the word data)': () => pairs('k', 499),
  '500 pairs (1001 strings)': () => pairs('k', 500),
  'patch with 500 pairs': () => pairs('k', 500),
  'patch 200 pairs onto 400: result may exceed': () => pairs('n', 200),
  '2000 numbers are fine (1001st string not reached)': () => `{"data":{"l":[${Array(2000).fill(1).join(',')}]}}`,
  'nesting 200 deep': () => `{"data":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`,
  'nesting 11000 deep': () => `{"data":{"a":${'['.repeat(11_000)}${']'.repeat(11_000)}}}`,
}

/** The body that was sent; `kept` is the part in the recording. Throws if a rebuilt body has another length. */
export function fullBody(name: string, kept: string | undefined): string | undefined {
  const bytes = /…\[(\d+) bytes in all\]$/.exec(kept ?? '')?.[1]
  if (bytes === undefined) return kept
  const body = long[name]?.() ?? ''
  if (body.length !== Number(bytes)) throw new Error(`${name}: ${body.length} bytes instead of ${bytes}`)
  return body
}

function pairs(letter: string, count: number): string {
  const all = Array.from({ length: count }, (_, index) => `"${letter}${index}": "v"`)
  return `{"data": {${all.join(', ')}}}`
}
