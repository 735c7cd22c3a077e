// Backs up, restores and compares as many random histories of secrets as you like: `node scripts/random-histories.mjs [histories]
// [seed]`, 2,000 to a mount; says when a mount is done. See docs/testing.md.
import { spawnSync } from 'node:child_process'

const [histories = '20000', seed = '1'] = process.argv.slice(2)
const { status } = spawnSync(
  'npx',
  ['vitest', 'run', '--reporter=verbose', 'test/commands/kv/random-histories.test.ts'],
  {
    env: { ...process.env, TUG_TEST_HISTORIES: histories, TUG_TEST_SEED: seed },
    stdio: 'inherit',
  },
)
process.exitCode = status ?? 1
