import type { TugError } from '../../core/errors.ts'
import { fileWords } from '../../core/words.ts'
import { cells } from '../../output/width.ts'
import type { VariablesText } from './variables.ts'

/** The source of a parse, to show the lines that its diagnostics refer to. */
export interface ParsedSource {
  /** The job file's name as typed; `-` for standard input. */
  readonly file: string
  readonly text: string
  readonly variables: VariablesText
}

/** One diagnostic of the server's parser (docs/servers.md, Parsing and variables). */
interface Diagnostic {
  readonly words: string
  /** True if the lines are those of the variables, not of the job file. */
  readonly ofVariables: boolean
  /** The variable whose flag is at fault; the position is then within its value. */
  readonly flag?: string
  readonly range?: Range
}

/** Lines and columns from 1, columns in characters, the end exclusive. */
interface Range {
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
}

const heading = 'Failed to parse job: '
const variablesHeading = 'unable to parse var content: '
const finding = /^(?:<nil>|(.+?):(\d+),(\d+)-(?:(\d+),)?(\d+)): ([\s\S]*)$/

/** True if the parse failed because of errors in the file. */
export function isParseFailure(error: unknown): error is TugError {
  return error instanceof Error && error.message.startsWith(heading)
}

/** The failure with each diagnostic at its position, the source line and a mark below it. */
export function explainParseFailure(error: TugError, source: ParsedSource): TugError {
  const found = diagnosticsOf(error.message)
  const name = fileWords(source.file)
  const count = found.length === 1 ? 'an error' : `${found.length} errors`
  return error.with({
    code: 'invalid',
    message: [`${count} in ${name}`, ...found.map((one) => explained(one, source))].join('\n'),
    hints: hintsFor(error.message),
  })
}

/** A line with a position starts a diagnostic; other lines belong to the one before. */
function diagnosticsOf(message: string): Diagnostic[] {
  let rest = message.slice(heading.length)
  const allOfVariables = rest.startsWith(variablesHeading)
  if (allOfVariables) rest = rest.slice(variablesHeading.length)
  const texts: string[] = []
  for (const line of rest.split('\n')) {
    if (texts.length === 0 || finding.test(line)) texts.push(line)
    else texts[texts.length - 1] += `\n${line}`
  }
  return texts.map((text) => {
    const [, file, line, column, endLine, endColumn, words = text] = finding.exec(text) ?? []
    const ofVariables =
      allOfVariables || /^(?:Invalid value for (?:varfile )?variable|Variables not allowed);/.test(words)
    if (file === undefined) return { words, ofVariables }
    const [, flag] = /^<value for var\.(.+) from arguments>$/.exec(file) ?? []
    if (flag !== undefined) return { words, ofVariables, flag }
    return {
      words,
      ofVariables,
      range: {
        line: Number(line),
        column: Number(column),
        endLine: Number(endLine ?? line),
        endColumn: Number(endColumn),
      },
    }
  })
}

function explained({ words, ofVariables, flag, range }: Diagnostic, source: ParsedSource): string {
  const fromVariables = ofVariables && source.variables.text !== ''
  const readable = sentence(words.replaceAll(/\binput\.hcl:/g, `${fileWords(source.file)}:`))
  if (flag !== undefined) return `--var ${flag}: ${readable}`
  if (range === undefined) return `  ${readable}`
  const place = fromVariables
    ? source.variables.origin(range.line)
    : `${fileWords(source.file)}:${range.line}:${range.column}`
  const excerpt = excerptOf(fromVariables ? source.variables.text : source.text, range)
  return [`${place}: ${readable}`, ...excerpt].join('\n')
}

/** `Summary; Detail` → `Summary: Detail`. */
function sentence(words: string): string {
  const [, summary, detail] = /^([^;]*); ([\s\S]*)$/.exec(words.trimEnd()) ?? []
  return summary === undefined || detail === undefined ? words : `${summary}: ${detail.replaceAll(/ {2,}/g, ' ')}`
}

/** The line with its number, and carets below the marked range. */
function excerptOf(text: string, { line, column, endLine, endColumn }: Range): string[] {
  const shown = text.split('\n')[line - 1]?.replace(/\r$/, '')
  if (shown === undefined) return []
  const characters = Array.from(shown)
  const end = endLine === line ? endColumn - 1 : characters.length
  const before = characters.slice(0, column - 1)
  const marked = characters.slice(column - 1, Math.max(end, column)).join('')
  const gutter = String(line)
  const blank = before.map((character) => (character === '\t' ? '\t' : ' '.repeat(cells(character)))).join('')
  return [
    `  ${gutter} | ${shown}`,
    `  ${' '.repeat(gutter.length)} | ${blank}${'^'.repeat(Math.max(1, cells(marked)))}`,
  ]
}

function hintsFor(message: string): string[] {
  const unset = [...message.matchAll(/Unset variable "([^"]+)"/g)].map(([, name]) => `--var ${name}=…`)
  return [
    ...(unset.length === 0 ? [] : [`set it: ${unset.join(' ')}, or --var-file <file>`]),
    ...(/filesystem function disabled/.test(message)
      ? ['the server cannot read files: put the text into the job file, or pass it with --var name="$(cat file)"']
      : []),
  ]
}
