import { formatSpan } from '../core/duration.ts'
import { maskedBody } from './curl.ts'
import { stringifyJson } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import type { Answer } from './transport.ts'
import { isSecretHeader, withoutUrlSecrets } from '../core/secret-names.ts'

type Line = (line: string) => void

/** Prints requests and answers (`--trace`). */
export interface Trace {
  request(request: HttpRequest, url: string, headers: Readonly<Record<string, string>>): void
  answer(answer: Answer, milliseconds: number): void
}

export function createTrace(line: Line): Trace {
  return {
    request: (...sent) => traceRequest(line, ...sent),
    answer: (...received) => traceAnswer(line, ...received),
  }
}

/** The lines of `--trace` for a request: secret headers and secret paths of the body are masked. */
function traceRequest(line: Line, request: HttpRequest, url: string, headers: Readonly<Record<string, string>>): void {
  line(`> ${request.method} ${url}`)
  for (const [name, value] of Object.entries(headers)) line(`> ${name}: ${shownHeader(name, value)}`)
  if (request.body !== undefined) line(`> ${stringifyJson(maskedBody(request))}`)
}

/** The lines for an answer: status, milliseconds until the headers, headers. Bodies are never traced: they may contain secrets. */
function traceAnswer(line: Line, answer: Answer, milliseconds: number): void {
  line(`< ${answer.status} after ${formatSpan(milliseconds)}`)
  for (const [name, value] of Object.entries(answer.headers)) {
    line(`< ${name}: ${shownHeader(name, value)}`)
  }
}

/** A header's value with secrets and the passwords of URLs redacted. */
function shownHeader(name: string, value: string): string {
  return isSecretHeader(name) ? '<redacted>' : withoutUrlSecrets(value)
}
