import { usageError } from '../../../core/errors.ts'
import { shellQuote } from '../../../core/shell.ts'
import { didYouMean } from '../../../core/words.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import type { HclPart } from './hcl.ts'
import { HclText } from './hcl.ts'
import { entriesOf, isObject, jsonOrNothing, objectFrom, stringifyJson } from '../../../core/json.ts'

/** Variables of `--var` and the environment. */
export type VariableFlags = readonly (readonly [name: string, value: string])[]

/** The content of a var-file. */
export interface VariableFile {
  readonly file: string
  readonly text: string
}

/** The names that var-files assign, each with its first place: `prod.hcl:3`. */
function assignedNames(files: readonly VariableFile[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const { name, from, isName } of files.flatMap(assignmentsOf)) {
    if (isName && !names.has(name)) names.set(name, from)
  }
  return names
}

/** The variables that var-files set to a plain string. */
export function assignedStrings(files: readonly VariableFile[]): [name: string, text: string][] {
  return files.flatMap(assignmentsOf).flatMap(({ name, text, isName }): [string, string][] => {
    const value = new HclText(text).stringAt(/^[^=]*=\s*/.exec(text)?.[0].length ?? 0)
    return isName && value !== undefined ? [[name, value]] : []
  })
}

/** The `Variables` to send, and the origin of each line (from 1). */
export interface VariablesText {
  readonly text: string
  readonly origin: (line: number) => string
}

/** An assignment of a var-file: its name, its text and its first line (from 1). */
interface Assignment {
  readonly name: string
  readonly text: string
  readonly from: string
  /** False for a line that is not an assignment; the name is then its place. */
  readonly isName: boolean
}

/**
 * The var-files, joined by newlines. If a name is assigned twice, the last one wins, because the server refuses duplicates;
 * `--var` values given here come last and are merged the same way (docs/servers.md, Parsing and variables). Throws usage errors for
 * values that are not of the `declared` kind.
 */
export function variablesText(
  files: readonly VariableFile[],
  flags: VariableFlags,
  declared: Declared['variables'],
): VariablesText {
  const only = files.length === 1 && flags.length === 0 ? files[0] : undefined
  if (only !== undefined) return { text: only.text, origin: (line) => `${only.file}:${line}` }
  const all: Assignment[] = [
    ...files.flatMap(assignmentsOf),
    ...flags.map(([name, value]) => ({
      name,
      text: `${name} = ${expressionFor(name, value, declared?.get(name))}`,
      from: `--var ${name}`,
      isName: true,
    })),
  ]
  const lastOf = new Map(all.map((one) => [one.name, one]))
  if (lastOf.size === all.length && flags.length === 0 && files.every(({ text }) => !isJson(text))) return joined(files)
  const last = all.filter((one) => lastOf.get(one.name) === one)
  const origins = last.flatMap(({ text, from }) => text.split('\n').map(() => from))
  return {
    text: last.map(({ text }) => `${text}\n`).join(''),
    origin: (line) => origins[line - 1] ?? 'the variables',
  }
}

/** A job file and the values of its variables. */
interface SourceFile {
  readonly source: string
  readonly format: string
  readonly flags: VariableFlags
  readonly variableFiles: readonly VariableFile[]
}

/**
 * The submission to store with a job: the unchanged file and its variables, strings as flags and expressions with the var-files,
 * because the web UI quotes all flags and would turn a list into a string.
 */
export function submissionOf({ source, format, flags, variableFiles }: SourceFile): JsonObject {
  const declared = format === 'json' ? undefined : declaredIn(source).variables
  const expressions = flags.filter(([name]) => ['expression', 'list'].includes(declared?.get(name) ?? ''))
  const strings = flags.filter((flag) => !expressions.includes(flag))
  const variables =
    expressions.length === 0 ? joined(variableFiles) : variablesText(variableFiles, expressions, declared)
  return { Source: source, Format: format, VariableFlags: objectFrom(strings), Variables: variables.text }
}

/** The var-files, joined by newlines. */
function joined(files: readonly VariableFile[]): VariablesText {
  const origins = files.flatMap(({ file, text }) => text.split('\n').map((_, index) => `${file}:${index + 1}`))
  return { text: files.map(({ text }) => text).join('\n'), origin: (line) => origins[line - 1] ?? 'the variables' }
}

