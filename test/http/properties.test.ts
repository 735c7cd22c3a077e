import { array, assert, integer, nat, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { encodeSegments } from '../../src/core/request.ts'
import { endpoint } from '../../src/core/endpoint.ts'
import { anyAnswer } from '../../src/core/shape.ts'
import { requestedDelay } from '../../src/http/retry.ts'

const segment = string({ unit: 'binary', minLength: 1 }).filter((text) => !/^\.\.?$|[\ud800-\udfff]|\//u.test(text))

test('a path is read as it was named, whatever is in its segments', () => {
  assert(
    property(array(segment, { minLength: 1, maxLength: 5 }), (segments) => {
      const encoded = encodeSegments(segments.join('/'))
      expect(encoded).toMatch(/^[\w.!~*'()%/-]+$/)
      expect(encoded.split('/').map(decodeURIComponent)).toEqual(segments)
      expect(new URL(`http://host/v1/${encoded}`).pathname).toBe(`/v1/${encoded}`)
    }),
  )
})

const actionOf = endpoint('GET /v1/job/{job}/versions/{action}', { answers: anyAnswer })

test('a name in a route is one segment', () => {
  assert(
    property(segment, segment, (job, action) => {
      const { path } = actionOf({ job: `${job}/${action}`, action })
      expect(path.split('/')).toHaveLength(6)
      expect(decodeURIComponent(path.split('/')[3] ?? '')).toBe(`${job}/${action}`)
    }),
  )
})

const now = () => new Date('2026-11-21T07:30:00Z')

test('Retry-After in seconds and as a date is the same wait', () => {
  assert(
    property(integer({ min: 1, max: 10_000_000 }), (seconds) => {
      const date = new Date(now().getTime() + seconds * 1000).toUTCString()
      expect(requestedDelay({ 'retry-after': String(seconds) }, now)).toBe(seconds * 1000)
      expect(requestedDelay({ 'retry-after': date }, now)).toBe(seconds * 1000)
    }),
  )
})

test('a wait is never negative or not a number, whatever the headers are', () => {
  assert(
    property(string({ unit: 'binary-ascii' }), string({ unit: 'binary-ascii' }), (after, reset) => {
      const wait = requestedDelay({ 'retry-after': after, 'x-ratelimit-reset': reset }, now)
      if (wait !== undefined) expect(wait >= 0).toBe(true)
    }),
  )
})

test('the longer of two waits counts', () => {
  assert(
    property(nat(), nat(), (after, reset) => {
      const headers = { 'retry-after': `${after}`, 'x-ratelimit-reset': `${reset}` }
      expect(requestedDelay(headers, now)).toBe(Math.max(after, reset) * 1000 || undefined)
    }),
  )
})

test('a wait in the past is none', () => {
  expect(requestedDelay({ 'retry-after': 'Fri, 20 Nov 2026 07:30:00 GMT' }, now)).toBe(undefined)
})
