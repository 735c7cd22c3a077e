import { expect } from 'vitest'
import { serveBetween } from './between.ts'
import type { Outcome } from './run.ts'
import { tug } from './run.ts'
import type { Seen } from './serve.ts'

/** Histories of every kind on a server, and what may happen while they are copied, moved and restored. */

type Written = readonly [method: string, route: string, body: object]

const version = (n: number): Written => ['POST', 'data', { data: { n: String(n) } }]
const upTo = (count: number) => Array.from({ length: count }, (_, index) => version(index + 1))
const settings = (body: object): Written => ['POST', 'metadata', body]
const remove = (...versions: number[]): Written => ['POST', 'delete', { versions }]
const destroy = (...versions: number[]): Written => ['POST', 'destroy', { versions }]
const keys = Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`k${index}`, 'v']))

/** Every kind of history, as it is written. */
export const histories: Readonly<Record<string, readonly Written[]>> = {
  one: upTo(1),
  'one-with-settings': [settings({ max_versions: 5, custom_metadata: { owner: 'a' } }), version(1)],
  two: upTo(2),
  five: [...upTo(5), settings({ custom_metadata: { owner: 'x', team: 'y' } })],
  pruned: [settings({ max_versions: 2 }), ...upTo(5)],
  'pruned-by-default': upTo(13),
  lowered: [...upTo(6), settings({ max_versions: 2 })],
  'destroyed-first': [...upTo(3), destroy(1)],
  'destroyed-last': [...upTo(2), destroy(2)],
  'destroyed-only': [version(1), destroy(1), settings({ custom_metadata: { why: 'gone' } })],
  'deleted-first': [...upTo(3), remove(1)],
  'deleted-last': [...upTo(3), remove(3)],
  'deleted-all': [...upTo(2), remove(1, 2)],
  'metadata-only': [settings({ max_versions: 7, custom_metadata: { a: 'b' } })],
  'cas-required': [...upTo(2), settings({ cas_required: true, max_versions: 5 })],
  expiring: [settings({ delete_version_after: '1h' }), ...upTo(3)],
  'expiring-later': [version(1), settings({ delete_version_after: '2h', max_versions: 3 }), version(2), version(3)],
  'expiring-no-more': [
    settings({ delete_version_after: '1h' }),
    ...upTo(2),
    settings({ delete_version_after: '0s' }),
    version(3),
  ],
  'all-keys': [...upTo(2), settings({ custom_metadata: keys })],
}

interface State {
  readonly current_version: number
  readonly settings: unknown
  /** By number: data, or the state of those without. */
  readonly versions: Readonly<Record<string, unknown>>
}

/** What a copy has to become: what has no data is destroyed, and what was pruned may be. */
export function copyOf(state: State | undefined, there: State | undefined): State | undefined {
  if (state === undefined) return undefined
  const versions: Record<string, unknown> = {}
  for (let number = 1; number <= state.current_version; number += 1) {
    const found = state.versions[number]
    if (found === undefined && there?.versions[number] === undefined) continue
    versions[number] = typeof found === 'object' ? found : 'destroyed'
  }
  return { ...state, versions }
}

const isWrite = ({ method, url }: Seen) => !['GET', 'LIST'].includes(method) && !url.includes('/sys/')

interface Network {
  /** The number of the write after which nothing is answered, as if the run were killed. */
  readonly cut?: number
  /** Called before each write with its number. */
  readonly before?: (write: number, seen: Seen) => Promise<void>
  readonly token?: string
}

/** A server with two mounts: the second keeps two versions and requires check-and-set. */
export interface World {
  /** Sends a request as an administrator. */
  call(method: string, path: string, body?: object): Promise<{ status: number; data?: any; auth?: any }>
  /** Writes a history anew, and removes what is at the paths. Returns its metadata. */
  begin(name: string, ...others: readonly string[]): Promise<string>
  stateOf(mount: string, path: string): Promise<State | undefined>
  run(line: string, network?: Network): Promise<Outcome & { writes: number; isDead: boolean }>
  readonly mount: string
  readonly strict: string
}