/** A value of `--var` as HCL: quoted, or unchanged if the variable's type takes an expression, such as a list. */
function expressionFor(
  name: string,
  value: string,
  kind: VariableKind = /^\s*[[{]/.test(value) ? 'expression' : 'text',
): string {
  if (kind === 'text') return quoted(value)
  if (kind === 'list' && /^[\w./:-]*$/.test(value) && value !== 'null')
    throw usageError(
      `the variable '${name}' takes a list, not '${value}'`,
      `write it as ${shellQuote(`${name}=["${value}"]`)}`,
    )
  let open = 0
  const isBroken = new HclText(value.trim()).scan(0, (found, depth) => {
    open = depth
    return depth < 0 || (found === '\n' && depth === 0)
  })
  if (value.trim() === '' || isBroken !== undefined || open !== 0)
    throw usageError(`the value of the variable '${name}' is not one expression, such as true, ["a", "b"] or {a = 1}`)
  return value.trim()
}

function quoted(value: string): string {
  const escaped = value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\r', String.raw`\r`)
    .replaceAll('\t', String.raw`\t`)
    .replaceAll(/[$%]\{/g, (opening) => opening[0] + opening)
  return `"${escaped}"`
}

export function isJson(text: string): boolean {
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

/** The name of an assignment, and the sign behind it. */
const assigned =
  /[^\S\n]*"?([A-Za-z_\xc0-\u1fff\u2070-\u2fff\u3040-\ufefe][\w\xc0-\u1fff\u2070-\u2fff\u3040-\ufefe-]*)"?[^\S\n]*=(?!=)/y

/** The top-level assignments of an HCL var-file. Other lines are kept too, so that the server reports them. */
function hclAssignments({ file, text }: VariableFile): Assignment[] {
  const found: Assignment[] = []
  const hcl = new HclText(text)
  let line = 1
  for (let start = 0; start < text.length;) {
    assigned.lastIndex = start
    const name = assigned.exec(text)?.[1]
    const lineEnd = text.indexOf('\n', start)
    const end = name !== undefined ? hcl.expressionEnd(start) : lineEnd === -1 ? text.length : lineEnd
    const own = text.slice(start, end)
    const from = `${file}:${line}`
    if (name !== undefined) found.push({ name, text: own.trimEnd(), from, isName: true })
    else if (!/^\s*(?:#|\/\/|$)/.test(own)) found.push({ name: from, text: own.trimEnd(), from, isName: false })
    line += own.split('\n').length
    start = end + 1
  }
  return found
}

/** How the value of a variable is read: as a string, or as an HCL expression. */
type VariableKind = 'text' | 'expression' | 'list'

/** What an HCL job file declares, as far as it can be read without the server. */
interface Declared {
  /** The variables it declares; undefined if the file cannot be read. */
  readonly variables: ReadonlyMap<string, VariableKind> | undefined
  /** False if the file can be read and has no job block. */
  readonly hasJob: boolean
  /** True if the job block sets a namespace. */
  readonly namesNamespace: boolean
  /** The namespace, if it is a plain string. */
  readonly namespace: string | undefined
}

/** Reads the top of an HCL job file. */
export function declaredIn(source: string): Declared {
  if (isJson(source)) return declaredInJson(jsonOrNothing(source))
  const parts = new HclText(source).parts()
  if (parts === undefined) return { variables: undefined, hasJob: true, namesNamespace: false, namespace: undefined }
  const job = parts.find((part) => part.kind === 'block' && part.name === 'job')
  const inside = job?.kind === 'block' ? (new HclText(job.body).parts() ?? []) : []
  const namespace = inside.findLast((part) => part.kind === 'attribute' && part.name === 'namespace')
  const expression = namespace?.kind === 'attribute' ? namespace.expression : ''
  return {
    variables: new Map(parts.flatMap(variablesOf)),
    hasJob: job !== undefined,
    namesNamespace: expression !== '',
    namespace: /^"([^"\\$%]+)"/.exec(expression)?.[1],
  }
}

/** The same of the JSON form of HCL: `{"variable": {"image": {…}}, "job": {"web": {…}}}`; blocks may be in lists. */
function declaredInJson(document: Json | undefined): Declared {
  const blocksOf = (value: Json | undefined, name: string) =>
    [value]
      .flat()
      .flatMap((one) => (isObject(one) ? [one[name] ?? []].flat() : []))
      .filter(isObject)
  const entries = (name: string) => blocksOf(document, name).flatMap((block) => entriesOf(block))
  const textIn = (value: Json | undefined) =>
    value === undefined ? '' : typeof value === 'string' ? value : stringifyJson(value)
  const variables = entries('variable').map(([name, block]): [string, VariableKind] => {
    const [type, otherwise] = ['type', 'default'].map((key) => blocksOf([{ block }], 'block')[0]?.[key])
    const shown = typeof otherwise === 'string' ? '"' : textIn(otherwise)
    return [name, kindOf(textIn(type).replace(/^\$\{(.*)\}$/, '$1'), shown)]
  })
  const jobs = entries('job').map(([, block]) => [block].flat()[0])
  const [job, ...others] = jobs
  const namespace = isObject(job) && others.length === 0 ? job['namespace'] : undefined
  return {
    variables: new Map(variables),
    // A job of the API has strings there.
    hasJob: jobs.length > 0 && jobs.every(isObject),
    namesNamespace: namespace !== undefined,
    namespace: typeof namespace === 'string' && !/[$%]\{/.test(namespace) ? namespace : undefined,
  }
}

/** `variable "image" { … }`, or the names in `variables { … }`. */
function variablesOf(part: HclPart): [name: string, kind: VariableKind][] {
  if (part.kind !== 'block') return []
  const inside = new HclText(part.body).parts() ?? []
  const valueOf = (name: string) => {
    const found = inside.find((one) => one.name === name)
    return found?.kind === 'attribute' ? found.expression : ''
  }
  if (part.name === 'variable')
    return part.labels.slice(0, 1).map((name) => [name, kindOf(valueOf('type'), valueOf('default'))])
  return part.name === 'variables' ? inside.map(({ name }) => [name, kindOf('', valueOf(name))]) : []
}

/** As Nomad's CLI reads it: by the type, or by that of the default. */
function kindOf(type: string, otherwise: string): VariableKind {
  if (type !== '') {
    if (type === 'string' || type === 'number') return 'text'
    return /^(?:list|set|tuple)\b/.test(type) ? 'list' : 'expression'
  }
  if (otherwise.startsWith('[')) return 'list'
  return otherwise === '' || /^(?:"|<<|-?\d)/.test(otherwise) ? 'text' : 'expression'
}

/**
 * Refuses values of `--var` for variables that the file doesn't declare: the server would ignore them and use defaults. Returns those of
 * its var-files, which may be shared with other jobs: `prod.hcl:3: web.hcl declares no variable 'x'`.
 */
export function checkDeclared(
  { variables }: Declared,
  name: string,
  flags: VariableFlags,
  files: readonly VariableFile[],
): string[] {
  if (variables === undefined) return []
  const declared = [...variables.keys()]
  const words = (variable: string, where: string) =>
    `${where}: ${name} declares no variable '${variable}'${didYouMean(variable, declared)}`
  const unknown = flags.find(([one]) => !variables.has(one))?.[0]
  if (unknown !== undefined)
    throw usageError(
      words(unknown, '--var'),
      declared.length === 0
        ? `declare it in ${name}: variable "${unknown}" {}`
        : `it declares: ${declared.toSorted().join(', ')}`,
    )
  return [...assignedNames(files)].flatMap(([one, where]) => (variables.has(one) ? [] : [words(one, where)]))
}

/** `NOMAD_VAR_<name>` of the environment, for declared variables that neither a flag nor a var-file sets. */
export function environmentVariables(
  { variables }: Declared,
  env: Readonly<Record<string, string | undefined>>,
  flags: VariableFlags,
  files: readonly VariableFile[],
): [name: string, value: string][] {
  const set = new Set([...flags.map(([name]) => name), ...assignedNames(files).keys()])
  return [...(variables?.keys() ?? [])].flatMap((name): [string, string][] => {
    const value = env[`NOMAD_VAR_${name}`]
    return value === undefined || set.has(name) ? [] : [[name, value]]
  })
}
