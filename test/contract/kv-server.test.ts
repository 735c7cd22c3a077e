import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { DevReply } from '../../src/dev/http.ts'
import { createSecrets } from '../../src/dev/secrets/service.ts'
import { TestClock, secretsRequest } from '../dev/kv/calls.ts'
import { fullBody } from './kv-bodies.ts'
import { outOfScope, policies, steps } from './kv-scope.ts'
import type { Step } from './kv-scope.ts'

/**
 * What a real server (OpenBao 2.6.2) answered, asked again of the demo server: every recorded exchange of a file in its
 * order, all files on one server. Bodies are compared as texts, so that order of keys, spelling of numbers and escapes
 * count; ids, times and version words are not.
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
  const store = createSecrets({ clock, seed: false, tokens: policies })
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
      const expected = recorded(exchange, step)
      const actual = shown(reply, exchange, step)
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
    expect(recordedPlaces.length - Object.keys(outOfScope).length).toBe(697)
  })
})

function recorded({ response }: Exchange, step?: Step): unknown {
  const headers = Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), value])
  return {
    status: response.status,
    headers: headersThatCount(Object.fromEntries(headers)),
    body: comparable(response.body_raw, response.body_raw, step?.anyOrder === true),
  }
}

function shown(reply: DevReply, { request, response }: Exchange, step?: Step): unknown {
  const body = request.method === 'HEAD' ? '' : String(reply.body ?? '')
  return {
    status: reply.status,
    headers: headersThatCount(reply.headers ?? {}),
    body: comparable(body, response.body_raw, step?.anyOrder === true),
  }
}

function headersThatCount(headers: Readonly<Record<string, unknown>>): unknown {
  const names = ['content-type', 'connection', 'location', 'x-vault-namespace']
  return Object.fromEntries(names.map((name) => [name, headers[name]]))
}

/** A body without what differs from run to run. One cut when recorded (`…[N bytes in all]`) is compared as far as it goes. */
function comparable(body: string, whole: string, anyOrder: boolean): string {
  const masked = masking(body)
  const cut = /…\[\d+ bytes in all\]$/.exec(masking(whole))
  const kept = cut === null ? masked : masked.slice(0, cut.index)
  return anyOrder
    ? kept
        .split(/[,{}]|\\n/)
        .toSorted()
        .join('\n')
    : kept
}

function masking(body: string): string {
  return body
    .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"TIME"')
    .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, 'UUID')
    .replaceAll(/"(accessor|running_plugin_version|cluster_name)":"[^"]*"/g, '"$1":"…"')
    .replaceAll(/"version":"[\d.]+[^"]+"/g, '"version":"…"')
    .replaceAll(/"server_time_utc":\d+/g, '"server_time_utc":0')
}
