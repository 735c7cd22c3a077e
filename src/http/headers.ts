import { TugError, usageError } from '../core/errors.ts'
import type { HttpRequest } from '../core/request.ts'
import { serviceVariable } from '../core/request.ts'
import { isTokenHeader } from '../core/secret-names.ts'
import type { Service } from '../core/service.ts'
import { commandLine } from '../core/shell.ts'
import type { ClientOptions } from './client.ts'

type HeaderOptions = Pick<
  ClientOptions,
  'connection' | 'service' | 'dialect' | 'namespace' | 'targetFlags' | 'userAgent'
>

/** The headers of a request; its own replace those of the service. Throws usage errors for values that cannot be sent. */
export async function headersOf(
  request: HttpRequest,
  { connection, service, dialect, namespace, targetFlags, userAgent }: HeaderOptions,
): Promise<Record<string, string>> {
  connection.origin()
  const token = request.token === 'none' ? undefined : await connection.token()
  if (token === undefined && service.needsToken && request.token === undefined) throw noToken(service, targetFlags)
  const own = {
    'User-Agent': userAgent,
    Accept: request.accept ?? service.mediaType,
    ...service.headers(dialect, namespace),
    ...(token === undefined ? {} : service.tokenHeaders(dialect, token)),
    ...(request.body === undefined ? {} : { 'Content-Type': request.contentType ?? service.mediaType }),
  }
  // Header names are case-insensitive.
  const given = new Set(Object.keys(request.headers ?? {}).map((name) => name.toLowerCase()))
  const kept = Object.entries<string>(own).filter(([name]) => !given.has(name.toLowerCase()))
  const headers = { ...Object.fromEntries(kept), ...request.headers }
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value)
  return headers
}

/** Refuses values that a header cannot have. Throws a usage error without the value, which may be a secret. */
function checkHeader(name: string, value: string): void {
  if (/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value)) return
  const shown = isTokenHeader(name) ? '' : ` ('${value}')`
  throw usageError(
    `invalid value for the header ${name}${shown}: only Latin letters, digits and punctuation can be sent`,
  )
}

function noToken({ name }: Service, targetFlags: readonly string[]): TugError {
  return new TugError('not_allowed', `no token for the ${name} service`, {
    service: name,
    hints: [
      `${commandLine(targetFlags, `login ${name}`)}   (asks for what is missing)`,
      `export ${serviceVariable(name, 'TOKEN')}=…, or --token-file <file>`,
    ],
  })
}
