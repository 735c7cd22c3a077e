import { expect, test } from 'vitest'
import { ask, serveBetween } from '../support/between.ts'
import { startDevServer } from '../support/dev.ts'
import { scratchFolder } from '../support/folder.ts'
import { failure, tug } from '../support/run.ts'
import type { Seen } from '../support/serve.ts'
import { writeFiles } from './lines.ts'

type Sent = Omit<Seen, 'headers'>

/** What another writer does after the write of the line was carried out, and what must still be there in the end. */
const data = { data: { owner: 'somebody else' } }
const secret: Sent = { method: 'POST', url: '/v1/secret/data/app/db', body: JSON.stringify(data) }
const scope: Sent = { method: 'POST', url: '/v1/kmip/scope/storage', body: '' }
const registered: Sent = {
  method: 'POST',
  url: '/v1/jobs',
  body: JSON.stringify({
    Job: { ID: 'web', Name: 'web', Type: 'service', Datacenters: ['dc1'], TaskGroups: [], Meta: { owner: 'x' } },
  }),
}

/** Writes without a guard, each with what another writer does once it was carried out. */
const lines: readonly (readonly [line: string, other: Sent])[] = [
  ['kv delete app/db', secret],
  ['kv metadata delete app/db --yes', secret],
  ['kv put app/db user=app --no-verify', secret],
  ['kmip scope delete storage --force --yes', scope],
  ['job evaluate web', registered],
  ['job run web.json', registered],
  ['job revert web 1', registered],
  ['job periodic force backup --force', registered],
]

/** After 502 and 504 the same may have happened as after 503. */
const cuts = ['closed', 500, 503] as const

test.each(lines)('%s: carried out, then cut, and never sent again', async (line, other) => {
  const cwd = scratchFolder()
  writeFiles(cwd)
  for (const cut of cuts) {
    const { env, writes } = await cutServer(cut, other)
    const { exit, reason, hint } = await failure(`${line} --retries 4`, { env, cwd })
    expect({ cut, writes: writes.length, exit, reason }).toEqual({
      cut,
      writes: 1,
      exit: cut === 'closed' ? 7 : 1,
      reason: 'in_doubt',
    })
    expect(hint).toMatch(/see: tug /)
  }
})

test.each([
  'kv destroy app/db --versions 3 --yes',
  'kv undelete app/db --versions 2',
  'kv metadata put app/db --max-versions 3',
  'kv config set --max-versions 3',
  'job stop web --yes',
  'job stop web --purge --yes',
  'job scale web app 5',
  'explorer views create Drifted --type workspaces',
  'kmip scope create other',
  'kmip role delete storage backup --yes',
  'kmip role set storage backup --all-operations',
  'kmip config set --default-tls-client-ttl 1h',
])('%s: carried out, then cut: a read shows that its goal is reached, and it is never sent again', async (line) => {
  for (const cut of cuts) {
    const { env, writes } = await cutServer(cut, secret)
    expect((await tug(`${line} --retries 4`, { env })).exit, String(cut)).toBe(0)
    expect(writes).toHaveLength(1)
  }
})

/** A local server whose first write is carried out and answered by a cut, after another writer wrote. */
async function cutServer(cut: (typeof cuts)[number], other: Sent) {
  const dev = await startDevServer()
  const writes: string[] = []
  const env = await serveBetween(dev.env, {
    after: async ({ method, url, headers }) => {
      if (method === 'GET' || method === 'LIST') return undefined
      writes.push(`${method} ${url}`)
      await ask(dev.origin, { ...other, headers })
      return cut === 'closed' ? 'lost' : cut
    },
  })
  return { env, writes }
}
