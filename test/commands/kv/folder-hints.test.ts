import { expect, test } from 'vitest'
import { sharedDevServer } from '../../support/dev.ts'
import { tug } from '../../support/run.ts'

/** The hint for a folder that was typed as a secret is the typed line with the change, and every other flag: pasted, a plan is a plan. */
const server = sharedDevServer()

test.each([
  ['kv undelete team --plan -o json', 'kv undelete team --plan -o json --recursive'],
  ['kv undelete team 2 --plan', 'kv undelete team --plan --recursive'],
  ['kv delete team -y --plan', 'kv delete team -y --plan --recursive'],
  ['kv move team zz --plan -y --without-deleted', 'kv move team zz --plan -y --without-deleted --recursive'],
  ['kv copy team zz --update --versions all --plan', 'kv copy team zz --update --versions all --plan --recursive'],
  ['kv destroy team --keep 1 --plan', 'kv destroy team --keep 1 --plan --recursive'],
  ['kv destroy team --versions 1 --plan', 'kv destroy team --plan --recursive --keep <n>'],
  ['kv diff app/db team -o json', 'kv diff app/db team -o json --recursive'],
  [
    'kv rollback team --at 2026-11-20T14:00:00Z --plan --mount secret',
    'kv rollback team/ --at 2026-11-20T14:00:00.000Z --plan --mount secret',
  ],
])('tug %s suggests tug %s', async (typed, hint) => {
  const { exit, stderr } = await tug(typed, server())
  expect(exit).toBe(3)
  expect(stderr).toMatch(new RegExp(`: tug ${hint.replaceAll('.', '\\.')}["\\n]`))
})
