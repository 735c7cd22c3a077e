import * as jobs from '../../api/jobs.ts'
import type { Result } from '../../core/command.ts'
import { cell, list } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { exitCodes, TugError, usageError } from '../../core/errors.ts'
import { showMoment } from '../../core/duration.ts'
import { ignoredNamespace } from '../../config/profiles.ts'
import { serviceNames } from '../../core/service.ts'
import { plural } from '../../core/words.ts'
import type { Dialect, ServiceName } from '../../core/service.ts'
import type { OpenService, TugContext } from './context.ts'
import { tugCommand } from './context.ts'
import type { Probe } from './probe.ts'
import { dialectBehind, isCommunityVault, probe, productsOf, schedulerToken } from './probe.ts'

export const status = tugCommand({
  name: 'status',
  summary: 'Check each configured service and show how to fix what is wrong',
  description:
    'Sends a cheap request to each service that has an address, and tries a WebSocket of the scheduler. -o wide and json show expiry, uses left and policies of a token. Exits with 0 if all accept the token, else with the code of the first problem; with 2 if none is configured.',
  effect: 'reads',
  params: {},
  examples: [
    { line: 'status', note: "before the first command, and if something doesn't work" },
    { line: 'status -o json', note: 'for a health check' },
  ],
  async run(_, context): Promise<Result> {
    const opened = serviceNames.map((service) => [service, context.openService(service)] as const)
    const configured = opened.filter(([, { session }]) => session.setting('address') !== undefined)
    if (context.session.sources.flags.tokenFile !== undefined && configured.length > 1) {
      const names = configured.map(([service]) => service).join(', ')
      throw usageError(`--token-file is the token of one service, but several are configured: ${names}`)
    }
    const findings = await Promise.all(opened.map(([service, open]) => examine(service, open, context)))
    const first = findings.find(({ code }) => code !== null)?.code
    const none = findings.every(({ address }) => address === null)
    if (none || findings.some(({ code }) => code === 'usage')) await context.withholdMisplaced()
    for (const { service, problem, next } of findings) {
      if (problem === null) continue
      context.io.note(`${service}: ${problem}`)
      for (const hint of next) context.io.hint(hint)
    }
    if (none)
      for (const hint of [
        `${context.commandLine(`login <${serviceNames.join('|')}>`)}   (asks for what is missing)`,
        'by variables: tug help environment',
        `just looking? ${context.commandLine('dev -- tug status')}`,
      ])
        context.io.hint(hint)
    const shown = (text: string | null) => (text === null ? null : context.io.withoutSecrets(text))
    return {
      data: findings.map((finding) => ({
        ...finding,
        address: shown(finding.address),
        problem: shown(finding.problem),
        next: finding.next.map((line) => context.io.withoutSecrets(line)),
      })),
      view,
      exitCode: none ? exitCodes.usage : first ? exitCodes[first] : 0,
    }
  },
})

/** The status of one service. */
interface Finding {
  readonly service: ServiceName
  readonly address: string | null
  readonly dialect: string | null
  readonly token: string | null
  /** When the token expires (RFC 3339), its uses left and its policies, as far as the service shows them. */
  readonly token_expires: string | null
  readonly token_uses: number | null
  readonly token_policies: string[] | null
  readonly reachable: boolean | null
  /** Milliseconds of the request. */
  readonly latency: number | null
  /** When the TLS certificate expires (RFC 3339). */
  readonly certificate: string | null
  /** Whether WebSockets work (scheduler). */
  readonly websocket: boolean | null
  readonly problem: string | null
  readonly code: ErrorCode | null
  readonly next: readonly string[]
}

/** Checks a service. Throws only when interrupted. */
async function examine(service: ServiceName, open: OpenService, context: TugContext): Promise<Finding> {
  const { session } = open
  const nothing: Finding = {
    service,
    address: null,
    dialect: null,
    token: null,
    token_expires: null,
    token_uses: null,
    token_policies: null,
    reachable: null,
    latency: null,
    certificate: null,
    websocket: null,
    problem: null,
    code: null,
    next: [],
  }
  const address = session.setting('address')?.text
  if (address === undefined) return { ...nothing, next: [context.commandLine(`login ${service}`)] }
  try {
    const source = session.tokenSource()?.source
    // A token file's name may be a token.
    const token = source === undefined ? null : context.io.withoutSecrets(source, source)
    const started = context.monotonic()
    const probed = await probe(service, open)
    const { reachable } = probed
    const latency = reachable ? Math.round(context.monotonic() - started) : null
    const certificate = reachable ? await open.http.certificateEnd() : null
    const websocket = service === 'scheduler' && reachable ? await acceptsWebSocket(open, context) : null
    const dialect = await dialectOf(service, open, probed, context)
    const shown = service === 'scheduler' && reachable && token !== null ? await schedulerToken(open) : probed.token
    const seen = { dialect, token, reachable: reachable ?? null, latency, certificate, websocket }
    const { expires = null, uses = null, policies = null } = shown ?? {}
    const facts = { token_expires: expires, token_uses: uses, token_policies: policies }
    const finding = { ...nothing, address, ...seen, ...facts }
    if (uses !== null && uses > 0)
      context.io.warnAlways(`${service}: the token is good for ${plural(uses, 'more request')}; this was one`)
    const namespace = service === 'secrets' && reachable ? session.setting('namespace')?.value : undefined
    if (namespace && (await isCommunityVault(open))) context.io.warnAlways(ignoredNamespace(namespace))
    return { ...finding, ...problemOf(finding, probed, session, context) }
  } catch (error) {
    if (!(error instanceof TugError) || error.code === 'interrupted') throw error
    return { ...nothing, address, problem: error.message, code: error.code, next: error.hints }
  }
}

