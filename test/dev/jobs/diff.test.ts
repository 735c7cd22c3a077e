import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { entriesOf, isObject, parseJson } from '../../../src/core/json.ts'
import { annotateDiff, diffJobs } from '../../../src/dev/jobs/diff/diff.ts'
import { edited, groupOf, plans, sides, versions, web } from './diff-data.ts'

describe('recorded plans', () => {
  // Not here: plans of jobs that were never read (api, elastic, giant, nightly-report), so that the old job is unknown.
  test.each(plans.map((plan) => [plan.name, plan] as const))('%s', (name, plan) => {
    const [old, next] = sides(name, plan.job)
    const diff = annotateDiff(diffJobs(old, next), plan.desired)
    expect(diff).toEqual(plan.diff)
    expect(orderOfKeys(diff)).toEqual(orderOfKeys(plan.diff))
  })
})

test('recorded diffs of versions, newest first', () => {
  const history = [
    web,
    web,
    edited(web, ['TaskGroups', 0, 'Count'], 2, ['TaskGroups', 0, 'Tasks', 0, 'Env', 'GREETING'], 'hola'),
    edited(web, ['TaskGroups', 0, 'Count'], 2, ['TaskGroups', 0, 'Tasks', 0, 'Env', 'GREETING'], 'bonjour'),
    edited(web, ['TaskGroups', 0, 'Count'], 2, ['TaskGroups', 0, 'Tasks', 0, 'Env', 'GREETING'], 'hello'),
  ]
  const diffs = history.slice(0, -1).map((next, index) => diffJobs(history[index + 1] as JsonObject, next))
  expect(diffs).toEqual(versions['Diffs'])
})

test('a diff keeps digits that a double would lose', () => {
  const next = edited(web, ['TaskGroups', 0, 'ShutdownDelay'], parseJson('9007199254740993'))
  expect(groupOf(diffJobs(web, next), 0)['Fields']).toEqual([
    { Annotations: null, Name: 'ShutdownDelay', New: '9007199254740993', Old: '', Type: 'Added' },
  ])
})

/** The keys of every object on the way, but not of Updates, which the server answers in any order. */
function orderOfKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => orderOfKeys(item))
  if (!isObject(value)) return null
  return entriesOf(value).map(([key, item]) => [key, key === 'Updates' ? null : orderOfKeys(item)])
}
