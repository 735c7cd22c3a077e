import { expect, test } from 'vitest'
import { serveBetween } from '../support/between.ts'
import { startDevServer } from '../support/dev.ts'
import { scratchFolder } from '../support/folder.ts'
import { tug } from '../support/run.ts'
import { runs, writeFiles } from './lines.ts'

/** In a GitHub workflow every command reads answers with secret-looking texts in every object, and in every text of an HCL file. */

const planted = /planted horse \d+|hvs\.Planted\d+/g

/** Adds secrets to all objects: under a secret-looking name, by their own look, in a list, and inside texts of job files. */
function plant(value: unknown, next: () => number): unknown {
  if (Array.isArray(value)) return value.map((item) => plant(item, next))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [
    name,
    name === 'Source' && typeof member === 'string'
      ? `${member}\n# db_password = "planted horse ${next()}"\n# hvs.Planted${next()}\n`
      : plant(member, next),
  ])
  // Maps of numbers, such as versions, and of counts are read by their keys.
  if (members.some(([name]) => /^\d+$/.test(name as string)) || members.length === 0) return value
  return {
    ...Object.fromEntries(members),
    db_password: `planted horse ${next()}`,
    note: `hvs.Planted${next()}`,
    tokens: [`planted horse ${next()}`],
  }
}

/** Raw outputs of other lines than those of every command. */
const more = [
  'api secrets GET secret/data/app/db',
  'api secrets GET secret/data/app/db --raw',
  'api scheduler GET job/web -o yaml',
  'kv get app/db --raw',
  'job get web --raw',
  'job submission web --version 3 --source',
  'job submission web --version 3 -o json',
  'job export web -O -',
  'explorer query workspaces -o ndjson',
  'kv list nothing-here --raw',
]

test('in a workflow, what looks secret is masked before any command prints it, and its output stays the same', async () => {
  const cwd = scratchFolder()
  writeFiles(cwd)
  let count = 0
  const env = await serveBetween((await startDevServer()).env, {
    change: ({ headers, body }) =>
      headers['content-type']?.includes('json') === true && body !== ''
        ? { body: JSON.stringify(plant(JSON.parse(body), () => (count += 1))) }
        : {},
  })
  const lines = [...runs.flatMap(([, line]) => [line, `${line} -o json`]), ...more]
  const faults: string[] = []
  let shown = 0
  for (const line of lines) {
    const announced = new Set<string>()
    const onWrite = (stream: string, text: string) => {
      if (stream === 'stderr')
        for (const [, secret] of text.matchAll(/^::add-mask::(.*)$/gm)) announced.add(secret ?? '')
      else
        for (const [secret] of text.matchAll(planted)) {
          shown += 1
          if (!announced.has(secret)) faults.push(`${line}: ${secret}`)
        }
    }
    await tug(`${line} --retries 0`, {
      env: { ...env, TUG_CONFIG_DIR: `${cwd}/config`, GITHUB_ACTIONS: 'true', CI: 'true' },
      cwd,
      onWrite,
    })
  }
  expect(faults.join('\n')).toBe('')
  // Enough of the outputs must have some of it.
  expect(shown).toBeGreaterThan(300)
}, 120_000)
