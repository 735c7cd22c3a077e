import { FilterError } from './jobs-filter-error.ts'

/** The pieces of an RE2 expression that JavaScript spells differently; whatever else there is stays. */
const piece =
  /\\Q(?<literal>.*?)(?:\\E|$)|\\(?<sign>[pP])(?:\{(?<not>\^?)(?<script>\w+)\}|(?<category>\w))|\\x\{(?<code>[\da-fA-F]+)\}|\\(?<escaped>[^])|\[:(?<negated>\^?)(?<posix>\w+):\]|\[(?<start>\^?\]?)(?<items>(?:\[:\^?\w+:\]|\\[^]|[^\]])*)\]|\(\?P</gs

const posixClasses: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  blank: '\\t ',
  digit: '0-9',
  lower: 'a-z',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
}
const negatedPosixClasses: Readonly<Record<string, string>> = { digit: '\\D', space: '\\S', word: '\\W' }
const respelled: Readonly<Record<string, string>> = { A: '(?<![^])', z: '(?![^])', a: '\\x07', '-': '\\x2d' }

/**
 * An RE2 expression as a RegExp. Throws {@link FilterError} with the server's words where the expression is wrong. Flags
 * such as `(?i)` are understood at the start only.
 */
export function patternOf(text: string): RegExp {
  const [lead = '', flags = ''] = /^\(\?([ims]+)\)/.exec(text) ?? []
  const source = text.slice(lead.length)
  const fault = faultOf(source)
  if (fault !== undefined) throw unusable(text, fault)
  const names = [...new Set(flags)].join('')
  const translation = translated(source)
  // With the flag u a lone bracket or brace is an error, which RE2 takes literally; without it \p is unknown.
  const pattern = compiled(translation, `u${names}`)
  if (pattern !== undefined) return pattern
  const lenient = /\\[pP]/.test(translation) ? undefined : compiled(translation, names)
  if (lenient === undefined) throw unusable(text, `invalid expression: \`${source}\``)
  return lenient
}

function compiled(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags)
  } catch {
    return undefined
  }
}

function unusable(text: string, problem: string): FilterError {
  return new FilterError(
    `failed to compile regular expression ${JSON.stringify(text)}: error parsing regexp: ${problem}`,
  )
}

/** What the server would say of an expression; undefined when it looks right. */
function faultOf(source: string): string | undefined {
  const unquoted = source.replace(/\\Q.*?(?:\\E|$)/gs, (whole) => 'x'.repeat(whole.length))
  const escapes = Array.from(unquoted.matchAll(/\\(?:[0-7]{2,3}|[^]|$)/g), ([escape]) => escape)
  if (escapes.includes('\\')) return 'trailing backslash at end of expression: ``'
  const strange = escapes.find((escape) => /^\\(?:[1-9]|(?![aftnrvdDsSwWbBAzxpPE])[A-Za-z])$/.test(escape))
  if (strange !== undefined) return `invalid escape sequence: \`${strange}\``
  const outside = unquoted
    .replaceAll(/\\[^]/g, 'xx')
    .replaceAll(/\[\^?(?:\[:\^?\w+:\]|[^])(?:\[:\^?\w+:\]|[^\]])*\]/g, 'x')
  const open = /\[[^]*$/.exec(outside)
  if (open !== null) return `missing closing ]: \`${source.slice(source.length - open[0].length)}\``
  return faultOfGroups(outside, source) ?? faultOfRepetition(outside)
}

function faultOfGroups(outside: string, source: string): string | undefined {
  if (/\(\?[imsU-]+[:)]/.test(outside)) return 'flags are understood at the start of the expression only'
  const [capture] = /\(\?P?<(?!\w+>)[^)]*\)?/.exec(outside) ?? []
  if (capture !== undefined) return `invalid named capture: \`${capture}\``
  const [strange] = /\(\?(?!:|P?<)[^]?/.exec(outside) ?? []
  if (strange !== undefined) return `invalid or unsupported Perl syntax: \`${strange}\``
  let depth = 0
  for (const character of outside) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (depth < 0) return `unexpected ): \`${source}\``
  }
  return depth > 0 ? `missing closing ): \`${source}\`` : undefined
}

function faultOfRepetition(outside: string): string | undefined {
  const nested = /(?:[*+]\??|\?)[*+]|\?\?\?/.exec(outside.replaceAll('(?', '('))
  if (nested !== null) return `invalid nested repetition operator: \`${nested[0]}\``
  const [, repetition] = /(?:^|[(|])([*+?])/.exec(outside.replaceAll(/\(\?(?::|P?<\w+>)/g, '(')) ?? []
  return repetition === undefined ? undefined : `missing argument to repetition operator: \`${repetition}\``
}

function translated(source: string): string {
  return source.replaceAll(piece, (whole: string, ...rest: unknown[]) => {
    const part = rest.at(-1) as Record<string, string | undefined>
    const { literal, sign, script, category, code, escaped, posix, items } = part
    if (literal !== undefined) return literal.replaceAll(/[\^$\\.*+?()[\]{}|/]/g, '\\$&')
    if (sign !== undefined) return unicodeClass((sign === 'P') !== (part['not'] === '^'), script ?? category ?? '')
    if (escaped !== undefined) return respelled[escaped] ?? (/[\w^$\\.*+?()[\]{}|/]/.test(escaped) ? whole : escaped)
    if (code !== undefined) return `\\u{${code}}`
    if (items !== undefined) return `[${part['start']?.replace(']', '\\]')}${translated(items)}]`
    if (posix === undefined) return '(?<'
    return (part['negated'] === '^' ? negatedPosixClasses : posixClasses)[posix] ?? whole
  })
}

function unicodeClass(negated: boolean, name: string): string {
  return `\\${negated ? 'P' : 'p'}{${name.length > 2 ? `Script=${name}` : name}}`
}
