import type { DevReply, DevRequest } from '../http.ts'
import { errorReply, faultList } from './reply.ts'

/** Which paths the demo secrets store takes (contract a.11), and what it says to the others. */

export interface SecretsPath {
  /** Below `/v1/`, decoded; a `%2F` separates like a slash. */
  readonly segments: readonly string[]
  readonly trailingSlash: boolean
}

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u

/** True for texts without control, invisible and no-break characters. */
export function isPrintable(text: string): boolean {
  return printable.test(text)
}

/** The path of a request, or the reply that refuses it. */
export function readPath(request: DevRequest): SecretsPath | DevReply {
  const cleaned = cleanPath(request.rawPath)
  if (cleaned !== request.rawPath) return redirect(request, cleaned)
  const bytes = decode(cleaned)
  if (bytes === undefined) return badEscape
  const path = bytes.toString('utf8')
  if (!Buffer.from(path).equals(bytes)) return errorReply(500, faultList(['string field contains invalid UTF-8']))
  if (!isPrintable(path)) return { status: 400 }
  const [, version, ...segments] = path.split('/')
  if (version !== 'v1') return errorReply(404)
  if (segments.includes('..')) return errorReply(400, 'relative paths not supported')
  const trailingSlash = segments.at(-1) === ''
  return { segments: trailingSlash ? segments.slice(0, -1) : segments, trailingSlash }
}

const badEscape: DevReply = {
  status: 400,
  headers: { 'content-type': 'text/plain; charset=utf-8', connection: 'close' },
  body: '400 Bad Request',
}

/** Path without `//`, `.` and `..`, as the server's router redirects to it. */
function cleanPath(path: string): string {
  const kept: string[] = []
  const pieces = path.split('/')
  for (const piece of pieces) {
    if (piece === '..') kept.pop()
    else if (piece !== '' && piece !== '.') kept.push(piece)
  }
  const slash = kept.length > 0 && ['', '.', '..'].includes(pieces.at(-1) ?? '') ? '/' : ''
  return `/${kept.join('/')}${slash}`
}

function redirect(request: DevRequest, path: string): DevReply {
  const location = request.rawQuery === '' ? path : `${path}?${request.rawQuery}`
  const headers = { location, 'cache-control': 'no-store' }
  if (request.method !== 'GET') return { status: 307, headers }
  const link = location.replaceAll('&', '&amp;').replaceAll('"', '&#34;').replaceAll('<', '&lt;')
  return {
    status: 307,
    headers: { ...headers, 'content-type': 'text/html; charset=utf-8' },
    body: `<a href="${link}">Temporary Redirect</a>.\n\n`,
  }
}

/** Percent-decoded bytes; undefined when an escape is broken. */
function decode(path: string): Buffer | undefined {
  if (/%(?![0-9a-fA-F]{2})/.test(path)) return undefined
  const pieces = path.split(/((?:%[0-9a-fA-F]{2})+)/)
  return Buffer.concat(
    pieces.map((piece, index) =>
      index % 2 === 0 ? Buffer.from(piece) : Buffer.from(piece.replaceAll('%', ''), 'hex'),
    ),
  )
}
