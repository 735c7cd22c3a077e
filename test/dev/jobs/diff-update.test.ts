import { describe, expect, it, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { needsDestructiveUpdate } from '../../../src/dev/jobs/scheduler/reconcile.ts'
import { edited, web } from './diff-data.ts'

describe('needsDestructiveUpdate', () => {
  const group = (web['TaskGroups'] as JsonObject[])[0] as JsonObject

  test.each<[string, (string | number)[], Json, boolean]>([
    ['another count', ['Count'], 9, false],
    ['other service tags', ['Services', 0, 'Tags'], ['v3'], false],
    ['another kill timeout', ['Tasks', 0, 'KillTimeout'], 2_000_000_000, false],
    ['another restart policy', ['RestartPolicy', 'Attempts'], 3, false],
    ['another environment', ['Tasks', 0, 'Env', 'GREETING'], 'moin', true],
    ['other arguments', ['Tasks', 0, 'Config', 'args'], ['1'], true],
    ['more memory', ['Tasks', 0, 'Resources', 'MemoryMB'], 64, true],
    ['group meta', ['Meta'], { a: 'b' }, true],
    ['another port', ['Networks', 0, 'DynamicPorts', 0, 'Label'], 'rpc', true],
    ['another task', ['Tasks'], [{ Name: 'other' }], true],
    ['no task', ['Tasks'], [], true],
  ])('%s', (_, path, value, destructive) => {
    expect(needsDestructiveUpdate(group, edited(group, path, value))).toBe(destructive)
  })

  it('counts the meta of the job, as far as the group does not override it', () => {
    expect(needsDestructiveUpdate(group, group, { old: { tier: 'a' }, next: { tier: 'b' } })).toBe(true)
    const overriding = edited(group, ['Meta'], { tier: 'mine' })
    expect(needsDestructiveUpdate(overriding, overriding, { old: { tier: 'a' }, next: { tier: 'b' } })).toBe(false)
  })
})
