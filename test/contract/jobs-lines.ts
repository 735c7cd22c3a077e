import { entriesOf, isObject, stringifyJson, type Json, type JsonObject } from '../../src/core/json.ts'
import type { Exchange } from './jobs-replay.ts'

/** The command line that sends a recorded request, and the files it reads. */
export interface Line {
  readonly words: readonly string[]
  readonly files: Readonly<Record<string, string>>
}

const never = {
  socket: 'an action speaks over a WebSocket: the tests of actions replay it',
  method: 'tug never uses that method there',
  path: 'none of the 24 endpoints',
  query: 'tug never sends that query, or checks the value first',
  body: 'tug never sends that body, or refuses to before anything is sent',
  header: 'about HTTP itself, not about the command',
  reply: 'the recorder noted no answer to this one request',
  cut: 'the recorder kept the list alone, without the object around it',
} as const

/** Values for variables that the file doesn't declare, a namespace that contradicts the file's, and an ID that ends like an endpoint. */
const refused = [
  'job ID ending with a reserved word, raw path collides',
  'parse undeclared variable in Variables',
  'query namespace wins over Job.Namespace',
  'undeclared name is ignored by the server',
  'variables have no effect on file-free job; Variables with no variable block',
]

const parts: Readonly<Record<string, string>> = {
  allocations: 'allocs',
  evaluations: 'evals',
  deployments: 'deployments',
  deployment: 'deployment',
  summary: 'summary',
  versions: 'versions',
  submission: 'submission',
  scale: 'scale-status',
  services: 'services',
  actions: 'actions',
}
const writes = ['dispatch', 'revert', 'stable', 'evaluate', 'plan', 'force', 'scale']

