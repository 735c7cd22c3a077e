import { expect, test } from 'vitest'
import { startDevServer } from '../support/dev.ts'
import { scratchFolder } from '../support/folder.ts'
import { failure, tug } from '../support/run.ts'
import { serve } from '../support/serve.ts'
import { writeFiles } from './lines.ts'

interface Sent {
  readonly method: string
  readonly path: string
  readonly body?: object
}

/** What another writer does after the write of the line was carried out, and what must still be there in the end. */
const data = { data: { owner: 'somebody else' } }
const secret: Sent = { method: 'POST', path: '/v1/secret/data/app/db', body: data }
const scope: Sent = { method: 'POST', path: '/v1/kmip/scope/storage' }
const registered: Sent = {
  method: 'POST',
  path: '/v1/jobs',
  body: {
    Job: { ID: 'web', Name: 'web', Type: 'service', Datacenters: ['dc1'], TaskGroups: [], Meta: { owner: 'x' } },
  },
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
  ['job periodic force backup', registered],
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
  const proxy = await serve(({ method, url, headers, body }, response) => {
    const token = Object.entries(headers).filter(([name]) => /token|authorization|content-type/.test(name))
    const pass = (sent: { method: string; path: string; body?: string }) =>
      fetch(dev.origin + sent.path, {
        method: sent.method,
        headers: Object.fromEntries(token.map(([name, value]) => [name, String(value)])),
        ...(sent.body === undefined || sent.body === '' ? {} : { body: sent.body }),
      })
    void (async () => {
      const answer = await pass({ method, path: url, body })
      if (method === 'GET' || method === 'LIST') {
        const type = answer.headers.get('content-type') ?? ''
        response.writeHead(answer.status, { 'content-type': type }).end(await answer.text())
        return
      }
      writes.push(`${method} ${url}`)
      await pass({ ...other, ...(other.body === undefined ? {} : { body: JSON.stringify(other.body) }) } as Sent & {
        body?: string
      })
      if (cut === 'closed') response.socket?.destroy()
      else response.writeHead(cut).end()
    })()
  })
  const env = Object.fromEntries(
    Object.entries(dev.env).map(([name, value]) => [name, value.replace(dev.origin, proxy.origin)]),
  )
  return { env, writes }
}
