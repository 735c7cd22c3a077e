import { describe, expect, test } from 'vitest'
import type { Dialect } from '../../../src/dev/http.ts'
import { credentials } from '../../support/credentials.ts'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { PastClock, addMount, senderTo, timeless, writeHistories } from '../../support/histories.ts'
import { Random } from '../../support/random.ts'
import { tug } from '../../support/run.ts'

/** `scripts/random-histories.mjs` asks for more of them, with another seed. */
const wanted = Number(process.env['TUG_TEST_HISTORIES'] ?? 150)
const firstSeed = Number(process.env['TUG_TEST_SEED'] ?? 7)

/** Histories in one mount. */
const most = 2000

/** Each mount has a seed of its own. */
const mounts = Array.from({ length: Math.ceil(wanted / most) }, (_, index) => ({
  count: Math.min(most, wanted - index * most),
  seed: firstSeed + index,
}))

describe.each(mounts)('$count random histories, seed $seed', ({ count, seed }) => {
  test.each([
    ['neutral', {}],
    ['hashicorp', {}],
    ['hashicorp', { max_versions: 4, cas_required: true, delete_version_after: '72h' }],
  ] as const)(
    'are the same after backup and restore (%s, engine %o)',
    async (dialect: Dialect, config) => {
      const clock = new PastClock()
      const server = await startDevServer({ empty: true, clock, dialect })
      const { token } = credentials.secrets
      const [from, to] = ['from', 'to'].map((mount) => ({ origin: server.origin, token, mount }))
      for (const target of [from, to]) await addMount(target as NonNullable<typeof from>)
      await senderTo(from as NonNullable<typeof from>)('POST', 'config', config)
      await writeHistories(from as NonNullable<typeof from>, clock, new Random(seed), count)
      const cwd = scratchFolder()
      const run = (line: string) => tug(line, { env: server.env, cwd, now: new Date() })
      const done = async (line: string) => {
        const { exit, stdout, stderr } = await run(line)
        expect(exit, `${line}: ${stderr}`).toBe(0)
        return { stdout, stderr }
      }
      await done('kv backup -O one.tugkv --mount from')
      const { stderr } = await done('kv restore one.tugkv --mount to --engine-settings')
      expect(stderr).not.toContain('not confirmed')
      await done('kv verify one.tugkv --mount to')
      await done('kv backup -O two.tugkv --mount to')
      expect(timeless(cwd, 'two.tugkv')).toEqual(timeless(cwd, 'one.tugkv'))
      expect((await done('kv restore one.tugkv --mount to --engine-settings')).stderr).toMatch(/^\d+ unchanged/)
    },
    600_000,
  )
})