/** The dialect in use: the configured one or, in `auto`, the one found. */
async function dialectOf(
  service: ServiceName,
  { session, settings }: OpenService,
  probed: Probe,
  context: TugContext,
): Promise<Dialect> {
  if (settings.dialect !== 'auto') return settings.dialect
  const token = await session.connection.token().catch(() => undefined)
  const address = session.setting('address')?.value
  if (token === undefined || address === undefined) return probed.dialect ?? 'auto'
  const given = { address, token, org: session.setting('org')?.value }
  return (await dialectBehind(service, (dialect) => context.openWith(service, { ...given, dialect }), probed)) ?? 'auto'
}

/** Whether a WebSocket upgrade reaches the scheduler, which may reject this one: the job doesn't exist. */
/** Null if a read-only run may not ask. */
async function acceptsWebSocket({ http }: OpenService, { signal }: Context): Promise<boolean | null> {
  try {
    const query = [['ws_handshake', 'true']] as const
    const socket = await http.openSocket(jobs.action({ job: 'tug-status' }, { query }), signal)
    socket.close()
    return true
  } catch (error) {
    if (!(error instanceof TugError) || error.code === 'interrupted') throw error
    if (error.reason === 'read_only') return null
    return error.code === 'not_allowed' || error.code === 'not_found'
  }
}

function problemOf(
  { service, dialect, token_uses, websocket, certificate }: Finding,
  probed: Probe,
  { saved }: OpenService['session'],
  { now, commandLine }: Context,
): Pick<Finding, 'problem' | 'code' | 'next'> {
  const { failure } = probed
  if (dialect === 'neutral' && probed.dialect === 'hashicorp') {
    return {
      problem: `this is ${productsOf[service]}, but the neutral API dialect is in use`,
      code: null,
      next: [`tug profile set ${saved.profileName} ${service}.dialect=auto   (or --dialect auto)`],
    }
  }
  if (failure !== undefined) {
    const { message: problem, code, hints } = failure
    const login = commandLine(`login ${service}`)
    const isTokenRefused = probed.accepted === false && code === 'not_allowed' && failure.facts.status !== undefined
    const hasRemedy = hints.some((hint) => hint.includes(login))
    return { problem, code, next: isTokenRefused && !hasRemedy ? [...hints, `store a valid one: ${login}`] : hints }
  }
  if (token_uses === 0)
    return {
      problem: 'this was the last use of the token',
      code: 'not_allowed',
      next: [`store another one: ${commandLine(`login ${service}`)}`],
    }
  if (websocket === false) {
    return {
      problem: "WebSockets don't work",
      code: 'unreachable',
      next: ['job action needs them: a proxy or load balancer drops the Upgrade header'],
    }
  }
  if (certificate !== null && Date.parse(certificate) - now().getTime() < 14 * 86_400_000) {
    const problem = `the TLS certificate expires on ${certificate}`
    return { problem, code: null, next: ['renew it before clients refuse it'] }
  }
  return { problem: null, code: null, next: [] }
}

const view = list<Finding>(
  [
    { name: 'service', value: (row) => row.service, whole: true },
    {
      name: 'address',
      value: (row) => row.address,
      show: (row) => row.address ?? cell('not configured', 'dim'),
      whole: true,
    },
    { name: 'dialect', value: (row) => row.dialect, wide: true },
    {
      name: 'token',
      value: (row) => row.token,
      whole: true,
      show: (row, { wide }) => {
        if (row.address === null) return ''
        const source = row.token
        if (source === null) return cell('none', 'warn')
        return wide ? source : source.replace(/ \(profile .*\)$/, '')
      },
    },
    {
      name: 'state',
      value: stateOf,
      show: (row) => cell(stateOf(row), stateOf(row) === 'ok' ? 'good' : 'bad'),
      whole: true,
    },
    {
      name: 'token_expires',
      title: 'expires',
      value: (row) => row.token_expires,
      show: ({ token_expires: end, token_policies }, showing) => {
        if (end === null) return token_policies === null ? '' : 'never'
        return showMoment(new Date(end), showing)
      },
    },
    { name: 'token_uses', title: 'uses', value: (row) => row.token_uses, wide: true },
    { name: 'token_policies', title: 'policies', value: (row) => row.token_policies, wide: true },
    {
      name: 'latency',
      value: (row) => row.latency,
      align: 'right',
      show: (row) => (row.latency === null ? '' : row.latency < 1 ? '<1ms' : `${row.latency}ms`),
    },
    { name: 'certificate', value: (row) => row.certificate, wide: true },
    { name: 'websocket', value: (row) => row.websocket, wide: true },
  ],
  (row) => row.service,
)

function stateOf(row: Finding): string {
  if (row.address === null) return ''
  if (row.reachable === false) return 'unreachable'
  return row.problem === null ? 'ok' : 'problem'
}
