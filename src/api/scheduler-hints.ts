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

/** A hint that ends with a command line which reads the job; only its first words if the token may not. */
type Read = (start: string, what: string, ...line: Parameters<Line>) => readonly string[]

/** A text of the scheduler and its hints. */
type Hint = readonly [pattern: RegExp, hints: (line: Line, match: RegExpExecArray, read: Read) => readonly string[]]

/** The fields of a job that filters are written for. */
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
      `give them: ${keysOf(match)
        .map((key) => `${flagText(['--meta', key])}=…`)
        .join(' ')}`,
    ],
  ],
  [
    /unpermitted metadata keys: \[([^\]]*)\]/,
    (_, match, read) => {
      const flags = keysOf(match).map((key) => flagText(['--meta', key]))
      return read(`remove ${flags.join(' ')}`, 'what it takes', 'job get')
    },
  ],
  [
    /Payload is not provided/,
    (line) => [`name a file with it: ${line('job dispatch')} <payload-file> (-: standard input)`],
  ],
  [/Payload provided but forbidden/, () => ['this job takes no payload: omit the file']],
  [/Payload exceeds maximum size/, () => ['store it where the job can fetch it, and pass the address with --meta']],
  [
    /is not a parameterized job/,
    () => ['only jobs with a parameterized block can be dispatched; job run starts the others'],
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
    (_, match, read) => read(`it is at version ${match[1]} now`, 'what changed', 'job versions', ['--diffs']),
  ],
  [
    /can't revert to current version|at version \S+ not found/,
    (_, __, read) => read('', 'available versions', 'job versions'),
  ],
  [
    /job source not found/,
    (line) => [
      `only the last six sources are kept, if versions were registered with one; versions: ${line('job versions')}`,
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
      return near === undefined ? [`fields of a job: ${jobFields.join(', ')}`] : [`the field is called ${near}`]
    },
  ],
  [
    /cannot perform \S+ operations on type/,
    () => [
      'the operator does not suit the field; Periodic and ParameterizedJob take is nil or is not nil: tug help job-filters',
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
  [/disabled by the scheduler configuration/, () => ['an operator has closed registrations; only they can open them']],
]

const notFound = /job(?: versions)? not found$|^Unknown job|^job "[^"]*" not found/

/** Hints for a failure of the scheduler, by its text (docs/servers.md, Scheduler responses). */
export function schedulerHints(
  { request, headers, dialect, targetFlags = [] }: FailedAnswer,
  code: ErrorCode,
  words: string,
): readonly string[] {
  const job = jobOf(request)
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
  if (notFound.test(words)) return job === undefined ? [] : [wholeIdHint(job, targetFlags)]
  if (code !== 'not_allowed') return []
  return [
    ...(request.acl === undefined
      ? []
      : [`needed: ${capabilities(request, request.acl, (shown(headers) ?? dialect) === 'hashicorp')}`]),
    weakTokenHint(targetFlags),
  ]
}

/** Capabilities of the product, each enough for one kind of request in place of `submit-job`. */
const finerCapabilities: readonly (readonly [request: RegExp, capability: string])[] = [
  [/^POST \/v1\/job\/[^/]+\/plan$/, 'plan-job'],
  [/^POST \/v1\/job\/[^/]+\/revert$/, 'revert-job'],
  [/^POST \/v1\/job\/[^/]+\/stable$/, 'stable-job'],
  [/^POST \/v1\/job\/[^/]+\/evaluate$/, 'evaluate-job'],
  [/^POST \/v1\/job\/[^/]+\/periodic\/force$/, 'force-periodic-job'],
  [/^DELETE \/v1\/job\/[^/]+$/, 'deregister-job'],
  [/^POST \/v1\/jobs$|^POST \/v1\/job\/[^/]+$/, 'register-job'],
]

/** The needed capabilities, in the product's words if it answered: those of the specification are fewer. */
function capabilities({ method, path, query, body }: HttpRequest, whole: string, isProduct: boolean): string {
  const [submit, override] = whole.split(/, and (?=namespace:policy-override)| with --policy-override/)
  const acl = [submit, ...(override && at(body, 'PolicyOverride') === true ? [override] : [])].join(', and ')
  if (!isProduct) return acl
  const found = finerCapabilities.find(([pattern]) => pattern.test(`${method} ${path}`))?.[1]
  const purges = query?.some(([name, value]) => name === 'purge' && value === 'true') === true
  const finer = found === 'deregister-job' && purges ? 'purge-job' : found
  const words = acl.replace('namespace:policy-override', 'namespace:sentinel-override')
  return finer === undefined
    ? words
    : words.replace('namespace:submit-job', `namespace:${finer} or namespace:submit-job`)
}

/** The job of `/v1/job/{job}/…`; undefined for other requests. */
function jobOf({ path }: HttpRequest): string | undefined {
  const segment = /^\/v1\/job\/([^/]+)/.exec(path)?.[1]
  return segment === undefined ? undefined : decodePath(segment)
}

/** Lists in brackets are in random order. */
function keysOf([, keys = '']: RegExpExecArray): string[] {
  return keys.split(' ').toSorted()
}

/** The hint if the scheduler refuses a token. */
export function weakTokenHint(targetFlags: readonly string[]): string {
  return `a missing, unknown or weak token gives the same answer${seeStatus(targetFlags)}`
}

/** The hint if a job is not found. */
export function wholeIdHint(job: string, targetFlags: readonly string[]): string {
  const start = Array.from(job).slice(0, 3).join('')
  const line = commandLine(withoutFlag(targetFlags, '-n'), 'job list', ['--prefix', start])
  return `give the whole ID, and the right namespace: ${line}, with -n '*' for all namespaces`
}
