import { TugError } from '../core/errors.ts'
import { seeStatus } from '../core/shell.ts'

interface SystemError extends Error {
  readonly code?: string
  readonly errors?: readonly SystemError[]
  /** True if the connection was never established. */
  readonly unsent?: boolean
}

const connectionWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed while sending',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'the network is unreachable',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'the host name could not be looked up',
  ENOENT: 'no such socket',
  UNKNOWN: 'the network failed for an unknown reason',
  EACCES: 'no permission to open the socket',
  CONNECT_TIMEOUT: 'no connection within the time limit',
  HEADERS_TIMEOUT: 'no response within the time limit',
  BODY_TIMEOUT: 'the response was cut off',
  CLOSED_EARLY: 'the connection was closed before the response was complete',
  CLOSED_CONNECTING: 'the connection was closed in the TLS handshake',
  Z_DATA_ERROR: 'the compressed response is damaged',
  HEADERS_OVERFLOW: 'the response headers are too large',
}

/** Node's codes with the same meaning as one above. */
const sameAs: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_OVERFLOW',
  ERR_INVALID_CHAR: 'INVALID_CHARACTER',
  ERR_UNESCAPED_CHARACTERS: 'INVALID_CHARACTER',
}

/** Codes of broken connections. */
const broken = new Set(['ECONNRESET', 'EPIPE', 'CLOSED_EARLY', 'CLOSED_CONNECTING'])

/** The code of a network failure, however deeply nested. */
function networkCode(error: unknown): string {
  const failure = error as SystemError
  const inner = failure.cause instanceof Error ? networkCode(failure.cause) : ''
  const code = failure.code ?? failure.errors?.[0]?.code ?? inner
  return sameAs[code] ?? alertIn(failure, code) ?? code
}

/** Numbers of TLS alerts with which a server rejects a missing or invalid client certificate. */
const alerts: Readonly<Record<string, string>> = {
  40: 'HANDSHAKE_FAILURE',
  42: 'BAD_CERTIFICATE',
  43: 'UNSUPPORTED_CERTIFICATE',
  44: 'CERTIFICATE_REVOKED',
  45: 'CERTIFICATE_EXPIRED',
  46: 'CERTIFICATE_UNKNOWN',
  48: 'UNKNOWN_CA',
  49: 'ACCESS_DENIED',
  116: 'CERTIFICATE_REQUIRED',
}

/**
 * The server's alert as a code, as Node reports alerts after the handshake. For one during the handshake Node has no code, only the
 * number in its message.
 */
function alertIn({ message }: Error, code: string): string | undefined {
  const number = code === 'EPROTO' ? /SSL alert number (\d+)/.exec(message)?.[1] : undefined
  return number === undefined ? undefined : `ERR_SSL_ALERT_${alerts[number] ?? number}`
}

/** Codes of failures after the request was sent: no complete response in time, or one that cannot be read. */
const afterSending = new Set(['HEADERS_TIMEOUT', 'BODY_TIMEOUT', 'Z_DATA_ERROR', 'HEADERS_OVERFLOW'])

/** True if the request may have been carried out. */
export function mayHaveBeenCarriedOut(cause: unknown): boolean {
  if (cause === undefined || (cause as SystemError).unsent === true || isOfProxy(cause)) return false
  const code = networkCode(cause)
  if (broken.has(code) || afterSending.has(code) || isNoHttp(code, cause)) return true
  // A connection that was established and failed, for example with a system timeout.
  return ['read', 'write'].includes((cause as NodeJS.ErrnoException).syscall ?? '')
}

/** True if no connection was established: nothing was sent. */
export function isConnectionFailure(error: unknown): boolean {
  return (
    (error as SystemError).unsent === true ||
    isOfProxy(error) ||
    isTls(networkCode(error)) ||
    networkCode(error) === 'ECONNREFUSED'
  )
}

/** Codes for a server that is gone, at an address that was right before. */
const lostServer = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'CONNECT_TIMEOUT', 'ENOENT'])

/** True for a failure to connect that shows a server which is down. */
export function isLostServer(error: unknown): boolean {
  return !isOfProxy(error) && lostServer.has(networkCode(error))
}

/** True if no response came within the time limit. */
export function isTimeout(error: unknown): boolean {
  return ['HEADERS_TIMEOUT', 'BODY_TIMEOUT', 'ETIMEDOUT'].includes(networkCode(error))
}

/** True for a broken connection, as the retry rule defines it. */
export function isBrokenConnection(error: unknown): boolean {
  return broken.has(networkCode(error))
}

/** True for a request that the transport rejects because of characters that HTTP doesn't allow. */
export function isUnsendable(error: unknown): boolean {
  return networkCode(error) === 'INVALID_CHARACTER'
}

