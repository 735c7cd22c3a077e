import { isIP } from 'node:net'
import { list } from '../../core/command.ts'
import { tugCommand } from './context.ts'
import type { Result } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { at, text } from '../../core/answer.ts'
import { exitCodes, TugError } from '../../core/errors.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import type { ServiceName } from '../../core/request.ts'
import { serviceNames } from '../../core/request.ts'
import { originOf } from '../../core/address.ts'
import type { OpenService, TugContext } from './context.ts'
import type { Probe } from './probe.ts'
import { probe, recognise } from './probe.ts'

/** The status of one service. */
interface Finding {
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

export const status = tugCommand({
  name: 'status',
  summary: 'Check each configured service and show how to fix what is wrong',
  description:
    'Sends one cheap request to each service that has an address, and tries a WebSocket on the scheduler. Exits with 0 if all of them answer and accept the token, else with the code of the first problem; with 2 if none is configured.',
  params: {},
  examples: [
    { line: 'status', note: "before the first command, and if something doesn't work" },
    { line: 'status -o json', note: 'for a health check' },
  ],
  async run(_, context): Promise<Result> {
    const { openService } = context
    const findings = await Promise.all(serviceNames.map((service) => examine(service, openService(service), context)))
    for (const { service, problem, next } of findings) {
      if (problem === null) continue
      context.io.note(`${service}: ${problem}`)
      for (const hint of next) context.io.hint(hint)
    }
    const first = findings.find(({ code }) => code !== null && code !== undefined)?.code
    const none = findings.every(({ address }) => address === null)
    if (none) {
      context.io.hint(`tug login <${serviceNames.join('|')}>   (asks for what is missing)`)
      context.io.hint('by variables: tug help environment')
      context.io.hint('just looking? tug dev -- tug status')
    }
    return {
      data: findings.map(({ next, ...rest }) => ({ ...rest, next: [...next] })),
      view,
      exitCode: none ? exitCodes.usage : first ? exitCodes[first] : 0,
    }
  },
})

const view = list<Json>(
  [
    { name: 'service', value: (row) => at(row, 'service'), whole: true },
    {
      name: 'address',
      value: (row) => at(row, 'address'),
      whole: true,
      show: (row) => text(row, 'address') ?? { text: 'not configured', tone: 'dim' },
    },
    { name: 'dialect', value: (row) => at(row, 'dialect'), wide: true },
    {
      name: 'token',
      value: (row) => at(row, 'token'),
      show: (row, { wide }) => {
        if (text(row, 'address') === undefined) return ''
        const source = text(row, 'token')
        if (source === undefined) return { text: 'none', tone: 'warn' }
        return wide ? source : source.replace(/ \(profile .*\)$/, '')
      },
    },
    {
      name: 'state',
      value: (row) => stateOf(row),
      whole: true,
      show: (row) => ({
        text: stateOf(row),
        tone: stateOf(row) === 'ok' ? 'good' : stateOf(row) === '' ? 'dim' : 'bad',
      }),
    },
    {
      name: 'latency',
      value: (row) => at(row, 'latency'),
      align: 'right',
      show: (row) => (text(row, 'latency') === undefined ? '' : `${text(row, 'latency')}ms`),
    },
    { name: 'certificate', value: (row) => at(row, 'certificate'), wide: true },
    { name: 'websocket', value: (row) => at(row, 'websocket'), wide: true },
  ],
  (row) => text(row, 'service') ?? '',
)

function stateOf(row: Json): string {
  if (text(row, 'address') === undefined) return ''
  if (at(row, 'reachable') === false) return 'unreachable'
  return text(row, 'problem') === undefined ? 'ok' : 'problem'
}

async function examine(service: ServiceName, open: OpenService, context: TugContext): Promise<Finding> {
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
    return { service, address: null, dialect: null, token: null, ...nothing, next: [`tug login ${service}`] }
  try {
    const known = {
      service,
      address: found.value,
      dialect: open.settings.dialect,
      token: session.tokenSource()?.source ?? null,
    }
    const started = context.now().getTime()
    const probed = await probe(service, open)
    if (context.http.dryRun) return { ...known, ...nothing }
    const { reachable, accepted, failure } = probed
    const latency = reachable ? context.now().getTime() - started : null
    const certificate = reachable ? await certificateEnd(open, context) : null
    const websocket = service === 'scheduler' && reachable ? await socketComesThrough(open, context) : null
    const problem = (await isProductBehind(service, open, probed, context))
      ? productProblem(service, open, failure)
      : problemOf(service, { accepted, failure, websocket, certificate }, context)
    return { ...known, reachable: reachable ?? null, latency, certificate, websocket, ...problem }
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

/** Whether a product answers at an address for which no dialect is configured. */
async function isProductBehind(
  service: ServiceName,
  { session }: OpenService,
  probed: Probe,
  context: TugContext,
): Promise<boolean> {
  if (session.setting('dialect')?.source !== 'default') return false
  const token = await session.token().catch(() => undefined)
  const address = session.setting('address')?.value
  if (probed.product || probed.accepted !== false || token === undefined || address === undefined) return probed.product
  const { dialect } = await recognise(service, context, { address, token, org: session.setting('org')?.value })
  return dialect === 'hashicorp'
}

function productProblem(
  service: ServiceName,
  { session }: OpenService,
  failure: TugError | undefined,
): Pick<Finding, 'problem' | 'code' | 'next'> {
  return {
    problem: `this is ${products[service]}, but the neutral API dialect is in use`,
    code: failure?.code ?? null,
    next: [`tug profile set ${session.saved.profileName} ${service}.dialect=hashicorp   (or --dialect hashicorp)`],
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
  { now }: Context,
): Pick<Finding, 'problem' | 'code' | 'next'> {
  const { failure, websocket, certificate } = seen
  if (failure !== undefined) {
    const refused = failure.code === 'not_allowed' && failure.facts.status !== undefined
    const next = refused ? [...failure.hints, `store a valid one: tug login ${service}`] : failure.hints
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

/** The expiry of the service's certificate; null without TLS. */
async function certificateEnd({ session }: OpenService, { signal }: Context): Promise<string | null> {
  const { connection } = session
  const origin = new URL(connection.origin())
  if (origin.protocol !== 'https:' || connection.proxy() !== undefined) return null
  const { connect } = await import('node:tls')
  const host = origin.hostname.replace(/^\[|\]$/g, '')
  const { tls } = connection
  return new Promise((done) => {
    const socket = connect({
      host,
      port: Number(origin.port || 443),
      // SNI takes names only; Node warns about addresses.
      servername: tls.serverName ?? (isIP(host) === 0 ? host : ''),
      rejectUnauthorized: false,
      ...(tls.cert === undefined || tls.key === undefined ? {} : { cert: tls.cert, key: tls.key }),
    })
    const end = (value: string | null) => {
      socket.destroy()
      done(value)
    }
    socket.setTimeout(5000, () => end(null))
    signal.addEventListener('abort', () => end(null), { once: true })
    socket.on('error', () => end(null))
    socket.on('secureConnect', () => {
      const { valid_to: until } = socket.getPeerCertificate()
      end(until ? new Date(until).toISOString() : null)
    })
  })
}

/** Whether the action endpoint answers an upgrade with 101, whatever follows. */
async function socketComesThrough({ session, settings }: OpenService, { signal }: Context): Promise<boolean> {
  const { connection } = session
  const { openSocket, UpgradeError } = await import('../../http/socket.ts')
  try {
    const socket = await openSocket({
      origin: originOf(session.address()),
      path: `${connection.basePath()}/v1/job/tug-status/action?ws_handshake=true`,
      headers: {},
      tls: connection.tls,
      proxy: connection.proxy(),
      connectTimeout: Math.min(5000, settings.timeout),
      signal,
    })
    socket.close()
    return true
  } catch (error) {
    // 403 and the like come from the service itself, so the upgrade reached it.
    return error instanceof UpgradeError && [401, 403, 404].includes(error.status)
  }
}