/** A small job in place of one that the recording only describes; the answer doesn't depend on it. */
function withJob(exchange: Exchange): Exchange {
  const { body, path } = exchange
  if (typeof body !== 'string' || !/^(?:<job>$|\{Job: <(?!batch))/.test(body)) return exchange
  const id = /^\/v1\/job\/([^/]+)/.exec(path)?.[1] ?? 'toolbox'
  const flag = (name: string) => (body.includes(`${name}: true`) ? { [name]: true } : {})
  return { ...exchange, body: { Job: { ID: id }, ...flag('PolicyOverride'), ...flag('Diff') } }
}

/** The command line for a recorded exchange, or the reason why there is none. */
export function lineFor(recorded: Exchange): Line | string {
  const exchange = withJob(recorded)
  const { method, path, status, headers } = exchange
  if (status === null || typeof exchange.reply === 'number') return never.reply
  if (/\/(?:versions|plan)(?:\?|$)/.test(path) && Array.isArray(exchange.reply)) return never.cut
  if (headers['upgrade'] !== undefined || /\/action(?:\?|$)/.test(path)) return never.socket
  if (Object.keys(headers).some((name) => !['x-nomad-token', 'content-type'].includes(name))) return never.header
  if (headers['content-type'] !== undefined && !headers['content-type'].includes('json')) return never.header
  if (status === 307) return never.path
  if (refused.includes(recorded.name)) return never.body
  const url = new URL(path, 'http://host')
  const write = method === 'POST' || method === 'PUT'
  const isList = method === 'GET' && url.pathname === '/v1/jobs'
  if (url.searchParams.get('namespace') === '*' && !isList) return never.query
  if (path.split('?')[0] === '/v1/jobs')
    return method === 'GET' ? listLine(url) : write ? runLine(exchange, []) : never.method
  if (path.split('?')[0] === '/v1/jobs/parse') return write ? parseLine(exchange) : never.method
  const [, encoded] = /^\/v1\/job\/(.+)$/.exec(path.split('?')[0] as string) ?? []
  if (encoded === undefined) return never.path
  const words = decodeURIComponent(encoded).split('/')
  const last = words.at(-1) as string
  const isPart = words.length > 1 && (last in parts || writes.includes(last))
  const id = words.slice(0, isPart ? (last === 'force' ? -2 : -1) : undefined).join('/')
  if (id === '' || id.split('/').includes('..') || id === '.') return never.path
  if (!isPart) {
    if (method === 'GET') return readLine(['get', id], url)
    if (method === 'DELETE') return stopLine(id, url)
    return write ? runLine(exchange, [id]) : never.method
  }
  if (method === 'GET') return last in parts ? readLine([parts[last] as string, id], url) : never.method
  if (!write || (!writes.includes(last) && last in parts)) return never.method
  return writeLine(last, id, exchange, url)
}

/** Flags for the query; undefined if tug would never send it. */
function flagsFor(url: URL, known: Readonly<Record<string, string>>): string[] | undefined {
  const words: string[] = []
  for (const [name, value] of url.searchParams) {
    const flag = { namespace: '--namespace', region: '--region', ...known }[name]
    if (flag === undefined) return undefined
    const isSwitch = ['--meta', '--all', '--diffs', '--stale', '--purge', '--global', '--no-shutdown-delay'].includes(
      flag,
    )
    if (isSwitch && value !== 'true' && !(flag === '--stale' && value === '')) return undefined
    if (['--per-page', '--version', '--eval-priority'].includes(flag) && !/^[1-9]\d*$|^0$/.test(value)) return undefined
    words.push(isSwitch ? flag : `${flag}=${value}`)
  }
  return words
}

function line(
  words: readonly string[],
  flags: readonly string[] | undefined,
  files: Line['files'] = {},
): Line | string {
  return flags === undefined ? never.query : { words: ['job', ...words, ...flags], files }
}

function listLine(url: URL): Line | string {
  const known = {
    prefix: '--prefix',
    filter: '--filter',
    per_page: '--per-page',
    next_token: '--next-token',
    meta: '--meta',
    stale: '--stale',
  }
  return line(['list'], flagsFor(url, known))
}

function readLine(words: readonly string[], url: URL): Line | string {
  const [command = ''] = words
  const known: Record<string, string> = { stale: '--stale' }
  if (command === 'versions') known['diffs'] = '--diffs'
  if (command === 'submission') known['version'] = '--version'
  if (['allocs', 'deployments'].includes(command)) known['all'] = '--all'
  if (command === 'actions' || command === 'submission') delete known['stale']
  if (command === 'submission' && !url.searchParams.has('version')) return never.query
  return line(words, flagsFor(url, known))
}

function stopLine(id: string, url: URL): Line | string {
  if (Number(url.searchParams.get('eval_priority') ?? 1) > 100) return never.query
  const known = {
    purge: '--purge',
    global: '--global',
    no_shutdown_delay: '--no-shutdown-delay',
    eval_priority: '--eval-priority',
  }
  return line(['stop', id, '--yes'], flagsFor(url, known))
}

function parseLine({ body, path }: Exchange): Line | string {
  if (!isObject(body)) return never.body
  const source = body['JobHCL']
  if (typeof source !== 'string' || source.trim() === '' || source.trimStart().startsWith('{')) return never.body
  const variables = body['Variables']
  return line(
    [
      'parse',
      'job.hcl',
      ...(body['Canonicalize'] === true ? ['--canonicalize'] : []),
      ...(body['HCLv1'] === true ? ['--hcl1'] : []),
      ...(typeof variables === 'string' ? ['--var-file', 'vars.hcl'] : []),
      ...pairs(body['VariableFlags'], '--var'),
    ],
    flagsFor(new URL(path, 'http://host'), {}),
    { 'job.hcl': source, ...(typeof variables === 'string' ? { 'vars.hcl': variables } : {}) },
  )
}

function pairs(value: Json | undefined, flag: string): string[] {
  return isObject(value) ? entriesOf(value).map(([key, item]) => `${flag}=${key}=${String(item)}`) : []
}

/** `job run` and, with an ID, `job update`. */
function runLine({ body, path }: Exchange, id: readonly string[]): Line | string {
  const job = jobOf(body)
  if (job === undefined || (id.length > 0 && job['ID'] !== id[0])) return never.body
  const { EnforceIndex, JobModifyIndex, EvalPriority, PolicyOverride, PreserveCounts, PreserveResources, ...rest } =
    body as JsonObject
  if (PreserveResources !== undefined || !('Job' in (body as object))) return never.body
  if (EvalPriority !== undefined && (Number(EvalPriority) < 1 || Number(EvalPriority) > 100)) return never.body
  if (PreserveCounts === true && id.length > 0) return never.body
  return line(
    [
      id.length > 0 ? 'update' : 'run',
      ...id,
      'job.json',
      ...(EnforceIndex === true ? [`--check-index=${String(JobModifyIndex ?? 0)}`] : []),
      ...(EvalPriority === undefined ? [] : [`--eval-priority=${String(EvalPriority)}`]),
      ...(PolicyOverride === true ? ['--policy-override'] : []),
      ...(PreserveCounts === true ? ['--preserve-counts'] : []),
      ...(rest['Submission'] === undefined ? ['--no-submission'] : []),
    ],
    flagsFor(new URL(path, 'http://host'), {}),
    { 'job.json': stringifyJson(job) },
  )
}

function jobOf(body: Json | undefined): JsonObject | undefined {
  const job = isObject(body) ? body['Job'] : undefined
  return isObject(job) && typeof job['ID'] === 'string' && job['ID'] !== '' ? job : undefined
}

function writeLine(verb: string, id: string, { body }: Exchange, url: URL): Line | string {
  const known = flagsFor(url, verb === 'dispatch' ? { idempotency_token: '--idempotency-token' } : {})
  if (verb === 'force') return line(['periodic', 'force', id], known)
  if (!isObject(body)) return never.body
  if (body['JobID'] !== undefined && body['JobID'] !== id) return never.body
  if (verb === 'dispatch') return dispatchLine(id, body, known)
  if (verb === 'plan') {
    const job = jobOf(body)
    if (job === undefined || job['ID'] !== id) return never.body
    const flags = [
      '--show-values',
      ...(body['Diff'] === true ? [] : ['--no-diff']),
      ...(body['PolicyOverride'] === true ? ['--policy-override'] : []),
    ]
    return line(['plan', 'job.json', ...flags], known, { 'job.json': stringifyJson(job) })
  }
  if (verb === 'scale') return scaleLine(id, body, known)
  if (body['JobID'] === undefined) return never.body
  if (verb === 'evaluate') {
    const force = isObject(body['EvalOptions']) && body['EvalOptions']['ForceReschedule'] === true
    return line(['evaluate', id, ...(force ? ['--force-reschedule'] : [])], known)
  }
  const version = body['JobVersion'] ?? 0
  if (typeof version !== 'number' || version < 0) return never.body
  if (verb === 'stable') {
    if (typeof (body['Stable'] ?? false) !== 'boolean') return never.body
    return line(['stable', id, String(version), '--yes', ...(body['Stable'] === true ? [] : ['--unset'])], known)
  }
  const prior = body['EnforcePriorVersion']
  const flags = prior === undefined || prior === null ? [] : [`--enforce-prior-version=${String(prior)}`]
  return line(['revert', id, String(version), '--yes', ...flags], known)
}

function dispatchLine(id: string, body: JsonObject, known: string[] | undefined): Line | string {
  if ('Priority' in body || 'IdempotencyToken' in body) return never.body
  const payload = body['Payload'] ?? undefined
  const bytes = typeof payload === 'string' ? Buffer.from(payload, 'base64') : undefined
  if (bytes !== undefined && (bytes.toString('base64') !== payload || bytes.length > 16_384)) return never.body
  const template = body['IdPrefixTemplate']
  return line(
    [
      'dispatch',
      id,
      ...(bytes === undefined ? [] : ['payload']),
      ...pairs(body['Meta'], '--meta'),
      ...(template === undefined ? [] : [`--id-prefix-template=${String(template)}`]),
    ],
    known,
    bytes === undefined ? {} : { payload: bytes.toString('latin1') },
  )
}

function scaleLine(id: string, body: JsonObject, known: string[] | undefined): Line | string {
  const group = isObject(body['Target']) ? body['Target']['Group'] : undefined
  const { Count: count, Message: message, Error: error, Meta: meta } = body
  if (typeof group !== 'string' || 'JobModifyIndex' in body || Object.keys(body['Target'] as object).length > 1)
    return never.body
  if (count !== undefined && !(Number.isInteger(count) && Number(count) >= 0 && Number(count) <= 50_000))
    return never.body
  if (error !== undefined && (typeof error !== 'boolean' || count !== undefined)) return never.body
  if (count === undefined && (message === undefined || message === '')) return never.body
  if (isObject(meta) && entriesOf(meta).some(([, value]) => typeof value !== 'string')) return never.body
  const words = message === undefined ? [] : [`${error === true ? '--error' : '--message'}=${String(message)}`]
  return line(
    [
      'scale',
      id,
      group,
      ...(count === undefined ? [] : [String(count)]),
      ...words,
      ...pairs(meta, '--meta'),
      ...(body['PolicyOverride'] === true ? ['--policy-override'] : []),
    ],
    known,
  )
}
