import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { startDevServer } from './support/dev.ts'
import { root } from './support/process.ts'
import { hiddenClock } from './support/stopped-clock.ts'
import { tug } from './support/run.ts'

/** What the screens say is said in words: not by colour, nor by a symbol alone. Progress is in `output/progress.test.ts`. */

const lines = [
  '--help',
  'kv get --help',
  'job status',
  'job status stuck',
  'job status web',
  'job list -o wide',
  'job allocs batch-broken --all',
  'job deployments web',
  'job versions web',
  'job plan examples/web-2.hcl',
  'kv tree',
  'kv history app/db',
  'kv diff app/db',
  'kv get none',
  'kv set app/db user=app',
  'kv delete app/db --dry-run',
  'kmip cred list --expiring 30d',
  'explorer query workspaces --limit 5',
  'explorer summary workspaces --by drifted',
  'status',
  'no-such-command',
]

/** Symbols that only draw or connect: what they are between or before says it in words. */
const drawn = new Set('…→·─│├└×')

test('without colour every screen says the same, and no symbol says anything alone', async () => {
  const server = await startDevServer({ clock: hiddenClock })
  // No progress, which depends on how long a request takes.
  const env = { ...server.env, CI: 'true' }
  const machine = { now: new Date(), cwd: root, terminals: { stdout: 100, stderr: 100 } }
  let coloured = 0
  for (const line of lines) {
    const plain = await tug(line, { ...machine, env: { ...env, NO_COLOR: '1' } })
    const colours = await tug(line, { ...machine, env: { ...env, FORCE_COLOR: '1' } })
    expect(plain.stdout + plain.stderr).not.toContain('\u001b[3')
    for (const stream of ['stdout', 'stderr'] as const) {
      expect(stripVTControlCharacters(colours[stream]), line).toBe(stripVTControlCharacters(plain[stream]))
      if (colours[stream] !== plain[stream]) coloured += 1
    }
    for (const row of `${plain.stdout}\n${plain.stderr}`.split('\n')) {
      const symbols = (row.match(/[\p{So}\p{Sm}\p{Sk}\p{Po}\p{Pd}\p{Cn}]/gu) ?? []).filter(
        (symbol) => symbol > '\u007f',
      )
      // A bar is drawn beside its number.
      const unsaid = symbols.filter(
        (symbol) => !drawn.has(symbol) && !(/[\u2581-\u258f]/u.test(symbol) && /\d/.test(row)),
      )
      expect({ line, row, unsaid }).toEqual({ line, row, unsaid: [] })
    }
  }
  expect(coloured).toBeGreaterThan(10)
})

test.each([
  [{ ACCESSIBLE: '1' }, true],
  [{ TUG_ACCESSIBLE: '1' }, true],
  [{ ACCESSIBLE: '1', TUG_ACCESSIBLE: '0' }, false],
  [{}, false],
])('with %j the rows of a table are labelled records: %j', async (variables, isLabelled) => {
  const { env } = await startDevServer()
  const jobs = await tug('job list', { env: { ...env, ...variables }, terminals: { stdout: 80 } })
  const plain = stripVTControlCharacters(jobs.stdout)
  expect(/\n\nid +\w/.test(plain)).toBe(isLabelled)
  expect(/^ID +/m.test(plain)).toBe(!isLabelled)
})
