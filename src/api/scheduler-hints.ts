import { at } from '../core/answer.ts'
import type { ErrorCode } from '../core/errors.ts'
import { nearest } from '../core/words.ts'
import type { HttpRequest } from '../core/request.ts'
import { decodePath } from '../core/request.ts'
import type { FailedAnswer } from '../core/service.ts'
import type { LineWord } from '../core/shell.ts'
import { commandLine, flagText, seeStatus, withoutFlag } from '../core/shell.ts'
import { shown } from './scheduler-dialect.ts'

/** Makes a command line about the request's job. */
type Line = (words: string, ...args: readonly LineWord[]) => string

/** Makes a hint that ends with a command which reads the job; only `start` if the token may not read it. */
type Read = (start: string, what: string, ...line: Parameters<Line>) => readonly string[]

/** A pattern for the scheduler's messages, and its hints. */
type Hint = readonly [pattern: RegExp, hints: (line: Line, match: RegExpExecArray, read: Read) => readonly string[]]

/** The fields of a job that filters can use. */
const jobFields = [
  'ID',
  'Name',
  'Namespace',
  'Type',
  'Status',
  'Stop',
  'Stable',
  'Version',
  'Priority',
  'Datacenters',
  'NodePool',
  'Region',
  'ParentID',
  'Dispatched',
  'Periodic',
  'ParameterizedJob',
  'Meta',
  'TaskGroups',
  'Constraints',
  'SubmitTime',
  'CreateIndex',
  'ModifyIndex',
  'JobModifyIndex',
]

const byText: readonly Hint[] = [
  [
    /did not provide required meta keys: \[([^\]]*)\]/,
    (_, match) => [
      `pass them: ${keysOf(match)
        .map((key) => `${flagText(['--meta', key])}=…`)
        .join(' ')}`,
    ],
  ],
  [
    /unpermitted metadata keys: \[([^\]]*)\]/,
    (_, match, read) => {
      const flags = keysOf(match).map((key) => flagText(['--meta', key]))
      return read(`remove ${flags.join(' ')}`, 'its keys', 'job get')
    },
  ],
  [/Payload is not provided/, (line) => [`pass a file: ${line('job dispatch')} <payload-file> (-: standard input)`]],
  [/Payload provided but forbidden/, () => ['this job takes no payload: omit the file']],
  [/Payload exceeds maximum size/, () => ['store it where the job can fetch it, and pass the address with --meta']],
  [
    /is not a parameterized job/,
    () => ['only jobs with a parameterized block can be dispatched; start other jobs with tug job run'],
  ],
  [/" is stopped/, (line) => [`start it again: ${line('job start')}`]],
  [
    /can't force launch non-periodic job/,
    (line) => [`only jobs with a periodic block can be forced; for any other job: ${line('job evaluate')}`],
  ],
  [/can't force run non-tracked job/, (line) => [`the job is stopped; start it again: ${line('job start')}`]],
  [/can't evaluate periodic job/, (line) => [`launch an instance now: ${line('job periodic force')}`]],
  [/can't evaluate parameterized job/, (line) => [`start an instance: ${line('job dispatch')}`]],
  [
    /conflicting job modify index: (\d+)/,
    (_, match) => [
      `the job has changed (its index is ${match[1]} now): run tug job plan again, and then the command that it prints`,
    ],
  ],
  [
    /job already exists/,
    () => ['--check-index 0 only registers new jobs; tug job plan <file> shows what would change'],
  ],
  [
    /Enforcing job modify index.*does not exist/,
    () => ['the job is gone or in another namespace; --check-index 0 registers it as new'],
  ],
  [
    /Current job has version (\d+)/,
    (_, match, read) => read(`it is at version ${match[1]} now`, 'changes', 'job versions', ['--diffs']),
  ],
  [
    /can't revert to current version|at version \S+ not found/,
    (_, __, read) => read('', 'available versions', 'job versions'),
  ],
  [
    /job source not found/,
    (line) => [
      `a server keeps the last six sources, of versions registered with one; versions: ${line('job versions')}`,
    ],
  ],
  [
    /scaling blocked due to active deployment/,
    (_, __, read) => read('', 'wait for it to end', 'job deployment', ['--watch']),
  ],
  [
    /task group "[^"]*" specified for scaling does not exist/,
    (_, __, read) => read('', 'its groups', 'job scale-status'),
  ],
  [
    /nonexistent namespace/,
    () => ['the namespace comes from -n, the job file, TUG_SCHEDULER_NAMESPACE or the profile'],
  ],
  [/No path to region/, () => ['the region comes from --region or the job file']],
  [/No cluster leader/, () => ['the servers have no leader; reads with --stale may still work']],
  [
    /struct field with name "([^"]+)"/,
    (_, [, name = '']) => {
      const [near] = nearest(name.replaceAll('_', ''), jobFields)
      return near === undefined ? [`fields of a job: ${jobFields.join(', ')}`] : [`use ${near}`]
    },
  ],
  [
    /cannot perform \S+ operations on type/,
    () => [
      'the field does not support this operator; for Periodic and ParameterizedJob use is nil or is not nil: tug help job-filters',
    ],
  ],
  [
    /filter expression|error finding value in datum/,
    () => ['an example expression: Status == "running" and Type == "service"; more: tug help job-filters'],
  ],
  [
    /cannot update job from/,
    () => ['a job cannot change its type: stop it with --purge, or register the new one under another ID'],
  ],
  [
    /disabled by the scheduler configuration/,
    () => ['an operator has disabled job registration, and only an operator can enable it'],
  ],
]