/** True for a failure of the network, TLS, HTTP or a proxy, as opposed to a bug of this program. */
export function isNetworkError(error: unknown): boolean {
  const code = networkCode(error)
  if (code in connectionWords || isOfProxy(error) || isNoHttp(code, error)) return true
  return isTls(code) || /^E[A-Z0-9]{3,}$/.test(code) || /^ERR_(?:SSL|OSSL|SOCKET|STREAM|HTTP)/.test(code)
}

/** The error for a failure to reach `origin` (exit 7). The cause's text isn't shown, as it may quote headers. */
export function networkFailure(
  error: unknown,
  origin: string,
  targetFlags: readonly string[],
  { hasAnswered = false } = {},
): TugError {
  return new TugError('unreachable', `cannot reach ${origin}: ${networkReason(error)}`, {
    // A service that has responded needs no hint about its address.
    hints: hasAnswered ? [] : hintsOf(networkCode(error), error, origin, targetFlags),
    cause: error,
  })
}

/** Why the network failed. */
export function networkReason(error: unknown): string {
  if (isOfProxy(error)) return error.message
  const code = networkCode(error)
  const text = connectionWords[code]
  if (text !== undefined) return text
  if (isAlert(code)) return `${alertWords(code)} (${code})`
  if (isTls(code)) return `the TLS certificate ${timeWords[code] ?? 'was not accepted'} (${code})`
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return 'the server does not use TLS'
  if (code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH') return 'the client key does not match the client certificate'
  if (code.startsWith('ERR_OSSL')) return `the certificates or keys cannot be used (${code})`
  if (isNoHttp(code, error)) return 'the response is not HTTP'
  return code === '' ? (error as Error).name : code
}

/** Certificate errors about validity dates, where neither a CA nor a name would help. */
const timeWords: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
}

/** Node's codes for certificates that are rejected for a reason other than name, dates or CA. */
const verification = new Set([
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'HOSTNAME_MISMATCH',
  'CRL_NOT_YET_VALID',
  'CRL_HAS_EXPIRED',
  'OUT_OF_MEM',
])

function isTls(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/.test(code) || verification.has(code)
}

/** True for a TLS alert from the server, during the handshake or right after it. */
function isAlert(code: string): boolean {
  return code.startsWith('ERR_SSL') && code.includes('_ALERT_')
}

function alertWords(code: string): string {
  if (code.endsWith('CERTIFICATE_REQUIRED')) return 'the server requires a client certificate'
  if (mayWantCertificate.test(code))
    return 'the server refused the TLS handshake, perhaps because it requires a client certificate'
  if (/CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED/.test(code)) return 'the server did not accept the client certificate'
  return 'the server refused the TLS handshake'
}

/** What servers send before TLS 1.3 if there is no client certificate, but also for other reasons. */
const mayWantCertificate = /HANDSHAKE_FAILURE|BAD_CERTIFICATE/

/** A proxy's failure, from anywhere in the causes. */
function isOfProxy(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ProxyError'
}

function hintsOf(code: string, error: unknown, origin: string, targetFlags: readonly string[]): string[] {
  if (isOfProxy(error))
    return ['the proxy comes from HTTPS_PROXY, HTTP_PROXY or ALL_PROXY; NO_PROXY lists hosts to reach without it']
  if (code in timeWords) return ["renew the server's certificate, or check the clock of this machine"]
  if (isAlert(code) && /CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE/.test(code))
    return [
      'pass one with --client-cert <file> and --client-key <file>, or keep them in the profile as client_cert and client_key',
    ]
  if (isTls(code))
    return ['pass the certificate authority with --ca-cert <file>, or the name to verify with --tls-server-name']
  if (code === 'EPROTO' || (code.startsWith('ERR_SSL') && !isAlert(code)))
    return [`if it uses plain HTTP, try ${origin.replace('https', 'http')}`]
  if (isNoHttp(code, error) && origin.startsWith('http:')) return [tlsHint(origin)]
  if (code.startsWith('ERR_OSSL')) return ['check --ca-cert, --client-cert and --client-key']
  if (code.endsWith('TIMEOUT')) return ['wait longer with --timeout <duration>']
  const check = `check the address${seeStatus(targetFlags)}, and that the service is running`
  // How TLS servers react to plain HTTP.
  if (broken.has(code) && origin.startsWith('http:')) return [check, tlsHint(origin)]
  return [check]
}

function tlsHint(origin: string): string {
  return `if it uses TLS, try ${origin.replace('http', 'https')}`
}

function isNoHttp(code: string, error: unknown): boolean {
  return code.startsWith('HPE_') || (error as Error).name === 'HTTPParserError'
}
