import type { DevRequest, Dialect } from '../../src/dev/http.ts'

/** What the server's front would hand to a service for a request; by default without headers and body. */
export function devRequest(
  method: string,
  target: string,
  more: Partial<Pick<DevRequest, 'headers' | 'signal' | 'origin' | 'assumed'>> & {
    readonly dialect: Dialect
    readonly body?: string
  },
): DevRequest {
  const [rawPath = '', rawQuery = ''] = target.split(/\?(.*)/s)
  return {
    method,
    rawPath,
    segments: rawPath.split('/').slice(1).map(decodeURIComponent),
    query: new URLSearchParams(rawQuery),
    rawQuery,
    headers: more.headers ?? {},
    body: Buffer.from(more.body ?? ''),
    dialect: more.dialect,
    assumed: more.assumed ?? false,
    signal: more.signal ?? new AbortController().signal,
    origin: more.origin ?? 'http://127.0.0.1:1',
  }
}
