import * as jobs from '../../api/jobs.ts'
import type { Context } from '../../core/context.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { TugError } from '../../core/errors.ts'
import type { ServiceName } from '../../core/request.ts'
import type { Dialect } from '../../core/service.ts'
import type { OpenService, TugContext } from './context.ts'
import type { Probe } from './probe.ts'
import { dialectBehind, probe } from './probe.ts'

/** The status of one service. */
export interface Finding {
  readonly service: ServiceName
  readonly address: string | null
  readonly dialect: string | null
  readonly token: string | null
  readonly reachable: boolean | null
  /** Milliseconds of the request. */
  readonly latency: number | null
  /** When the TLS certificate ends (RFC 3339). */
  readonly certificate: string | null
  /** Whether WebSockets work (scheduler). */
  readonly websocket: boolean | null
  readonly problem: string | null
  readonly code: ErrorCode | null
  readonly next: readonly string[]
}

type Problem = Pick<Finding, 'problem' | 'code' | 'next'>

/** Asks a service, and says what is wrong and how to fix it. Throws only when interrupted. */
export async function examine(service: ServiceName, open: OpenService, context: TugContext): Promise<Finding> {
  const { session } = open
  const found = session.setting('address')
  const nothing = {
    reachable: null,
    latency: null,
    certificate: null,
    websocket: null,
    problem: null,
    code: null,
    next: [],
  }
  if (found === undefined)
    return {
      service,
      address: null,
      dialect: null,
      token: null,
      ...nothing,
      next: [context.commandLine(`login ${service}`)],
    }
  try {
    const token = session.tokenSource()?.source ?? null
    const started = context.monotonic()
    const probed = await probe(service, open)
    const { reachable, accepted, failure } = probed
    const latency = reachable ? Math.round(context.monotonic() - started) : null
    const certificate = reachable ? await open.http.certificateEnd() : null
    const websocket = service === 'scheduler' && reachable ? await socketComesThrough(open, context) : null
    const dialect = await dialectOf(service, open, probed, context)
    const problem =
      dialect === 'neutral' && probed.dialect === 'hashicorp'
        ? productProblem(service, open, failure)
        : problemOf(service, { accepted, failure, websocket, certificate }, context)
    return {
      service,
      address: found.value,
      dialect,
      token,
      reachable: reachable ?? null,
      latency,
      certificate,
      websocket,
      ...problem,
    }
  } catch (error) {
    if (!(error instanceof TugError) || error.code === 'interrupted') throw error
    return {
      service,
      address: found.value,
      dialect: null,
      token: null,
      ...nothing,
      problem: error.message,
      code: error.code,
      next: error.hints,
    }
  }
}

const products: Readonly<Record<ServiceName, string>> = {
  explorer: 'HCP Terraform or Terraform Enterprise',
  secrets: 'Vault or OpenBao',
  scheduler: 'Nomad',
}

/** The dialect in use: the configured one or, in `auto`, the one found. */
async function dialectOf(
  service: ServiceName,
  { session, settings }: OpenService,
  probed: Probe,
  context: TugContext,
): Promise<Dialect> {
  if (settings.dialect !== 'auto') return settings.dialect
  const token = await session.token().catch(() => undefined)
  const address = session.setting('address')?.value
  if (token === undefined || address === undefined) return probed.dialect ?? 'auto'
  return (
    (await dialectBehind(service, context, { address, token, org: session.setting('org')?.value }, probed)) ?? 'auto'
  )
}

/** Whether an upgrade reaches the scheduler. It may refuse this one, which names a job that doesn't exist. */
async function socketComesThrough({ http }: OpenService, { signal }: Context): Promise<boolean> {
  try {
    const query = [['ws_handshake', 'true']] as const
    const socket = await http.openSocket(jobs.action({ job: 'tug-status' }, { query }), signal)
    socket.close()
    return true
  } catch (error) {
    if (!(error instanceof TugError) || error.code === 'interrupted') throw error
    return error.code === 'not_allowed' || error.code === 'not_found'
  }
}

function productProblem(service: ServiceName, { session }: OpenService, failure: TugError | undefined): Problem {
  return {
    problem: `this is ${products[service]}, but the neutral API dialect is in use`,
    code: failure?.code ?? null,
    next: [`tug profile set ${session.saved.profileName} ${service}.dialect=auto   (or --dialect auto)`],
  }
}

function problemOf(
  service: ServiceName,
  seen: {
    accepted: boolean | undefined
    failure: TugError | undefined
    websocket: boolean | null
    certificate: string | null
  },
  { commandLine, now }: Context,
): Problem {
  const { failure, websocket, certificate } = seen
  if (failure !== undefined) {
    const refused = failure.code === 'not_allowed' && failure.facts.status !== undefined
    const next = refused ? [...failure.hints, `store a valid one: ${commandLine(`login ${service}`)}`] : failure.hints
    return { problem: failure.message, code: failure.code, next }
  }
  if (websocket === false) {
    return {
      problem: "WebSockets don't work",
      code: 'unreachable',
      next: ['job action needs them: a proxy or load balancer drops the Upgrade header'],
    }
  }
  if (certificate !== null && Date.parse(certificate) - now().getTime() < 14 * 86_400_000) {
    return {
      problem: `the TLS certificate ends ${certificate}`,
      code: null,
      next: ['renew it before clients refuse it'],
    }
  }
  return { problem: null, code: null, next: [] }
}
