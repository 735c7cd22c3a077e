import { expect, test } from 'vitest'
import { fillPath, isWrite } from '../../src/core/request.ts'

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

test.each([
  ['/v1/job/{job}', { job: 'a/b c' }, '/v1/job/a%2Fb%20c'],
  ['/v1/{mount}/data/{path}', { mount: 'a/b', path: 'c d/e' }, '/v1/a/b/data/c%20d/e'],
  ['/v1/{mount}/x', {}, '/v1/{mount}/x'],
  ['/organizations/{org}/x', {}, '/organizations/{org}/x'],
  ['/v1/{mount}/metadata/{path}', { mount: 'a', path: '' }, '/v1/a/metadata'],
  ['/', {}, '/'],
  ['/v1/job/{job}', { job: '<from request 1: .ID>' }, '/v1/job/<from request 1: .ID>'],
])('%s with %j is %s', (path, values, filled) => {
  expect(fillPath(path, values)).toBe(filled)
})

test('a name that is not Unicode text came from a server, and is an error of its answer', () => {
  expect(() => fillPath('/v1/job/{job}/x', { job: 'a\ud800' })).toThrow(
    expect.objectContaining({ code: 'failed', reason: 'unexpected_response' }),
  )
})

test('a name of a route without a value is a mistake of the program', () => {
  expect(() => fillPath('/v1/job/{job}/x', { other: 'a' })).toThrow(new Error('no value for {job} in /v1/job/{job}/x'))
})