const notFound = /job(?: versions)? not found$|^Unknown job|^job "[^"]*" not found/

/** Hints for a failure of the scheduler, by its message (docs/servers.md, Scheduler responses). */
export function schedulerHints(
  { request, headers, dialect, targetFlags = [], hasToken }: FailedAnswer,
  code: ErrorCode,
  words: string,
): readonly string[] {
  const segment = /^\/v1\/job\/([^/]+)/.exec(request.path)?.[1]
  const job = segment === undefined ? undefined : decodePath(segment)
  const namespace = request.query?.find(([name]) => name === 'namespace')?.[1]
  const own = namespace === undefined || targetFlags.includes('-n') ? [] : ['-n', namespace]
  const line: Line = (command, ...args) => commandLine([...own, ...targetFlags], command, job ?? ['<job>'], ...args)
  const read: Read = (start, what, ...command) => {
    const parts = [start, ...(request.isUnseen === true ? [] : [`${what}: ${line(...command)}`])]
    const hint = parts.filter((part) => part !== '').join('; ')
    return hint === '' ? [] : [hint]
  }
  for (const [pattern, hints] of byText) {
    const match = pattern.exec(words)
    if (match !== null) return hints(line, match, read)
  }
  if (notFound.test(words)) return job === undefined ? [] : [fullIdHint(job, targetFlags)]
  if (code !== 'not_allowed') return []
  return [
    ...(request.acl === undefined
      ? []
      : [`needed: ${capabilities(request, request.acl, (shown(headers) ?? dialect) === 'hashicorp')}`]),
    tokenHint(targetFlags, hasToken),
  ]
}

/** Capabilities of the product that allow one kind of request each, without `submit-job`. */
const finerCapabilities: readonly (readonly [request: RegExp, capability: string])[] = [
  [/^POST \/v1\/job\/[^/]+\/plan$/, 'plan-job'],
  [/^POST \/v1\/job\/[^/]+\/revert$/, 'revert-job'],
  [/^POST \/v1\/job\/[^/]+\/stable$/, 'stable-job'],
  [/^POST \/v1\/job\/[^/]+\/evaluate$/, 'evaluate-job'],
  [/^POST \/v1\/job\/[^/]+\/periodic\/force$/, 'force-periodic-job'],
  [/^DELETE \/v1\/job\/[^/]+$/, 'deregister-job'],
  [/^POST \/v1\/jobs$|^POST \/v1\/job\/[^/]+$/, 'register-job'],
]

/** The capabilities needed: the specification's, or the product's, which has more. */
function capabilities({ method, path, query, body }: HttpRequest, whole: string, isProduct: boolean): string {
  const [submit, override] = whole.split(/, and (?=namespace:policy-override)| with --policy-override/)
  const acl = [submit, ...(override && at(body, 'PolicyOverride') === true ? [override] : [])].join(', and ')
  if (!isProduct) return acl
  const found = finerCapabilities.find(([pattern]) => pattern.test(`${method} ${path}`))?.[1]
  const purges = query?.some(([name, value]) => name === 'purge' && value === 'true') === true
  const finer = found === 'deregister-job' && purges ? 'purge-job' : found
  const productAcl = acl.replace('namespace:policy-override', 'namespace:sentinel-override')
  return finer === undefined
    ? productAcl
    : productAcl.replace('namespace:submit-job', `namespace:${finer} or namespace:submit-job`)
}

/** The server lists keys in random order. */
function keysOf([, keys = '']: RegExpExecArray): string[] {
  return keys.split(' ').toSorted()
}

/** The hint if the scheduler refuses a token. */
export function tokenHint(targetFlags: readonly string[], hasToken: boolean | undefined): string {
  if (hasToken === false) return `no token was sent: ${commandLine(targetFlags, 'login scheduler')}`
  return `the token is unknown or expired, or its policies don't allow this${seeStatus(targetFlags)}`
}

/** The hint if a job is not found. */
export function fullIdHint(job: string, targetFlags: readonly string[]): string {
  const start = Array.from(job).slice(0, 3).join('')
  const line = commandLine(withoutFlag(targetFlags, '-n'), 'job list', ['--prefix', start])
  return `use the full ID and the right namespace: ${line}, with -n '*' for all namespaces`
}
