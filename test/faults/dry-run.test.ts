import { expect, test } from 'vitest'
import { scratchFolder } from '../support/folder.ts'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'
import { environment, runs, writeFiles } from './lines.ts'

test('--dry-run of every command prints its first request and sends nothing', async () => {
  const { origin, seen } = await serve((_, response) => json(response, 200, '{}'))
  const faults: string[] = []
  for (const [path, line] of runs) {
    const cwd = scratchFolder()
    writeFiles(cwd)
    const words = line.includes(' -- ') ? line.replace(' -- ', ' --dry-run -- ') : `${line} --dry-run`
    const { exit, stdout, stderr } = await tug(words, {
      env: { ...environment(origin), TUG_CONFIG_DIR: `${cwd}/config` },
      cwd,
    })
    if (exit !== 0 || !/^(?:# )?curl /.test(stdout)) faults.push(`${path}: ${exit} ${stdout}${stderr}`)
  }
  expect(faults.join('\n')).toBe('')
  expect(seen).toEqual([])
})

test.each([
  ['kv tree', 1],
  ['kv delete app --recursive', 1],
  ['kv copy app other --recursive --update --prune', 1],
  ['kv rollback app/ --at 2h', 1],
  ['kmip cred list storage backup', 1],
  ['kmip cred renew storage backup --if-expiring 30d --out-dir out', 1],
  ['explorer views apply views.json', 1],
  ['kv tree -q', 0],
  ['kv get app/db password', 0],
  ['kv list', 0],
  ['kv set app/db host=db2', 0],
  ['kv delete app/db', 0],
  ['job stop web', 0],
] as const)('%s --dry-run has %i hint that more requests may follow', async (line, hints) => {
  const cwd = scratchFolder()
  writeFiles(cwd)
  const { exit, stderr } = await tug(`${line} --dry-run`, { env: environment('http://127.0.0.1:1'), cwd })
  expect([exit, stderr.match(/^hint: .*\n$/g)?.length ?? stderr.length]).toEqual([0, hints])
})
