import { expect, test } from 'vitest'
import { flag, path as pathParam, query } from '../../src/core/param.ts'
import type { HttpRequest } from '../../src/core/request.ts'
import { bindSettings, decodePath, effectOf, isWrite } from '../../src/core/request.ts'
import { endpoint, requestOf } from '../../src/core/endpoint.ts'
import { anyAnswer } from '../../src/core/shape.ts'
import { mentions } from '../support/told.ts'

test.each([
  ['GET', undefined, false],
  ['LIST', undefined, false],
  ['HEAD', undefined, false],
  ['POST', undefined, true],
  ['POST', 'writes', true],
  ['POST', 'reads', false],
  ['GET', 'writes', true],
  ['PUT', undefined, true],
  ['PATCH', undefined, true],
  ['DELETE', undefined, true],
] as const)('%s (effect: %s) may change something: %s', (method, effect, expected) => {
  expect(isWrite({ method, ...(effect === undefined ? {} : { effect }) })).toBe(expected)
})

/** The path that a route has with these values. */
const filledPath = (route: string, values: Readonly<Record<string, string>>) =>
  endpoint(`GET ${route}`, { answers: anyAnswer })(values).path

test.each([
  ['/v1/job/{job}', { job: 'a/b c' }, '/v1/job/a%2Fb%20c'],
  ['/v1/{mount}/data/{path}', { mount: 'a/b', path: 'c d/e' }, '/v1/a/b/data/c%20d/e'],
  ['/v1/{mount}/x', {}, '/v1/{mount}/x'],
  ['/organizations/{org}/x', {}, '/organizations/{org}/x'],
  ['/v1/{mount}/metadata/{path}', { mount: 'a', path: '' }, '/v1/a/metadata'],
  ['/', {}, '/'],
])('%s with %j is %s', (path, values, filled) => {
  expect(filledPath(path, values)).toBe(filled)
})

test('a name that is not Unicode text came from a server, and is an error of its answer', () => {
  expect(() => filledPath('/v1/job/{job}/x', { job: 'a\ud800' })).toThrow(
    expect.objectContaining({ code: 'failed', reason: 'unexpected_response' }),
  )
})

test('a name of a route without a value is a mistake of the program', () => {
  expect(() => filledPath('/v1/job/{job}/x', { other: 'a' })).toThrow(mentions('{job} … /v1/job/{job}/x'))
})

test.each([
  ['GET', 'reads'],
  ['LIST', 'reads'],
  ['HEAD', 'reads'],
  ['POST', 'writes'],
  ['PATCH', 'writes'],
  ['DELETE', 'destroys'],
])('%s %s', (method, effect) => {
  expect(effectOf({ method })).toBe(effect)
  expect(effectOf({ method, effect: 'destroys' })).toBe('destroys')
})

test('the settings fill what a path leaves open, and are asked for nothing else', () => {
  const settings = {
    org: 'ä',
    get mount(): string {
      throw new Error('no mount')
    },
  }
  const bound = (target: string) => bindSettings({ method: 'GET', path: target }, settings).path
  expect(bound('/organizations/{org}/x')).toBe('/organizations/%C3%A4/x')
  expect(bound('/v1/{other}')).toBe('/v1/{other}')
  expect(() => bound('/v1/{mount}/x')).toThrow('no mount')
  expect(bindSettings({ method: 'GET', path: '/{mount}' }, { org: '', mount: 'a b/c' }).path).toBe('/a%20b/c')
})

test('a path is read as people write it, unless its encoding is broken', () => {
  expect(['a%20b', '%C3%A4', '%', '%ff'].map(decodePath)).toEqual(['a b', 'ä', '%', '%ff'])
})

test('params of the path and the query become parts of a request, others do not', () => {
  const params = {
    job: pathParam.segment('s'),
    folder: pathParam.folder('s'),
    local: flag.text('s'),
    pageSize: query.integer('s', { wire: 'page[size]' }),
    tags: query.texts('s'),
    absent: query.text('s'),
  }
  const input = { job: 'web', local: 'x', pageSize: 0, tags: ['a', 'b'] }
  const to = (values: object, parts: object) => ({ values, parts }) as unknown as HttpRequest
  expect(requestOf(to, params, input)).toEqual({
    values: { job: 'web', folder: '' },
    parts: {
      query: [
        ['page[size]', '0'],
        ['tags', 'a'],
        ['tags', 'b'],
      ],
    },
  })
  expect(requestOf(to, params, { job: 'web', local: 'x' })).toEqual({ values: { job: 'web', folder: '' }, parts: {} })
})
