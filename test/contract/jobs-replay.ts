import { readFileSync } from 'node:fs'
import { isNumber, isObject, parseJson, type Json, type JsonObject } from '../../src/core/json.ts'
import { gistOf } from './gist.ts'
import type { Answer } from '../dev/jobs/calls.ts'

/** One recorded exchange of the real server. */
export interface Exchange {
  readonly file: string
  readonly name: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json | undefined
  readonly status: number | null
  readonly reply: Json
  /** The recording was shortened: only the members in it are compared. */
  readonly trimmed: boolean
}

/** The exchanges of a file in their original order. */
export function exchangesOf(file: string): Exchange[] {
  const path = new URL(`recordings/nomad/${file}.json`, import.meta.url)
  const recorded = parseJson(readFileSync(path, 'utf8')) as JsonObject[]
  return recorded.flatMap((entry) => {
    const request = entry['request'] as JsonObject | undefined
    const response = entry['response'] as JsonObject | undefined
    if (request === undefined || response === undefined) return []
    return [
      {
        file,
        name: String(entry['name']),
        method: String(request['method']),
        path: String(request['path']),
        headers: lowerCase(request['headers'] as Record<string, string> | undefined),
        body: request['body'] ?? undefined,
        status: (response['status'] ?? null) as number | null,
        reply: response['body'] ?? null,
        trimmed: entry['trimmed'] === true,
      },
    ]
  })
}

