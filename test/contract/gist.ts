/** The parts of an error that matter to a reader: what failed, where, and what kind of mistake it is. */
export function gistOf(text: string): string {
  const syntax = /^(?:failed to create result paginator: )?failed to read filter expression/.exec(text)
  if (syntax !== null) return syntax[0]
  const page = 'failed to read result page: '
  if (text.startsWith(page)) return page + kindOfMismatch(text)
  return text.startsWith('Failed to parse job: ') ? linesAndSummaries(text) : text
}

/** The lines at fault and what kind of mistake is there. Real servers point at other columns, and tell mistakes of syntax apart. */
function linesAndSummaries(text: string): string {
  return diagnosticsGist(text.replaceAll(/\n.*: value must be known.*/g, ''))
    .replaceAll(/(input\.hcl:\d+),[\d,-]+/g, '$1')
    .replaceAll(syntaxSummaries, 'Syntax error')
}

const syntaxSummaries =
  /(?<=: )(?:Unclosed configuration block|Invalid expression|Invalid single-argument block definition)$/gm

/** What is wrong with a job file and where, without advice and without faults that follow from others. */
export function diagnosticsGist(text: string): string {
  const lines = text.split('\n\nThis was checked by')[0]?.split('\n') ?? []
  return lines.map(diagnosticGist).join('\n')
}

/** Why a filter does not fit a job. */
function kindOfMismatch(text: string): string {
  if (/cannot perform|not convertible|suitable primitive|getting match value/.test(text)) return 'wrong type'
  const kinds =
    /couldn't find key|invalid value kind|out of range|couldn't convert|regular expression|is not a list|cannot be used/
  return kinds.exec(text)?.[0] ?? text.replace(/references a \w+/, 'references a value')
}

/** `file:line,column-column: Summary`. */
function diagnosticGist(line: string): string {
  return line.replace(
    /^((?:Failed to parse job: |unable to parse var content: )*(?:[^;]*?:[\d,-]+|<nil>): [^;]*);.*$/,
    '$1',
  )
}
