import { BlockList, isIP } from 'node:net'
import { usageError } from './errors.ts'
import { decodePath } from './request.ts'

/** A parsed base URL, without the version prefix, which is part of each request path. */
export interface Address {
  /** `https://host:port`; `http://localhost` for a Unix socket. */
  readonly origin: string
  readonly socketPath: string | undefined
  /** `user:password` of the address, for Basic authentication. */
  readonly login?: string
  /** What precedes the version prefix: `/tug` in `https://host/tug/v1`; otherwise ''. */
  readonly basePath: string
}

/** The origin in messages and stored tokens: `unix:///path` for a socket. */
export function originOf({ origin, socketPath }: Pick<Address, 'origin' | 'socketPath'>): string {
  return socketPath === undefined ? origin : `unix://${socketPath}`
}

/** The address of a context's server without credentials, as files name it. */
export function serverOf({ http }: { readonly http: { readonly connection: { address(): Address } } }): string {
  const address = http.connection.address()
  return originOf(address) + address.basePath
}

/** A URL's host for sockets: an IPv6 address without brackets. */
export function socketHost({ hostname }: URL): string {
  return hostname.replace(/[[\]]/g, '')
}

/**
 * Reads a base URL with or without `/api/v2` or `/v1`. `source` names its origin in errors: a missing scheme,
 * another scheme than http, https or unix, a query, credentials inside.
 */
export function parseAddress(text: string, source: string): Address {
  const socketPath = /^unix:(?:\/\/)?(\/.*)$/.exec(text)?.[1]
  if (socketPath !== undefined) return { origin: 'http://localhost', socketPath, basePath: '' }
  // A query may have a token.
  const shown = withoutLogin(text).replace(/[?#].*/s, '')
  if (!/^https?:\/\//i.test(text)) {
    const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0]
    throw usageError(
      scheme === undefined
        ? `${source}: the address '${shown}' has no scheme`
        : `${source}: the address '${shown}' is neither http, https nor unix`,
      `write it as http://${shown.slice(scheme?.length ?? 0)} or https://…`,
    )
  }
  if (!URL.canParse(text)) throw usageError(`${source}: '${shown}' is not a valid URL`)
  const url = new URL(text)
  if (url.search !== '' || url.hash !== '')
    throw usageError(`${source}: the address '${shown}' must not have a query or fragment`)
  const login = loginOf(url)
  return {
    origin: url.origin,
    socketPath: undefined,
    basePath: withoutVersion(url.pathname),
    ...(login === undefined ? {} : { login }),
  }
}

/** An address for display, with or without a scheme, without user and password. */
export function withoutLogin(address: string): string {
  return address.includes('@') ? address.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/?#]*@/i, '$1') : address
}

/** An address or its path without a trailing slash or version prefix. */
export function withoutVersion(address: string): string {
  return address.replace(/\/+$/, '').replace(/\/(?:api\/v2|v1)$/, '')
}

/**
 * The environment's proxy for an origin (`HTTPS_PROXY`, `NO_PROXY`, in upper or lower case); undefined if there is none, and for loopback
 * addresses.
 * Throws a usage error if it isn't `http://host:port`, without quoting it, because it may contain a password.
 */
export function proxyFor(origin: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const url = new URL(origin)
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
  const source = [name, name.toUpperCase(), 'all_proxy', 'ALL_PROXY'].find((one) => env[one])
  if (source === undefined || isLoopback(socketHost(url)) || isExempt(url, env['no_proxy'] || env['NO_PROXY'] || ''))
    return undefined
  const given = env[source] as string
  const proxy = /^[a-z][a-z\d+.-]*:\/\//i.test(given) ? given : `http://${given}`
  if (!URL.canParse(proxy) || new URL(proxy).protocol !== 'http:') {
    throw usageError(`${source}: a proxy must be http://host:port`, 'NO_PROXY lists hosts without a proxy')
  }
  return proxy
}

/** What must not be shown of `user:password`, of an address or a proxy: the password, and both as Basic authentication. */
export function loginSecrets(login: string): string[] {
  const [user = '', password = ''] = login.split(/:(.*)/s)
  return [password || user, Buffer.from(login).toString('base64')]
}

/** `user:password` of a URL; undefined if it has none. */
export function loginOf({ username, password }: URL): string | undefined {
  return username === '' && password === '' ? undefined : `${decodePath(username)}:${decodePath(password)}`
}

/** Whether a host, in the form of {@link socketHost}, is this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** Whether `NO_PROXY` matches the host: `*`, a domain or an address, each with an optional port, or a network. */
function isExempt(url: URL, list: string): boolean {
  const host = socketHost(url)
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true
      if (entry.includes('/')) return isIn(host, entry)
      // A bare IPv6 address contains colons.
      const bare = isIP(entry) === 6 ? [entry] : entry.toLowerCase().split(/:(?=\d+$)/)
      const [name = '', wantedPort] = bare
      if (wantedPort !== undefined && wantedPort !== port) return false
      const address = name.replace(/^\[(.*)\]$/, '$1')
      if (isIP(address) !== 0) return isIn(host, `${address}/${isIP(address) === 6 ? 128 : 32}`)
      const suffix = name.replace(/^\*?\./, '')
      return host === suffix || host.endsWith(`.${suffix}`)
    })
}

/** Whether a host is an address in a network, such as 10.0.0.0/8. */
function isIn(host: string, network: string): boolean {
  const [base = '', bits = ''] = network.split('/')
  const family = isIP(base)
  if (family === 0 || isIP(host) !== family || !/^\d+$/.test(bits) || Number(bits) > (family === 6 ? 128 : 32))
    return false
  const type = family === 6 ? 'ipv6' : 'ipv4'
  const list = new BlockList()
  list.addSubnet(base, Number(bits), type)
  return list.check(host, type)
}
