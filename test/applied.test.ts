import { expect, test } from 'vitest'
import { startDevServer } from './support/dev.ts'
import { scratchFolder } from './support/folder.ts'
import { failure, tug } from './support/run.ts'
import { writeFiles } from './faults/lines.ts'

/** Writes with what their error names, when their result cannot be printed. */
const lines: readonly (readonly [line: string, name: RegExp])[] = [
  ['kv put app/db user=app', /app\/db/],
  ['kv set app/db user=other', /app\/db/],
  ['kv config set --max-versions 3', /configur|saved|max_versions/],
  ['kmip role set storage backup --all-operations', /backup/],
  ['kmip scope create other', /other/],
  ['job dispatch nightly rows.ndjson --meta source=orders', /started nightly\/dispatch-/],
  ['job scale web app 5', /scaled web\/app to 5, evaluation \w/],
  ['job evaluate web', /created evaluation \w+/],
  ['job evaluate web --wait', /created evaluation \w+/],
  ['job evaluate web --wait -o ndjson', /created evaluation \w+/],
  ['job restart web --yes', /restarted web/],
  ['explorer views create Drifted --type workspaces', /Drifted|sq-/],
]

test('a write that was carried out before stdout failed says so', async () => {
  const dev = await startDevServer()
  const cwd = scratchFolder()
  writeFiles(cwd)
  const onWrite = (stream: string) => {
    if (stream === 'stdout') throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  }
  for (const [line, name] of lines) {
    const outcome = await failure(line, { env: dev.env, cwd, onWrite })
    expect(outcome, line).toMatchObject({ exit: 1, applied: true, message: expect.stringMatching(name) as string })
  }
})

test.each(['--columns nope -o csv', "--query 'sum(path)' -o json"])(
  'an unusable %s says what was written',
  async (flags) => {
    const { env } = await startDevServer()
    const { exit, stdout, stderr } = await tug(`kv put app/new a=1 ${flags}`, { env })
    expect(exit).toBe(1)
    expect(stdout).toContain('app/new')
    expect(stderr).toMatch(/app\/new: wrote version 1, but --(columns|query): /)
  },
)
