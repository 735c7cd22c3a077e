import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from './support/dev.ts'
import { scratchFolder } from './support/folder.ts'
import { program, root, start } from './support/process.ts'

const page = readFileSync(join(root, 'docs/machines.md'), 'utf8')
const scripts = Array.from(page.matchAll(/^```bash\n([^]*?)```$/gm), ([, script]) => script as string)

test.each(scripts)('every line of this example in docs/machines.md succeeds:\n%s', async (script) => {
  const { env } = await startDevServer()
  const tug = `tug() { '${process.execPath}' '${program}' "$@"; }`
  const { status, stderr } = await start(['-c', `set -eu -o pipefail; ${tug}\n${script}`], {
    command: 'bash',
    cwd: scratchFolder(),
    env,
  }).ended
  expect({ status, stderr }).toMatchObject({ status: 0 })
})
