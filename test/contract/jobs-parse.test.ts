import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isObject, parseJson, stringifyJson } from '../../src/core/json.ts'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { HclError } from '../../src/dev/hcl/syntax.ts'
import { parseJobHcl } from '../../src/dev/hcl/parse-job.ts'
import { gistOf } from './gist.ts'

/** Exchanges that don't reach the job-file parser. */
const leftOut: Readonly<Record<string, string>> = {
  'parse empty JobHCL': 'the route refuses an empty job',
  'parse no JobHCL': 'the route refuses a missing job',
  'parse empty body': 'the route refuses an empty body',
  'parse body not JSON': 'the route reads the body',
  'parse body wrong field type': 'the route reads the body',
  'parse truncated JSON': 'the route reads the body',
  'parse JSON text given as JobHCL': 'tug never sends the JSON form of HCL',
  'JSON text as Variables': 'tug never sends the JSON form of HCL',
  'parse GET': 'the route refuses the method',
  'string with an interpolation sequence is evaluated': 'the local server has no operators',
}

interface Exchange {
  readonly name: string
  readonly request: { readonly method: string; readonly path: string; readonly body?: Json }
  readonly response: { readonly status: number; readonly body: Json }
  readonly trimmed?: boolean
}

const exchanges = ['01-parse.json', '21-parse-variables.json'].flatMap((name) => {
  const text = readFileSync(new URL(`recordings/nomad/${name}`, import.meta.url), 'utf8')
  return parseJson(text) as unknown as Exchange[]
})

const replayed = exchanges.filter(({ name }) => leftOut[name] === undefined)

function answer({ request }: Exchange): Json {
  const body = request.body as JsonObject
  try {
    return parseJobHcl(String(body.JobHCL), {
      variables: typeof body.Variables === 'string' ? body.Variables : '',
      variableFlags: {},
      canonicalize: body.Canonicalize === true,
    })
  } catch (error) {
    if (error instanceof HclError) return `Failed to parse job: ${error.message}`
    throw error
  }
}

/** The server returns maps in random order and structs in alphabetical order. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const keys = Object.keys(value).toSorted()
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key] as Json)]))
}

/** The members kept in a shortened recording; `Count` is that of the first group. */
function trimmed(job: JsonObject, kept: JsonObject): JsonObject {
  const [group] = job.TaskGroups as JsonObject[]
  return Object.fromEntries(
    Object.keys(kept).map((key) => [key, key === 'Count' ? (group?.Count ?? null) : (job[key] ?? null)]),
  )
}

describe('POST /v1/jobs/parse as recorded', () => {
  test.each(replayed)('$name', (exchange) => {
    const got = answer(exchange)
    const { body } = exchange.response
    if (!isObject(body) || !isObject(got)) expect(gistOf(String(got))).toBe(gistOf(String(body)))
    else if (exchange.trimmed === true) expect(sorted(trimmed(got, body))).toEqual(sorted(body))
    else expect(stringifyJson(sorted(got), 1)).toBe(stringifyJson(sorted(body), 1))
  })

  test('every exchange is replayed or omitted for a reason', () => {
    const names = exchanges.map(({ name }) => name)
    expect(Object.keys(leftOut).filter((name) => !names.includes(name))).toEqual([])
    expect(replayed.length + Object.keys(leftOut).length).toBe(exchanges.length)
    expect(replayed.length).toBe(45)
  })

  test("struct members are in alphabetical order, as in the server's answers", () => {
    const [first] = replayed
    const job = answer(first as Exchange) as JsonObject
    expect(Object.keys(job)).toEqual(Object.keys(job).toSorted())
    const [group] = job.TaskGroups as JsonObject[]
    expect(Object.keys(group as JsonObject)).toEqual(Object.keys(group as JsonObject).toSorted())
  })
})
