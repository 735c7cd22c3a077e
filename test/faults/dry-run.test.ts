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
