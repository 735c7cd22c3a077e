import { entriesOf, isObject, jsonOrNothing, stringifyJson } from '../../core/json.ts'
import { expressionEnd } from './hcl.ts'

/** The content of a var-file. */
export interface VariableFile {
  readonly file: string
  readonly text: string
}

/** The names that var-files assign, each with the first place that does: `prod.hcl:3`. */
export function assignedNames(files: readonly VariableFile[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const { name, from, isName } of files.flatMap(assignmentsOf)) {
    if (isName && !names.has(name)) names.set(name, from)
  }
  return names
}

/** The values of var-files that are plain texts, by their names. */
export function assignedTexts(files: readonly VariableFile[]): [name: string, text: string][] {
  return files.flatMap(assignmentsOf).flatMap(({ name, text, isName }): [string, string][] => {
    const value = /^[^=]*=\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1]
    return isName && value !== undefined ? [[name, value]] : []
  })
}

/** What is sent as `Variables`, and where each of its lines (from 1) comes from. */
export interface VariablesText {
  readonly text: string
  readonly origin: (line: number) => string
}

/** An assignment of a var-file: its name, its text and its first line (from 1). */
interface Assignment {
  readonly name: string
  readonly text: string
  readonly from: string
  /** False for anything but an assignment; the name is then a place. */
  readonly isName: boolean
}

/**
 * The var-files, joined by newlines. If a name is assigned twice, the last one wins, because the server refuses duplicates;
 * `--var` values given here come last and are merged the same way (docs/servers.md, Parsing and variables).
 */
export function variablesText(
  files: readonly VariableFile[],
  flags: readonly (readonly [name: string, value: string])[],
): VariablesText {
  const only = files.length === 1 && flags.length === 0 ? files[0] : undefined
  if (only !== undefined) return { text: only.text, origin: (line) => `${only.file}:${line}` }
  const all: Assignment[] = [
    ...files.flatMap(assignmentsOf),
    ...flags.map(([name, value]) => ({
      name,
      text: `${name} = ${expressionFor(value)}`,
      from: `--var ${name}`,
      isName: true,
    })),
  ]
  const repeated = new Set(all.map(({ name }) => name)).size < all.length
  if (!repeated && flags.length === 0 && files.every(({ text }) => !isJson(text))) return joined(files)
  const last = all.filter(({ name }, index) => all.findLastIndex((other) => other.name === name) === index)
  const origins = last.flatMap(({ text, from }) => text.split('\n').map(() => from))
  return {
    text: last.map(({ text }) => `${text}\n`).join(''),
    origin: (line) => origins[line - 1] ?? 'the variables',
  }
}

function joined(files: readonly VariableFile[]): VariablesText {
  const origins = files.flatMap(({ file, text }) => text.split('\n').map((_, index) => `${file}:${index + 1}`))
  return { text: joinFiles(files), origin: (line) => origins[line - 1] ?? 'the variables' }
}

/** What a submission records as `Variables`: the var-files joined by newlines. */
export function joinFiles(files: readonly VariableFile[]): string {
  return files.map(({ text }) => text).join('\n')
}

/** A value of `--var` as an HCL expression: lists and maps literally, everything else quoted. */
function expressionFor(value: string): string {
  if (/^\s*[[{]/.test(value)) return value
  const escaped = value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\r', String.raw`\r`)
    .replaceAll('\t', String.raw`\t`)
    .replaceAll(/[$%]\{/g, (opening) => opening[0] + opening)
  return `"${escaped}"`
}

function isJson(text: string): boolean {
  return text.trimStart().startsWith('{')
}

function assignmentsOf(file: VariableFile): Assignment[] {
  if (!isJson(file.text)) return hclAssignments(file)
  const value = jsonOrNothing(file.text)
  if (!isObject(value)) return [{ name: file.file, text: file.text, from: file.file, isName: false }]
  return entriesOf(value).map(([name, item]) => ({
    name,
    text: `${name} = ${stringifyJson(item)}`,
    from: file.file,
    isName: true,
  }))
}

/** The top-level assignments of a text; anything else stays with the one before, so that the server reports it. */
function hclAssignments({ file, text }: VariableFile): Assignment[] {
  const found: Assignment[] = []
  const lines = text.split('\n')
  for (let start = 0; start < lines.length;) {
    const name = /^\s*"?([\p{L}_][\p{L}\p{N}_-]*)"?\s*=(?!=)/u.exec(lines[start] as string)?.[1]
    const end = name === undefined ? start + 1 : start + assignmentLength(lines.slice(start))
    const own = lines.slice(start, end).join('\n').trimEnd()
    if (name !== undefined) found.push({ name, text: own, from: `${file}:${start + 1}`, isName: true })
    else if (own.trim() !== '' && !/^\s*(?:#|\/\/)/.test(own)) {
      found.push({ name: `${file}:${start + 1}`, text: own, from: `${file}:${start + 1}`, isName: false })
    }
    start = end
  }
  return found
}

/** How many lines the assignment on the first of them has. */
function assignmentLength(lines: readonly string[]): number {
  const text = lines.join('\n')
  return lineCount(text.slice(0, expressionEnd(text, 0)))
}

function lineCount(text: string): number {
  return text.split('\n').length
}
