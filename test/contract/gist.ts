/** The parts of an error that matter to a reader: what failed, where, and what kind of mistake it is. */
export function gistOf(text: string): string {
  const syntax = /^(?:failed to create result paginator: )?failed to read filter expression: \d+:\d+ \(\d+\)/.exec(text)
  if (syntax !== null) return syntax[0]
  const page = 'failed to read result page: '
  if (text.startsWith(page)) return page + kindOfMismatch(text)
  const parse = 'Failed to parse job: '
  if (!text.startsWith(parse)) return text
  return parse + text.slice(parse.length).split('\n').map(diagnosticGist).join('\n')
}

/** Why a filter does not fit a job. */
function kindOfMismatch(text: string): string {
  if (/cannot perform|not convertible|suitable primitive|getting match value/.test(text)) return 'wrong type'
  const kinds =
    /couldn't find key|invalid value kind|out of range|couldn't convert|regular expression|is not a list|cannot be used/
  return kinds.exec(text)?.[0] ?? text.replace(/references a \w+/, 'references a value')
}

/** `file:line,column-column: Summary`, without the server's advice. */
function diagnosticGist(line: string): string {
  return line.replace(/, and \d+ other diagnostic\(s\)$/, '').replace(/^(.*?: [^;:]*);.*$/, '$1')
}
