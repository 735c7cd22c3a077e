import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { program, start } from '../support/process.ts'
import { says } from '../support/told.ts'

/** What only a process can show: the machine it starts on. */

const node = process.execPath

test('in a deleted directory, what needs no directory works, and the rest fails with a clear error', async () => {
  const inDeleted = (line: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'tug-gone-'))
    return start(['-c', `cd ${folder} && rmdir ${folder} && exec ${node} ${program} ${line}`], { command: 'sh' }).ended
  }
  expect(await inDeleted('endpoints -o name')).toMatchObject({ status: 0, stderr: '' })
  expect(await inDeleted('job parse web.hcl --dry-run')).toMatchObject({
    status: 1,
    stderr: says('tug: … directory…\nhint: cd …\n'),
  })
})

test.each([
  [{ HOME: '' }, /^\/.+\/\.config\/tug\/config\.json\n$/],
  [{ HOME: 'relative' }, /^\/.+\/\.config\/tug\/config\.json\n$/],
  [{ HOME: '/home/a', XDG_CONFIG_HOME: 'relative' }, /^\/home\/a\/\.config\/tug\/config\.json\n$/],
  [{ HOME: '/home/a', XDG_CONFIG_HOME: '' }, /^\/home\/a\/\.config\/tug\/config\.json\n$/],
  [{ HOME: '/home/a', XDG_CONFIG_HOME: '/xdg' }, /^\/xdg\/tug\/config\.json\n$/],
])('configuration never comes from the current directory: %j', async (env, path) => {
  const { stdout } = await start(['profile', 'path'], { env: { TUG_CONFIG_DIR: '', ...env } }).ended
  expect(stdout.toString()).toMatch(path)
})
