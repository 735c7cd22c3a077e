import { readFileSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { at, items, number, text } from '../../src/core/answer.ts'
import type { Json } from '../../src/core/json.ts'
import { isObject, parseJson, stringifyJson } from '../../src/core/json.ts'
import { escapeControl } from '../../src/output/safe.ts'
import type { Outcome } from '../support/run.ts'
import { tug } from '../support/run.ts'
import { commandFor } from './kv-client-scope.ts'

/**
 * Gives every answer of a real server (OpenBao 2.6.2) to the command that would get it: the exit status, the
 * result, the warnings and the server's text must be right.
 */

interface Exchange {
  readonly name: string
  readonly request: { method: string; path: string; body_raw?: string }
  readonly response: { status: number; headers: Record<string, string>; body_raw: string }
}

const folder = new URL('recordings/kv/', import.meta.url)
const files = readdirSync(folder).toSorted()

function exchangesOf(file: string): Exchange[] {
  const all = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as (Exchange | { name: '_about' })[]
  return all.filter((one): one is Exchange => one.name !== '_about')
}

describe('commands read the recorded answers', () => {
  let answer: Exchange['response']
  let isWrite = false
  const server = createServer((message, response) => {
    message.resume()
    message.on('end', () => {
      // A write whose token may not read is sent alone.
      if (isWrite && message.method === 'GET') {
        response.writeHead(403).end('{"errors":["permission denied"]}')
        return
      }
      if (message.url?.startsWith('/v1/sys/') === true) {
        response.writeHead(404).end('{"errors":[]}')
        return
      }
      const type = Object.entries(answer.headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1]
      response.writeHead(answer.status, type === undefined ? {} : { 'content-type': type })
      response.end(answer.status === 204 ? undefined : answer.body_raw)
    })
  })
  const env: Record<string, string> = { TUG_SECRETS_TOKEN: 'recorded-token' }
  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    env['TUG_SECRETS_ADDR'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())

  it.each(files)('%s', async (file) => {
    const differences: unknown[] = []
    for (const [index, { name, request, response }] of exchangesOf(file).entries()) {
      const match = commandFor(request)
      if ('none' in match || isCut(response.body_raw)) continue
      answer = response
      isWrite = !['GET', 'LIST', 'SCAN'].includes(request.method)
      const outcome = await tug([...match.words, '-o', 'json'], { env })
      const wrong = faultsOf(match.words, response, outcome)
      if (wrong.length > 0)
        differences.push({ place: `${file.slice(0, 2)} ${index + 1}`, name, words: match.words, wrong, outcome })
    }
    expect(differences).toEqual([])
  })

  it('covers every recorded answer that a command can get, with a reason for each other one', () => {
    const reasons = new Map<string, number>()
    for (const { request, response } of files.flatMap(exchangesOf)) {
      const match = commandFor(request)
      const reason = 'none' in match ? match.none : isCut(response.body_raw) ? 'the recording is cut' : 'read'
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
    }
    expect(Object.fromEntries(reasons)).toEqual({
      read: 600,
      'not of the key-value engine': 56,
      'a route or method that no command uses': 48,
      'a path that is refused before anything is sent': 25,
      'a path that cannot be typed: broken escapes': 3,
      'another version of the interface': 2,
      'help texts are not asked for': 1,
      'the recording is cut': 1,
    })
  })
})

/** A body that was too long to be recorded whole. */
function isCut(body: string): boolean {
  return /…\[\d+ bytes in all\]$/.test(body)
}

/** The differences from what the recording alone implies. */
function faultsOf(words: readonly string[], response: Exchange['response'], outcome: Outcome): string[] {
  const body = bodyOf(response.body_raw)
  const faults: string[] = []
  const exit = expectedExit(words, response.status, body)
  if (outcome.exit !== exit) faults.push(`exit ${outcome.exit}, not ${exit}`)
  const result = exit === 0 ? expectedResult(words, body) : ''
  if (outcome.stdout !== result) faults.push(`result ${outcome.stdout}, not ${result}`)
  const message =
    exit === 0 || (exit === 1 && response.status < 300)
      ? ''
      : (text(bodyOf(outcome.stderr.trim().split('\n').at(-1) ?? ''), 'error', 'message') ?? '')
  for (const error of items(body, 'errors')) {
    const said = String(error)
      .replace(/^\d+ errors? occurred:/, '')
      .split('\n')
      .map((line) => line.replace(/^\s*\*\s*/, '').trim())
    for (const line of said) if (!message.includes(line)) faults.push(`does not say: ${line}`)
  }
  for (const warning of response.status < 300 && !isListWithoutKeys(words, response.status, body)
    ? items(body, 'warnings')
    : []) {
    if (!outcome.stderr.includes(`warning: ${escapeControl(String(warning))}`))
      faults.push(`does not warn: ${String(warning)}`)
  }
  return faults
}

function bodyOf(raw: string): Json {
  try {
    return parseJson(raw)
  } catch {
    return null
  }
}

function isListWithoutKeys(words: readonly string[], status: number, body: Json): boolean {
  return words[1] === 'list' && status === 200 && at(body, 'data', 'keys') === undefined
}

function expectedExit(words: readonly string[], status: number, body: Json): number {
  const command = words[1] as string
  const error = String(items(body, 'errors')[0] ?? '')
  if (status === 204) return command === 'put' || command === 'patch' ? 1 : 0
  // No empty list: an answer that doesn't show the names.
  if (isListWithoutKeys(words, status, body)) return 1
  // A version 1 engine has no metadata.
  if (status < 300) return command === 'get' && at(body, 'data', 'metadata') === undefined ? 1 : 0
  if (/check-and-set/.test(error)) return 5
  if (
    status === 404 &&
    command === 'list' &&
    words[2] === '--mount' &&
    error === '' &&
    at(body, 'warnings') === undefined
  )
    return 0
  if (status === 404 && command === 'patch' && text(body, 'data', 'version') !== undefined) return 5
  if (status === 401 || status === 403) return 4
  if (status === 404) return 3
  if (status === 429) return 7
  return status < 500 ? 6 : 1
}

function expectedResult(words: readonly string[], body: Json): string {
  if (words[1] === 'list') return jsonLine(at(body, 'data', 'keys') ?? [])
  const answers = ['get', 'subkeys'].includes(words[1] as string) || words[2] === 'get'
  return answers ? jsonLine(at(body, 'data') ?? null) : jsonLine(expectedFacts(words, body))
}

/** What a write shows that has looked at nothing. */
function expectedFacts(words: readonly string[], body: Json): Json {
  const [, command, second = '', third = ''] = words
  const mount = words.includes('--mount') ? (words[words.indexOf('--mount') + 1] ?? '') : 'secret'
  const unseen = { action: 'write', planned: false }
  if (command === 'config') return { ...unseen, mount, changed: true, max_versions: 1 }
  if (command === 'metadata')
    return second === 'delete'
      ? { ...unseen, path: third, changed: null, confirmed: false }
      : { ...unseen, path: third, changed: true, max_versions: 1 }
  if (command === 'put' || command === 'patch') {
    const version = at(body, 'data')
    const isFirst = command === 'put' && number(version, 'version') === 1
    const action = isFirst ? 'create' : 'write'
    return { ...unseen, action, path: second, changed: true, ...(isObject(version) ? version : {}) }
  }
  const versions = words.includes('--versions') ? [{ version: 1, before: null, after: null }] : []
  return { action: command ?? '', planned: false, path: second, changed: null, versions, confirmed: false }
}

/** A value as `-o json` prints it: line separators are escaped, as terminals and CI logs obey them. */
function jsonLine(value: Json): string {
  return `${stringifyJson(value).replaceAll('\u2028', String.raw`\u2028`)}\n`
}