function lowerCase(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** IDs and indexes of the recording and their counterparts on this server. */
export class Correspondence {
  private readonly names = new Map<string, string>()
  private readonly indexes = new Map<string, number>()

  /** Pairs the top-level IDs and indexes of two replies to the same request. */
  learn(recorded: Json, actual: Json): void {
    if (Array.isArray(recorded) && Array.isArray(actual) && recorded.length === 1 && actual.length === 1) {
      this.learn(recorded[0] ?? null, actual[0] ?? null)
    }
    if (!isObject(recorded) || !isObject(actual)) return
    for (const [key, value] of Object.entries(recorded)) {
      const here = actual[key]
      if (typeof value === 'string' && typeof here === 'string' && isId(value)) this.names.set(value, here)
      if (isNumber(value) && isNumber(here) && key.endsWith('Index')) this.indexes.set(String(value), Number(here))
    }
  }

  /** Adds a pair of names. */
  note(recorded: string, actual: string): void {
    this.names.set(recorded, actual)
  }

  /** A recorded text with this server's ids and job modify indexes. */
  text(recorded: string): string {
    let text = recorded
    for (const [from, to] of this.names) {
      text = text.replaceAll(from, to).replaceAll(encodeURIComponent(from), encodeURIComponent(to))
    }
    const index = (digits: string) => String(this.indexes.get(digits) ?? digits)
    return text.replaceAll(
      /(conflicting job modify index: )(\d+)/g,
      (_, words: string, digits: string) => words + index(digits),
    )
  }

  /** A recorded body with this server's IDs, and its index if it is enforced. */
  body(recorded: Json): Json {
    if (typeof recorded === 'string') return this.text(recorded)
    if (Array.isArray(recorded)) return recorded.map((item) => this.body(item))
    if (!isObject(recorded)) return recorded
    return Object.fromEntries(
      Object.entries(recorded).map(([key, value]) => {
        const mapped = key === 'JobModifyIndex' && isNumber(value) ? this.indexes.get(String(value)) : undefined
        return [key, mapped ?? this.body(value)]
      }),
    )
  }
}

function isId(value: string): boolean {
  return /^[\da-f]{8}-[\da-f]{4}-/.test(value) || /\/(?:dispatch|periodic)-/.test(value)
}

/** Members that differ between runs: only their presence and type is compared. */
const volatile =
  /Index$|Time$|^(?:Timestamp|RequireProgressBy|StartedAt|FinishedAt|Time|NodeID|NodeName|AllocID|AllocationTime|Port|EvalID|DeploymentID|BlockedEval|PreviousEval|NextAllocation|PreviousAllocation|PlacedCanaries|DispatchedJobID|ClassEligibility|NextPeriodicLaunch)$/

/** The differences between an answer and the recording; empty if it is equivalent. */
export function differences(recorded: Json, actual: Json, known: Correspondence, trimmed: boolean): string[] {
  const found: string[] = []
  compare(recorded, actual, '')
  return found

  function compare(left: Json, right: Json | undefined, path: string): void {
    if (right === undefined) {
      found.push(`${path} is missing`)
    } else if (trimmed && path === '' && isNumber(left) && Array.isArray(right)) {
      compare(left, right.length, 'length')
    } else if (trimmed && path === '' && Array.isArray(left) && isObject(right)) {
      compare(left, right['Versions'], '.Versions')
    } else if (isObject(left) && isObject(right)) {
      compareObjects(left, right, path)
    } else if (Array.isArray(left) && Array.isArray(right)) {
      compareLists(left, right, path)
    } else if (kindOf(left) !== kindOf(right)) {
      found.push(`${path} is ${show(right)}, recorded ${show(left)}`)
    } else if (typeof left === 'string' && typeof right === 'string') {
      if (left.startsWith('_nomad-task-') && right.startsWith('_nomad-task-')) return
      if (!(isId(left) && isId(right)) && known.text(left) !== right) {
        found.push(`${path} is ${show(right)}, recorded ${show(known.text(left))}`)
      }
    } else if (String(left) !== String(right)) {
      found.push(`${path} is ${show(right)}, recorded ${show(left)}`)
    }
  }

  function compareObjects(left: JsonObject, right: JsonObject, path: string): void {
    for (const [key, value] of Object.entries(left)) {
      if (!(key in right)) found.push(`${path}.${key} is missing`)
      else if (!volatile.test(key)) compare(value, right[key], `${path}.${key}`)
    }
    if (trimmed) return
    for (const key of Object.keys(right)) if (!(key in left)) found.push(`${path}.${key} is not recorded`)
  }

  function compareLists(left: Json[], right: Json[], path: string): void {
    if (left.length !== right.length && !trimmed)
      found.push(`${path} has ${right.length} items, recorded ${left.length}`)
    const unused = new Set(right)
    for (const [place, value] of left.entries()) {
      const match = hasRandomId(value) ? [...unused].find((item) => isSame(value, item)) : undefined
      const here = match ?? right[place]
      if (here !== undefined) unused.delete(here)
      compare(value, reduced(here, value), `${path}[${place}]`)
    }
  }

  function isSame(left: Json, right: Json): boolean {
    return differences(left, reduced(right, left) ?? null, known, trimmed).length === 0
  }
}

/** Lists in random order. */
function hasRandomId(value: Json): boolean {
  const id = isObject(value) ? (value['ID'] ?? value['EvalID'] ?? null) : value
  return typeof id === 'string' && (isId(id) || id.startsWith('_nomad-task-'))
}

/** What the recording has of an item: its ID, its namespace and ID, or some of its members. */
function reduced(item: Json | undefined, recorded: Json): Json | undefined {
  if (!isObject(item)) return item
  if (typeof recorded === 'string') {
    return recorded.startsWith(`${String(item['Namespace'])}.`)
      ? `${String(item['Namespace'])}.${String(item['ID'])}`
      : item['ID']
  }
  if (!isObject(recorded) || !('SummaryNamespace' in recorded)) return item
  return { ...item, SummaryNamespace: (item['JobSummary'] as JsonObject)['Namespace'] ?? null }
}

function kindOf(value: Json): string {
  if (isNumber(value)) return 'number'
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value
}

function show(value: Json): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 90 ? `${text.slice(0, 90)}…` : text
}

/** The body of an answer in the recording's form. */
export function bodyOf(answer: Answer): Json {
  return String(answer.headers['content-type']).startsWith('application/json') ? answer.json : answer.text
}

/** Texts of the real server's decoders and parsers: only the status of such an answer is compared. */
const decoderText =
  /^(?:invalid character|unexpected EOF|json: cannot unmarshal|illegal base64|Failed to parse value|tty value)/

/** What must be equal in an error: its status, and its text if clients can act on it. */
export function refusalOf(status: number | null, text: string, recorded: string) {
  return { status, text: decoderText.test(recorded) ? '' : gistOf(text) }
}
