import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { DevReply } from '../../src/dev/http.ts'
import { createSecrets } from '../../src/dev/secrets/service.ts'
import { TestClock, secretsRequest } from '../dev/kv/calls.ts'
import { fullBody } from './kv-bodies.ts'
import { outOfScope, policies, steps } from './kv-scope.ts'

/**
 * Replays exchanges with a real server (OpenBao 2.6.2) against the local server: every recorded exchange of a file in
 * order, all files on one server.
 */

interface Exchange {
  readonly name: string
  readonly request: { method: string; path: string; headers: Record<string, string>; body_raw?: string }
  readonly response: { status: number; headers: Record<string, string>; body_raw: string }
}

const folder = new URL('recordings/kv/', import.meta.url)
const files = readdirSync(folder).toSorted()

function exchangesOf(file: string): Exchange[] {
  const all = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as (Exchange | { name: '_about' })[]
  return all.filter((one): one is Exchange => one.name !== '_about')
}

describe('the local secrets store answers as the recorded server did', () => {
  const clock = new TestClock('2026-11-21T07:15:45.001Z')
  const store = createSecrets({ clock, seed: false, namespaces: ['team-a'], tokens: policies })
  const write = (path: string, data: Record<string, string>) => {
    const headers = { 'x-vault-token': 'root' }
    return store.handle(secretsRequest('POST', `/v1/${path}`, { headers, body: JSON.stringify({ data }) }))
  }

  it.each(files)('%s', async (file) => {
    const differences: unknown[] = []
    for (const [index, exchange] of exchangesOf(file).entries()) {
      const place = `${file.slice(0, 2)} ${index + 1}`
      if (Object.hasOwn(outOfScope, place)) continue
      const step = steps[place]
      for (const [path, data] of step?.write ?? []) await write(path, data)
      clock.advance(step?.wait ?? 1)
      const body = step?.body ?? fullBody(exchange.name, exchange.request.body_raw)
      const { method, path, headers } = exchange.request
      const reply = await store.handle(secretsRequest(method, path, { headers, body }))
      const expected = recorded(exchange)
      const actual = shown(reply, exchange)
      if (JSON.stringify(actual) !== JSON.stringify(expected)) {
        differences.push({ place, name: exchange.name, actual, expected })
      }
    }
    expect(differences).toEqual([])
  })

  it('omits only exchanges that were recorded', () => {
    const recordedPlaces = files.flatMap((file) =>
      exchangesOf(file).map((_, index) => `${file.slice(0, 2)} ${index + 1}`),
    )
    const stray = [...Object.keys(outOfScope), ...Object.keys(steps)].filter((place) => !recordedPlaces.includes(place))
    expect(stray).toEqual([])
    expect(recordedPlaces.length - Object.keys(outOfScope).length).toBe(660)
  })
})

function recorded({ response }: Exchange): unknown {
  return shape(response.status, response.body_raw)
}

function shown(reply: DevReply, { request, response }: Exchange): unknown {
  return shape(
    reply.status,
    request.method === 'HEAD' ? '' : Buffer.from(String(reply.body ?? '')).toString(),
    response.body_raw,
  )
}

/**
 * What a client can rely on: the status, the data, and whether there are warnings or errors; not their words, nor what
 * differs from run to run. Answers that were cut when they were recorded, or are not JSON, are compared by status alone.
 */
function shape(status: number, body: string, original = body): unknown {
  if (!original.startsWith('{') || /…\[\d+ bytes in all\]$/.test(original)) return { status }
  const { data, errors, warnings, initialized } = body === '' ? {} : JSON.parse(body)
  return {
    status,
    data: masked(data ?? null),
    errors: errors === undefined ? undefined : errors.length > 0,
    warnings: (warnings ?? []).length,
    initialized,
  }
}

const varying = new Set(['accessor', 'uuid', 'id', 'running_plugin_version', 'creation_time', 'issue_time'])

function masked(value: any): any {
  if (Array.isArray(value)) return value.map(masked)
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? 'TIME' : value
  if (typeof value !== 'object' || value === null) return value
  const keys = Object.keys(value).toSorted()
  return Object.fromEntries(keys.map((key) => [key, varying.has(key) ? '…' : masked(value[key])]))
}
