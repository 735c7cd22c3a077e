import { expect, test } from 'vitest'
import { tug } from '../../support/run.ts'
import { ago, serveSecretsAt } from '../../support/secrets-at.ts'

test('a history shows when each version was written, and when it was or will be deleted', async () => {
  const { env } = await serveSecretsAt({
    a: [
      { written: ago(3), deleted: ago(2) },
      { written: ago(2, 1000), destroyed: true },
      { written: ago(1), deleted: ago(-1) },
    ],
  })
  const { stdout } = await tug('kv history a', { env })
  expect(stdout).toBe(
    [
      'VERSION  STATE      WRITTEN               DELETED',
      '      3  live       2026-11-20 07:30 UTC  due 2026-11-22 07:30 UTC',
      '      2  destroyed  2026-11-19 07:29 UTC',
      '      1  deleted    2026-11-18 07:30 UTC  2026-11-19 07:30 UTC',
      '',
    ].join('\n'),
  )
})
