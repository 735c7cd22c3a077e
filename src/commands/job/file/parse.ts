import * as api from '../../../api/jobs.ts'
import type { Job } from '../../../api/job-shapes.ts'
import { asJson } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { objectFrom } from '../../../core/json.ts'
import { shellQuote } from '../../../core/shell.ts'
import { fileWords } from '../../../core/words.ts'
import { cells } from '../../../output/width.ts'
import { keepJobSecrets, keepSourceSecrets, keepVariableSecrets, parseSecrets } from '../secrets.ts'
import type { JobFile } from './file.ts'
import { overNamespace } from '../jobs.ts'
import { checkNamespace, namespaceOf } from './file.ts'
import type { VariablesText } from './variables.ts'
import { assignedStrings, declaredIn, variablesText } from './variables.ts'

/** The job of a file, and the response if the server parsed it. */
interface ParsedJob {
  readonly job: Job
  readonly rawBody?: Uint8Array
}

/** The job of a file: JSON unchanged, HCL as the server parses it. Parse errors show the lines of the file. */
export async function parseJobFile(context: Context, file: JobFile, canonicalize: boolean): Promise<ParsedJob> {
  const { io } = context
  if (file.job !== undefined) {
    keepJobSecrets(io, asJson(file.job))
    return { job: file.job }
  }
  keepVariableSecrets(io, [...file.flags, ...assignedStrings(file.variableFiles)])
  keepSourceSecrets(io, file.source)
  const { variables: declared } = declaredIn(file.source)
  const variables = variablesText(file.variableFiles, file.flags, declared)
  try {
    const response = await context.http.send(
      api.parse(
        {},
        {
          ...overNamespace(context, file.namespace),
          secretBody: parseSecrets,
          body: parseBody(file, canonicalize, variablesText(file.variableFiles, [], declared), file.flags),
          // A product ignores `VariableFlags` (docs/servers.md, Parsing and variables).
          ...(file.flags.length === 0 ? {} : { productBody: parseBody(file, canonicalize, variables, []) }),
        },
      ),
    )
    const job = response.value
    keepJobSecrets(io, asJson(job))
    const namespace = namespaceOf(file, job)
    if (namespace !== undefined && file.namespace === undefined) checkNamespace(context, file, namespace)
    return { job, rawBody: response.body }
  } catch (error) {
    throw explainParseFailure(error, { file: file.file, text: file.source, variables })
  }
}

function parseBody(
  { source, format }: JobFile,
  canonicalize: boolean,
  { text }: VariablesText,
  flags: JobFile['flags'],
): JsonObject {
  return {
    JobHCL: source,
    ...(canonicalize ? { Canonicalize: true } : {}),
    ...(text === '' ? {} : { Variables: text }),
    ...(flags.length === 0 ? {} : { VariableFlags: objectFrom(flags) }),
    ...(format === 'hcl1' ? { HCLv1: true } : {}),
  }
}

/** What was parsed, to show the lines that diagnostics refer to. */
interface ParsedSource {
  /** The job file's name as typed; `-` for standard input. */
  readonly file: string
  readonly text: string
  readonly variables: VariablesText
}

/** One diagnostic of the server's parser (docs/servers.md, Parsing and variables). */
interface Diagnostic {
  readonly words: string
  /** True if the position is in the variables, not in the job file. */
  readonly ofVariables: boolean
  /** The `--var` variable at fault, which has no position. */
  readonly variable?: string
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

/**
 * An error in the file with each diagnostic at its position, the source line and a mark below it; any other error as it is.
 * @internal
 */
export function explainParseFailure(error: unknown, source: ParsedSource): unknown {
  if (!(error instanceof TugError) || !error.message.startsWith(heading)) return error
  const found = diagnosticsOf(error.message)
  const name = fileWords(source.file)
  const count = found.length === 1 ? 'an error' : `${found.length} errors`
  return error.with({
    code: 'invalid',
    message: [`${count} in ${name}`, ...found.flatMap((one) => explained(one, source))],
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
    const [, variable] = /^<value for var\.(.+) from arguments>$/.exec(file) ?? []
    if (variable !== undefined) return { words, ofVariables, variable }
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

function explained({ words, ofVariables, variable, range }: Diagnostic, source: ParsedSource): string[] {
  const fromVariables = ofVariables && source.variables.text !== ''
  const [, summary, detail] = /^([^;]*); ([\s\S]*)$/.exec(words.trimEnd()) ?? []
  const sentence = summary === undefined ? words : `${summary}: ${detail?.replaceAll(/ {2,}/g, ' ') ?? ''}`
  const readable = sentence.replaceAll(/\binput\.hcl:/g, `${fileWords(source.file)}:`)
  if (variable !== undefined) return [`--var ${variable}: ${readable}`]
  if (range === undefined) return [`  ${readable}`]
  const place = fromVariables
    ? source.variables.origin(range.line)
    : `${fileWords(source.file)}:${range.line}:${range.column}`
  const excerpt = excerptOf(fromVariables ? source.variables.text : source.text, range)
  return [`${place}: ${readable}`, ...excerpt]
}

/** A longer line isn't shown. */
const longestExcerpt = 1000

/** The line with its number, and carets below the marked range. */
function excerptOf(text: string, { line, column, endLine, endColumn }: Range): string[] {
  const shown = text.split('\n')[line - 1]?.replace(/\r$/, '')
  if (shown === undefined || shown.length > longestExcerpt) return []
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
  const unset = [...message.matchAll(/Unset variable "([^"]+)"/g)].map(([, name = '']) => name)
  return [
    ...(unset.length === 0
      ? []
      : [`set it: ${unset.map((name) => `--var ${shellQuote(name)}=…`).join(' ')}, or --var-file <file>`]),
    ...(message.includes('filesystem function disabled')
      ? ['the server cannot read files: put the text into the job file, or pass it with --var name="$(cat file)"']
      : []),
  ]
}
