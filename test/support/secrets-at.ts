import { json, serve } from './serve.ts'

/** A version of a secret; times are empty or ISO 8601. One that is null has been pruned. */
interface VersionAt {
  readonly data?: unknown
  readonly written?: string
  readonly deleted?: string
  readonly destroyed?: boolean
}

/** A secret by its versions, oldest first, or its whole metadata; null if it is listed, but doesn't exist any more. */
type SecretAt =
  | readonly (VersionAt | null)[]
  | { readonly versions: readonly (VersionAt | null)[]; readonly [member: string]: unknown }
  | null

export type SecretsAt = Readonly<Record<string, SecretAt>>

/** The moment of every answer of {@link serveSecretsAt}: the second of its `Date` header is not over. */
const now = Date.parse('2026-11-21T07:30:00.999Z')

const day = 86_400_000

/** The moment so many days, and milliseconds more, before an answer; a negative number is after it. */
export function ago(days: number, milliseconds = 0): string {
  return new Date(now - days * day - milliseconds).toISOString()
}

/**
 * A service that answers reads of these secrets, accepts every write, and refuses both for a path with `locked` in it. Of the writes, only an
 * undelete changes anything.
 */
export function serveSecretsAt(secrets: SecretsAt) {
  const headers = { date: new Date(now - 999).toUTCString() }
  const restored = new Set<string>()
  return serve(({ method, url, body: sent }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://x')
    const [, kind, place = ''] = /^\/v1\/secret\/(\w+)\/?(.*)$/.exec(decodeURIComponent(pathname)) ?? []
    const answer = (status: number, body: object) => json(response, status, JSON.stringify(body), headers)
    if (/(?:^|\/)locked(?:\/|$)/.test(place)) return answer(403, { errors: ['permission denied'] })
    if (kind === 'undelete')
      for (const version of (JSON.parse(sent) as { versions: number[] }).versions) restored.add(`${place} ${version}`)
    if (method !== 'GET') return answer(200, { data: { version: 99 } })
    if (pathname.endsWith('/config')) return answer(200, { data: { max_versions: 0, cas_required: false } })
    if (searchParams.has('list')) {
      const start = place === '' ? '' : `${place}/`
      const below = Object.keys(secrets).filter((path) => path.startsWith(start))
      const keys = [...new Set(below.map((path) => /^[^/]+\/?/.exec(path.slice(start.length))?.[0]))]
      return keys.length === 0 ? answer(404, { errors: [] }) : answer(200, { data: { keys } })
    }
    const secret = secrets[place] ?? undefined
    if (secret === undefined) return answer(404, { errors: [] })
    const { versions, ...more } = 'versions' in secret ? secret : { versions: secret }
    const numbered = versions.flatMap((one, index) => {
      if (one === null) return []
      const { written = ago(0), deleted: deletion = '', destroyed = false } = one
      const deleted = restored.has(`${place} ${index + 1}`) ? '' : deletion
      return [[index + 1, { created_time: written, deletion_time: deleted, destroyed }] as const]
    })
    const times = Object.fromEntries(numbered)
    if (kind === 'metadata')
      return answer(200, { data: { current_version: versions.length, versions: times, ...more } })
    const number = Number(searchParams.get('version') ?? '0') || versions.length
    const version = versions[number - 1]
    if (version === undefined || version === null) return answer(404, { errors: [] })
    const { deleted = '', destroyed = false, data = { k: 'v' } } = version
    const isGone = destroyed || (deleted !== '' && Date.parse(deleted) <= now)
    const metadata = { version: number, ...times[number], custom_metadata: more['custom_metadata'] ?? null }
    return answer(isGone ? 404 : 200, {
      data: { [kind === 'data' ? kind : 'subkeys']: isGone ? null : data, metadata },
    })
  })
}
