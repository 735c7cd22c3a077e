import { expect, test } from 'vitest'
import { catalogue, changesNothing, environment, runs, writeFiles } from '../faults/lines.ts'
import { scratchFolder } from '../support/folder.ts'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'

const unmet = '{"errors":["check-and-set parameter did not match the current version"]}'
const unmetMetadata = '{"errors":["metadata check-and-set parameter does not match the current version"]}'

/** A failed write, by its response; `lost` has none. */
const failures: readonly (readonly [line: string, failure: readonly [status: number, body: string] | 'lost'])[] = [
  ['job scale web app 3', 'lost'],
  ['job scale web app 3', [400, 'job scaling blocked due to active deployment']],
  ['job scale web app 3', [400, 'task group "app" specified for scaling does not exist in job']],
  ['job stop web --yes', 'lost'],
  ['job stable web 1 --yes', [500, 'job "web" at version 1 not found']],
  ['kv patch app/db a=1 --cas 3', [400, unmet]],
  ['kv patch app/db a=1', 'lost'],
  ['kv delete app/db --yes', 'lost'],
  ['kv metadata put app/db --max-versions 3', [400, unmetMetadata]],
  ['kmip scope create fleet', 'lost'],
]

test.each(failures)('no hint advises to read what may not be read: %s, %j', async (line, failure) => {
  const { env, seen } = await serve(({ method }, response) => {
    if (method === 'GET' || method === 'LIST') json(response, 403, '{"errors":["permission denied"]}')
    else if (failure === 'lost') response.socket?.destroy()
    else json(response, ...failure)
  })
  const { exit, stderr } = await tug(`${line} -o json --retries 0`, { env })
  const { hint, message } = (JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as { error: Record<string, string> })
    .error
  expect(seen.some(({ method }) => !['GET', 'LIST'].includes(method))).toBe(true)
  expect([exit, message]).not.toEqual([0, ''])
  expect(hint ?? '').not.toMatch(
    /tug (?:kv|job|kmip) (?:get|history|versions|evals|scale-status|deployment|metadata|scope)/,
  )
})

const planned = catalogue.filter((each) => !changesNothing(each) && 'plan' in each.command.params)

test.each(runs.filter(([path]) => !path.startsWith('job ') && planned.some((each) => each.path === path)))(
  'without a token the plan of %s ends like the run',
  async (_, line) => {
    const { env, seen } = await withoutToken()
    const cwd = scratchFolder()
    writeFiles(cwd)
    for (const flags of ['', ' --plan']) {
      // With --no-verify, a plan sends nothing.
      const { exit, stderr } = await tug(line.replace(' --no-verify', '') + flags, { cwd, env })
      expect([exit, stderr.includes('no token for the')], line + flags).toEqual([4, true])
    }
    expect(seen).toEqual([])
  },
)

async function withoutToken() {
  const { origin, seen } = await serve((_, response) => json(response, 200, '{}'))
  const env = Object.entries(environment(origin)).filter(([name]) => !name.endsWith('_TOKEN'))
  return { env: Object.fromEntries(env), seen }
}
