import { usageError } from './errors.ts'

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
  const host = url.hostname.toLowerCase()
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true
      const [, name = '', wantedPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
      if (wantedPort !== undefined && wantedPort !== port) return false
      const suffix = name.replace(/^\*?\./, '')
      return host === suffix || host.endsWith(`.${suffix}`)
    })
}