/** The world of a server; files are in `cwd`. */
export function openWorld(
  env: Readonly<Record<string, string>>,
  [mount, strict]: readonly [string, string],
  cwd: string,
): World {
  const { TUG_SECRETS_ADDR: address = '', TUG_SECRETS_TOKEN: root = '' } = env
  const call: World['call'] = async (method, path, body) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const headers = { 'x-vault-token': root, 'x-secrets-token': root, 'content-type': type }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`${address}/v1/${path}`, { method, headers, ...sent })
    const text = await response.text()
    return { ...(text === '' ? {} : (JSON.parse(text) as object)), status: response.status }
  }
  const begin: World['begin'] = async (name, ...others) => {
    const from = `${mount}/metadata/s/${name}`
    for (const path of [from, ...others]) await call('DELETE', path)
    for (const [method, route, body] of histories[name] ?? []) {
      const { status } = await call(method, `${mount}/${route}/s/${name}`, body)
      expect(status, `${name}: ${route}`).toBeLessThan(300)
    }
    return JSON.stringify((await call('GET', from)).data)
  }
  const stateOf: World['stateOf'] = async (at, path) => {
    const { status, data } = await call('GET', `${at}/metadata/${path}`)
    if (status === 404) return undefined
    const { current_version, max_versions, cas_required, delete_version_after, custom_metadata, versions } = data
    const states = Object.entries(versions as Record<string, { destroyed: boolean; deletion_time: string }>)
    const found: Record<string, unknown> = {}
    for (const [number, { destroyed, deletion_time }] of states) {
      const isDeleted = deletion_time !== '' && Date.parse(deletion_time) <= Date.now()
      const read = async () => (await call('GET', `${at}/data/${path}?version=${number}`)).data.data as unknown
      found[number] = destroyed ? 'destroyed' : isDeleted ? 'deleted' : [await read(), deletion_time !== '']
    }
    return {
      current_version,
      settings: { max_versions, cas_required, delete_version_after, custom_metadata },
      versions: found,
    }
  }
  const run: World['run'] = async (line, { cut = Infinity, before, token = root } = {}) => {
    let writes = 0
    let isDead = false
    const between = await serveBetween(env, {
      answers: (_, response) => {
        if (isDead) response.socket?.destroy()
        return isDead
      },
      before: async (seen) => {
        if (isWrite(seen)) await before?.((writes += 1), seen)
      },
      after: (seen) => {
        if (isWrite(seen) && writes >= cut) isDead = true
        return isDead ? 'lost' : undefined
      },
    })
    const typed = `${line} --mount ${mount}${cut < Infinity ? ' --retries 0' : ''}`
    const ended = await tug(typed, { env: { ...between, TUG_SECRETS_TOKEN: token }, now: new Date(), cwd })
    return { ...ended, writes, isDead }
  }
  return { call, begin, stateOf, run, mount, strict }
}

/** The lines that copy and move a history to `t/`. */
export const linesOf = (name: string): readonly [copy: string, move: string] => [
  `kv copy s/${name} t/${name} --versions all`,
  `kv move s/${name} t/${name} --without-deleted --yes`,
]

/** Cuts a line after each of its writes, and types it again. */
export async function expectContinued(
  { call, begin, stateOf, run, mount }: World,
  name: string,
  to: string,
  line: string,
) {
  for (let cut = 1; ; cut += 1) {
    const raw = await begin(name, `${to}/metadata/t/${name}`)
    const source = await stateOf(mount, `s/${name}`)
    const { isDead, exit, stderr } = await run(line, { cut })
    if (!isDead) expect({ cut, exit, stderr }).toMatchObject({ exit: 0 })
    const left = await call('GET', `${mount}/metadata/s/${name}`)
    const isGone = left.status === 404
    // Nothing of the source changes before its end.
    if (!isGone) expect({ cut, left: JSON.stringify(left.data) }).toEqual({ cut, left: raw })
    const again = await run(line)
    const isDone = isGone || (line.includes('move') && !isDead)
    expect({ cut, exit: again.exit, stderr: again.stderr }).toMatchObject({ exit: isDone ? 3 : 0 })
    const found = await stateOf(to, `t/${name}`)
    expect({ cut, found }).toEqual({ cut, found: copyOf(source, found) })
    expect((await call('GET', `${mount}/metadata/s/${name}`)).status).toBe(line.includes('move') ? 404 : 200)
    if (!isDead) return
  }
}

/** What a second writer does, and what must be left of it, whatever the exit status. */
interface Foreign {
  readonly calls: (name: string) => readonly (readonly [method: string, path: string, body?: object])[]
  readonly isKept: (source: State | undefined, target: State | undefined, exit: number) => boolean
  /** True if the writes before which it acts are those that no guard covers (docs/promises.md, Windows). */
  readonly isOpen?: (seen: Seen) => boolean
  readonly from?: number
  readonly until?: number
}

