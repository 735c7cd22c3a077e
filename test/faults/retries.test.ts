import { expect, test } from 'vitest'
import { scratchFolder } from '../support/folder.ts'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'
import { environment, writeFiles } from './lines.ts'

/** What may be sent again, by kind: reads and guarded writes, and all other writes. */
const lines: readonly (readonly [kind: 'repeatable' | 'once', line: string])[] = [
  ['repeatable', 'job get web'],
  ['repeatable', 'kv get app/db'],
  ['repeatable', 'job plan web.json'],
  ['repeatable', 'kv put app/queue user=app --cas 0'],
  ['repeatable', 'job run web.json --check-index 7'],
  ['repeatable', 'job dispatch nightly rows.ndjson'],
  ['once', 'kv put app/queue user=app --no-verify'],
  ['once', 'job run web.json'],
  ['once', 'job scale web app 5'],
  ['once', 'kmip cred generate storage backup --out-dir out'],
  ['once', 'job stop web --yes'],
  ['once', 'job stop web --purge --yes'],
  ['once', 'kmip scope delete storage --yes'],
]

const broken = ['closed', 500, 502, 503, 504] as const

test.each(lines.flatMap(([kind, line]) => broken.map((fault) => [line, fault, kind] as const)))(
  'tug %s, %s: %s',
  async (line, fault, kind) => {
    const { seen, outcome } = await runThrice(line, fault)
    expect(seen).toBe(kind === 'once' ? 1 : 3)
    expect(outcome.exit).toBe(fault === 'closed' ? 7 : 1)
    expect(outcome.stderr.match(/^.* \(retry \d of 2\)$/gm) ?? []).toHaveLength(seen - 1)
  },
)

test.each(lines)('a %s request is sent again after a 429: tug %s', async (_, line) => {
  const { seen, outcome } = await runThrice(line, 429)
  expect(seen).toBe(3)
  expect(outcome).toMatchObject({ exit: 7, stdout: '' })
  expect(outcome.stderr).not.toContain('unknown')
})

async function runThrice(line: string, fault: 'closed' | number) {
  const cwd = scratchFolder()
  writeFiles(cwd)
  // What decides these writes may not be read, so that they are sent alone.
  const isDecided = (method: string) => method === 'GET' && /^job (?:stop|scale)/.test(line)
  const { origin, seen } = await serve(({ url, method }, response) => {
    if (isDecided(method)) return json(response, 403, 'Permission denied')
    if (url.includes('/sys/internal/ui/mounts/')) return json(response, 403, '{"errors":["permission denied"]}')
    if (url.endsWith('?list=true')) json(response, 200, '{"data":{"keys":["storage"]}}')
    else if (fault === 'closed') response.socket?.end()
    else json(response, fault, '{"errors":["a reason of the test"]}')
  })
  const outcome = await tug(`${line} --retries 2`, { env: environment(origin), cwd })
  const counted = seen.filter(({ url, method }) => !/\?list=true$|\/ui\/mounts\//.test(url) && !isDecided(method))
  return { seen: counted.length, outcome }
}
