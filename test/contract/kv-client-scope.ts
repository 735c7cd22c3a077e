/** Which command reads which recorded answer of the key-value engine, and which answers none of them can get. */

/** A recorded request, as far as it identifies the command. */
export interface Asked {
  readonly method: string
  /** With the query. */
  readonly path: string
}

/** The command, or the reason why there is none. */
export type Match = { readonly words: readonly string[] } | { readonly none: string }

const mounts = ['secret', 'apps', 'team/nested/kv', 'kv2alias', 'old', 'plainkv', 'team-a/kv', 'kv', 'nosuch']

type Row = readonly [methods: string, kind: string, words: (path: string) => readonly string[]]

/** By method and the segment after the mount; LIST includes `GET …?list=true`. */
const table: readonly Row[] = [
  ['GET', 'config', () => ['config', 'get']],
  ['POST PUT', 'config', () => ['config', 'set', '--max-versions', '1']],
  ['GET', 'data', (path) => ['get', path]],
  ['POST PUT', 'data', (path) => ['put', path, 'a=1', '--no-verify']],
  ['PATCH', 'data', (path) => ['patch', path, 'a=1']],
  ['DELETE', 'data', (path) => ['delete', path, '--no-verify']],
  ['GET', 'subkeys', (path) => ['subkeys', path]],
  ['POST PUT', 'delete', (path) => ['delete', path, '--versions', '1', '--no-verify']],
  ['POST PUT', 'undelete', (path) => ['undelete', path, '--versions', '1', '--no-verify']],
  ['POST PUT', 'destroy', (path) => ['destroy', path, '--versions', '1', '--yes', '--no-verify']],
  ['LIST', 'metadata', (path) => (path === '' ? ['list'] : ['list', path])],
  ['GET', 'metadata', (path) => ['metadata', 'get', path]],
  ['POST PUT', 'metadata', (path) => ['metadata', 'put', path, '--max-versions', '1']],
  ['PATCH', 'metadata', (path) => ['metadata', 'patch', path, '--max-versions', '1']],
  ['DELETE', 'metadata', (path) => ['metadata', 'delete', path, '--yes']],
]

/** The command that sends such a request, whatever its details. */
export function commandFor({ method, path }: Asked): Match {
  const [place = '', query = ''] = path.split('?')
  if (!place.startsWith('/v1/')) return { none: 'another version of the interface' }
  const rest = place.slice('/v1/'.length)
  if (/^(?:team-a\/)?(?:sys|auth|cubbyhole|identity)(?:\/|$)/.test(rest)) return { none: 'not of the key-value engine' }
  const mount = mounts.find((one) => rest === one || rest.startsWith(`${one}/`))
  if (mount === undefined) return { none: 'no mount of the recordings' }
  const [, kind = '', encoded = ''] = /^([^/]*)\/?(.*)$/s.exec(rest.slice(mount.length + 1)) ?? []
  const wanted = method === 'GET' && /(?:^|&)list=(?:true|1|TRUE)/.test(query) ? 'LIST' : method
  if (/scan=/.test(query)) return { none: 'a route or method that no command uses' }
  const row = table.find(([methods, one]) => one === kind && methods.split(' ').includes(wanted))
  if (row === undefined) return { none: 'a route or method that no command uses' }
  const secret = decoded(encoded)
  if (secret === undefined) return { none: 'a path that cannot be typed: broken escapes' }
  if (kind !== 'config' && !isTypeable(secret, wanted === 'LIST'))
    return { none: 'a path that is refused before anything is sent' }
  if (kind === 'config' && secret + encoded !== '') return { none: 'a path below the configuration' }
  if (/help=/.test(query)) return { none: 'help texts are not asked for' }
  return { words: ['kv', ...row[2](secret), '--mount', mount] }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function isTypeable(path: string, list: boolean): boolean {
  const bare = list ? path.replace(/\/$/, '') : path
  if (bare === '') return list
  return !/\p{Cc}/u.test(bare) && bare.split('/').every((part) => !['', '.', '..'].includes(part))
}