const theirs = { data: { precious: 'mine' } }
const has = (state: State | undefined) => JSON.stringify(state?.versions ?? {}).includes('precious')
const isMarked = (state: State | undefined) => JSON.stringify(state?.settings ?? {}).includes('theirs')
const isRemoval = ({ method }: Seen) => method === 'DELETE'

export const foreigners: Readonly<Record<string, Foreign>> = {
  'creates the target': {
    until: 1,
    calls: (name) => [
      ['POST', `metadata/t/${name}`, { max_versions: 20, custom_metadata: { theirs: '1' } }],
      ...[0, 1, 2].map((cas) => ['POST', `data/t/${name}`, { ...theirs, options: { cas } }] as const),
    ],
    isKept: (_, target) =>
      target?.current_version === 3 && isMarked(target) && JSON.stringify(target.settings).includes('20'),
  },
  'writes to the target': {
    calls: (name) => [['POST', `data/t/${name}`, theirs]],
    isKept: (_, target) => has(target),
  },
  'changes settings of the target': {
    calls: (name) => [['POST', `metadata/t/${name}`, { max_versions: 50, custom_metadata: { theirs: '1' } }]],
    isKept: (_, target, exit) => exit !== 0 || isMarked(target),
  },
  'makes the target anew': {
    from: 2,
    calls: (name) => [
      ['DELETE', `metadata/t/${name}`],
      ['POST', `data/t/${name}`, theirs],
    ],
    isKept: (_, target) => has(target),
    // Window B: versions are destroyed by their numbers.
    isOpen: ({ url }) => url.includes('/destroy/'),
  },
  'changes metadata of the source': {
    calls: (name) => [['PATCH', `metadata/s/${name}`, { custom_metadata: { theirs: '1' } }]],
    isKept: (source, target) => isMarked(source) || isMarked(target),
    // Window A: between the last read and the removal.
    isOpen: isRemoval,
  },
  'writes to the source': {
    calls: (name) => [['POST', `data/s/${name}`, theirs]],
    isKept: (source, target) => has(source) || has(target),
    isOpen: isRemoval,
  },
}

/** Lets somebody else act before each write of a line, and types it again. */
export async function expectKept(
  { call, begin, stateOf, run, mount }: World,
  what: string,
  line: string,
  name: string,
) {
  const { calls, isKept, isOpen = () => false, from = 1, until = Infinity } = foreigners[what] as Foreign
  let met = 0
  for (let at = from; at <= until; at += 1) {
    await begin(name, `${mount}/metadata/t/${name}`)
    let seen: Seen | undefined
    let isDone = false
    const before = async (write: number, request: Seen) => {
      if (write !== at || seen !== undefined) return
      seen = request
      const answers = []
      for (const [method, path, body] of calls(name)) answers.push(await call(method, `${mount}/${path}`, body))
      isDone = answers.every(({ status }) => status < 300)
    }
    const kept = async (status: number) =>
      isKept(await stateOf(mount, `s/${name}`), await stateOf(mount, `t/${name}`), status)
    const { exit, stderr } = await run(line, { before })
    if (seen === undefined) break
    if (!isDone || isOpen(seen)) continue
    met += 1
    const place = `before ${seen.method} ${seen.url}`
    expect({ place, exit, kept: await kept(exit), stderr }).toMatchObject({ kept: true })
    // No error suggests to remove what somebody else has written.
    if (exit !== 0) expect(stderr).not.toContain('kv metadata delete')
    const again = await run(line)
    expect({ place, exit: again.exit, kept: await kept(again.exit), stderr: again.stderr }).toMatchObject({
      kept: true,
    })
  }
  return met
}

/** Runs a whole second move at each write of the first. */
export async function expectMovedOnce({ begin, stateOf, run, mount }: World, name: string) {
  const [, line] = linesOf(name)
  for (let at = 1; ; at += 1) {
    await begin(name, `${mount}/metadata/t/${name}`)
    const source = await stateOf(mount, `s/${name}`)
    let second: number | undefined
    const first = await run(line, {
      before: async (write) => {
        if (write === at && second === undefined) second = (await run(line)).exit
      },
    })
    const found = await stateOf(mount, `t/${name}`)
    const place = { at, exits: [first.exit, second], stderr: first.stderr }
    expect({ ...place, source: await stateOf(mount, `s/${name}`), found }).toEqual({
      ...place,
      found: copyOf(source, found),
    })
    expect(place.exits, first.stderr).toContain(0)
    if (second === undefined) return
  }
}
