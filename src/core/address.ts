import { usageError } from './errors.ts'

/** A parsed base URL, without the version prefix, which paths have themselves. */
export interface Address {
  /** `https://host:port`; `http://localhost` for a Unix socket. */
  readonly origin: string
  readonly socketPath: string | undefined
  /** The part before the version prefix: `/tug` of `https://host/tug/v1`; else ''. */
  readonly basePath: string
}

/** The origin in messages and stored tokens: `unix:///path` for a socket. */
export function originOf({ origin, socketPath }: Pick<Address, 'origin' | 'socketPath'>): string {
  return socketPath === undefined ? origin : `unix://${socketPath}`
}

/** The host of a URL as sockets want it: an IPv6 address without its brackets. */
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
  if (!/^https?:\/\//i.test(text)) {
    const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0]
    throw usageError(
      scheme === undefined
        ? `${source}: the address '${text}' has no scheme`
        : `${source}: the address '${text}' is neither http, https nor unix`,
      `write it as http://${text.slice(scheme?.length ?? 0)} or https://…`,
    )
  }
  if (!URL.canParse(text)) throw usageError(`${source}: '${text}' is not a valid URL`)
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') {
    throw usageError(
      `${source}: an address must not contain a user name or password`,
      'pass the token with --token-file or its variable',
    )
  }
  if (url.search !== '' || url.hash !== '')
    throw usageError(`${source}: the address '${text}' must not have a query or fragment`)
  return { origin: url.origin, socketPath: undefined, basePath: withoutVersion(url.pathname) }
}

/** An address or its path without what does not matter: the slash and the version prefix at its end. */
export function withoutVersion(address: string): string {
  return address.replace(/\/+$/, '').replace(/\/(?:api\/v2|v1)$/, '')
}

/**
 * The proxy for an origin by the environment (`HTTPS_PROXY`, `NO_PROXY`, in both cases); undefined for none. Throws a
 * usage error if it isn't `http://host:port`, without quoting it, because it may contain a password.
 */
export function proxyFor(origin: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const url = new URL(origin)
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
  const source = [name, name.toUpperCase(), 'all_proxy', 'ALL_PROXY'].find((one) => env[one])
  if (source === undefined || isExempt(url, env['no_proxy'] || env['NO_PROXY'] || '')) return undefined
  const given = env[source] as string
  const proxy = /^[a-z][a-z\d+.-]*:\/\//i.test(given) ? given : `http://${given}`
  if (!URL.canParse(proxy) || new URL(proxy).protocol !== 'http:') {
    throw usageError(`${source}: a proxy must be http://host:port`, 'NO_PROXY lists hosts without a proxy')
  }
  return proxy
}

function isExempt(url: URL, list: string): boolean {
  const host = url.hostname
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true
      const [name = '', wantedPort] = entry.toLowerCase().split(/:(?=\d+$)/)
      if (wantedPort !== undefined && wantedPort !== port) return false
      const suffix = name.replace(/^\*?\./, '')
      return host === suffix || host.endsWith(`.${suffix}`)
    })
}
