import { parseDuration } from '../core/duration.ts'
import { serviceOf, type DevReply, type DevRequest } from './http.ts'

/** A failure on purpose (`tug dev --fault`), for testing scripts. */
export interface Fault {
  readonly kind: 'status' | 'latency' | 'drop' | 'csv-timeout'
  readonly status: number
  /** Length of the delay, or time until the rate limit ends. */
  readonly milliseconds: number
  /** How many requests it hits; Infinity: all. */
  readonly times: number
  /** Only requests whose path contains this text. */
  readonly match: string
}

/** The forms that {@link parseFault} reads, for help and errors. */
export const faultForms: readonly (readonly [form: string, meaning: string])[] = [
  ['429', 'every request is rate-limited (429=2s: for that long)'],
  ['503', 'every request fails with that status (400 to 599)'],
  ['503:2', 'only the next two requests'],
  ['503@/v1/jobs', 'only requests whose path contains that text'],
  ['latency=200ms', 'every response is delayed by that much'],
  ['drop', 'the connection is closed without a response'],
  ['csv-timeout', "the explorer's CSV endpoints fail with 504 (csv-timeout=60s: after that long)"],
]

const form = /^(?<kind>[45]\d\d|latency|drop|csv-timeout)(?:=(?<value>[^:@]+))?(?::(?<times>\d+))?(?:@(?<match>.+))?$/

export function parseFault(text: string): Fault {
  const groups = form.exec(text)?.groups
  if (groups === undefined || (groups['kind'] === 'latency' && groups['value'] === undefined)) {
    throw new RangeError(`'${text}' is not a fault; use one of ${faultForms.map(([one]) => one).join(', ')}`)
  }
  const { kind = '', value, times, match } = groups
  return {
    kind: /^\d/.test(kind) ? 'status' : (kind as Fault['kind']),
    status: kind === 'csv-timeout' ? 504 : Number.parseInt(kind, 10) || 0,
    milliseconds: value === undefined ? (kind === '429' ? 1000 : 0) : parseDuration(value),
    times: times === undefined ? Infinity : Number(times),
    match: match ?? '',
  }
}

/** Returns the faults that apply to a path. Each counts its own requests. */
export function createFaults(faults: readonly Fault[]): (path: string) => Fault[] {
  const left = faults.map(({ times }) => times)
  return (path) =>
    faults.filter((fault, index) => {
      const applies = path.includes(fault.match) && (fault.kind !== 'csv-timeout' || path.endsWith('/csv'))
      if (!applies || (left[index] as number) <= 0) return false
      left[index] = (left[index] as number) - 1
      return true
    })
}

/** The answer of a fault, in the form of the service that it hits. */
export function faultReply({ status, milliseconds }: Fault, request: DevRequest): DevReply {
  const title = status === 429 ? 'Too many requests' : `fault injected by --fault (${status})`
  const reset = {
    'retry-after': String(Math.ceil(milliseconds / 1000)),
    'x-ratelimit-reset': String(milliseconds / 1000),
  }
  const forms = {
    explorer: ['application/vnd.api+json', { errors: [{ status: String(status), title, detail: title }] }],
    secrets: ['application/json', { errors: [title] }],
    scheduler: ['text/plain', title],
  } as const
  const [type, body] = forms[serviceOf(request) ?? 'scheduler']
  const headers = { 'content-type': type, ...(status === 429 ? reset : {}) }
  return { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }
}
