import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { DevClock } from '../../src/dev/http.ts'
import type { Random } from './random.ts'

/** Random histories of secrets, as several people would write them, on the local server. */

/** The system's clock, turned back by `offset` milliseconds: versions can expire before a test begins. */
export class PastClock implements DevClock {
  offset = 0

  now(): Date {
    return new Date(Date.now() - this.offset)
  }

  after(): () => void {
    return () => undefined
  }
}

/** Where requests go. */
export interface Target {
  readonly origin: string
  readonly token: string
  readonly mount: string
}

type Send = (method: string, path: string, body?: unknown) => Promise<Record<string, any> | undefined>

/** Sends requests to the engine of a mount; the answer's `data`. Of tens of thousands, `fetch` would take most of the time. */
export function senderTo({ origin, token, mount }: Target): Send {
  const agent = new Agent({ keepAlive: true })
  return async (method, path, body) => {
    const [route = '', ...names] = path.split('/')
    const place = [route, ...names.map(encodeURIComponent)].join('/')
    const patch = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const headers = { 'x-secrets-token': token, 'x-vault-token': token, 'content-type': patch }
    const sent = request(`${origin}/v1/${mount}/${place}`, { agent, method, headers })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    const response = await new Promise<IncomingMessage>((done, fail) => sent.on('response', done).on('error', fail))
    const answer = await text(response)
    return answer === '' ? undefined : (JSON.parse(answer) as { data?: Record<string, any> }).data
  }
}

/** Adds a mount with versions to the local server. */
export async function addMount({ origin, token, mount }: Target): Promise<void> {
  const headers = { 'x-secrets-token': token, 'x-vault-token': token }
  const body = JSON.stringify({ type: 'kv', options: { version: '2' } })
  const { status } = await fetch(`${origin}/v1/sys/mounts/${mount}`, { method: 'POST', headers, body })
  if (status !== 204) throw new Error(`mounting ${mount}: ${status}`)
}

const folders = ['', 'app/', 'app/deep/er/', 'a b/', 'ü/中文/', '100%/', 'metadata/', 'data/', 'x+y/']

/** A path of its own for each number; some begin with another one. */
function pathOf(index: number): string {
  const folder = folders[index % folders.length] ?? ''
  return `${folder}${index % 7 === 0 ? 's/' : 's'}${index}`
}

/** One secret's history: up to `most` writes, deletes, undeletes, destroys, patches and changes of settings. */
async function writeHistory(send: Send, path: string, random: Random, most = 14): Promise<void> {
  let current = 0
  const count = 1 + random.below(most)
  const versions = () =>
    [1 + random.below(Math.max(1, current)), Math.max(1, current)].slice(random.chance(0.5) ? 1 : 0)
  const write = async () => {
    const data = random.pick<any>([
      { value: `v${random.next()}` },
      { value: `v${random.next()}`, nested: { list: [1, 2.5, null, true], text: 'ü "quoted" \n' } },
      {},
      { n: 9_007_199_254_740_991, big: 1e21, small: 1e-7 },
    ])
    const answer = await send('POST', `data/${path}`, { data, options: { cas: current } })
    if (typeof answer?.['version'] === 'number') current = answer['version']
  }
  const steps: readonly (readonly [weight: number, step: () => Promise<unknown>])[] = [
    [8, write],
    [
      2,
      async () => {
        const answer = await send('PATCH', `data/${path}`, {
          data: { patched: `${random.next()}` },
          options: { cas: current },
        })
        if (typeof answer?.['version'] === 'number') current = answer['version']
      },
    ],
    [2, () => send('DELETE', `data/${path}`)],
    [2, () => send('POST', `delete/${path}`, { versions: versions() })],
    [1, () => send('POST', `undelete/${path}`, { versions: versions() })],
    [2, () => send('PUT', `destroy/${path}`, { versions: versions() })],
    [2, () => send('POST', `metadata/${path}`, settings(random))],
  ]
  const all = steps.flatMap(([weight, step]) => Array<typeof step>(weight).fill(step))
  if (random.chance(0.2)) await send('POST', `metadata/${path}`, { ...settings(random), max_versions: 3 })
  if (random.chance(0.05)) return
  for (let index = 0; index < count; index += 1) await random.pick(all)()
}

function settings(random: Random): Record<string, unknown> {
  return random.pick<Record<string, unknown>>([
    { max_versions: 1 + random.below(6) },
    { max_versions: 0 },
    { cas_required: random.chance(0.5) },
    { delete_version_after: random.pick<any>(['1h', '26h3m4s', '0s']) },
    { custom_metadata: { owner: `team ${random.below(9)}`, note: 'ü' } },
    { custom_metadata: {} },
  ])
}

/** So many histories, some of them begun two days ago. */
export async function writeHistories(target: Target, clock: PastClock, random: Random, count: number): Promise<void> {
  const send = senderTo(target)
  for (const days of [2, 0]) {
    clock.offset = days * 86_400_000
    const chosen = Array.from({ length: count }, (_, index) => index).filter((index) => (index % 5 === 0) === days > 0)
    const queue = chosen.values()
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (const index of queue) await writeHistory(send, pathOf(index), random)
      }),
    )
  }
}

/** A backup without what no server lets be written: times, and versions without data. */
export function timeless(cwd: string, file: string): string[] {
  const [, ...lines] = readFileSync(join(cwd, file), 'utf8').trimEnd().split('\n')
  return lines.slice(0, -1).map((line) =>
    line
      .replaceAll(/"(?:created|updated|deletion)_time":"[^"]*"/g, '""')
      // Deleted versions are destroyed, and pruned ones may be.
      .replace(/"oldest_version":\d+/, '""')
      .replaceAll(/\{"version":\d+,"state":"de[^}]*\},?/g, ''),
  )
}
