import * as api from '../../api/jobs.ts'
import { argument, flag } from '../../core/param.ts'
import type { Input } from '../../core/param.ts'
import type { Context } from '../../core/context.ts'
import { TugError, unlessForbidden, usageError } from '../../core/errors.ts'
import { fileWords } from '../../core/words.ts'
import type { Decision, Shown, Work } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { jobArgument, versionNamed, versionsOf } from './jobs.ts'
import { changesOf, isUnchanged } from './plan/changes.ts'
import { waitEndpoints, waitParams } from './wait/params.ts'
import { wayBack } from './way-back.ts'
import type { Sender } from './writes.ts'
import { jobWork } from './writes.ts'

const params = {
  job: jobArgument,
  version: argument.text('the version to go back to, or its tag', {
    placeholder: 'version|tag',
    complete: 'job-version',
  }),
  stable: flag.boolean('go back to the newest version that was healthy, is no stop and differs from the current one', {
    excludes: ['version'],
  }),
  enforcePriorVersion: flag.integer('only if the job is at this version now', { min: 0 }),
  secretsTokenFile: flag.text('a file with the token for the secrets store', { placeholder: 'file', complete: 'file' }),
  discoveryTokenFile: flag.text('a file with the token for the discovery service', {
    placeholder: 'file',
    complete: 'file',
  }),
  ...waitParams,
} as const

type RevertInput = Input<typeof params>

export const revert = write({
  name: 'revert',
  summary: 'Make an older version of a job the current one again',
  description:
    'Registers the older version again, as a new one. A version that is a stop stops the job, which is asked first. If there is no stable version to go back to, --stable is exit 3.',
  params,
  endpoint: api.revert,
  also: waitEndpoints,
  repeats: 'registers the version and creates an evaluation each time',
  examples: [
    { line: 'job revert web 2 --wait', note: 'and follow it to its outcome' },
    { line: 'job revert web --stable --wait', note: 'to the last version that was healthy' },
    { line: 'job revert web 2 --enforce-prior-version 3', note: 'only if it is still at version 3' },
  ],
  async open(input, context): Promise<Work> {
    if (input.version === undefined && input.stable !== true)
      throw usageError('name a version or a tag, or pass --stable', context.commandLine('job versions', input.job))
    const { job, secretsTokenFile, discoveryTokenFile } = input
    const tokens = {
      ...(secretsTokenFile !== undefined && { SecretsToken: await readToken(context, secretsTokenFile) }),
      ...(discoveryTokenFile !== undefined && { DiscoveryToken: await readToken(context, discoveryTokenFile) }),
    }
    const decide = async ({ sends }: Sender): Promise<Decision> => {
      const { version, prior, equal = false, stops, isUnseen = false } = await versionFor(input, context)
      const more = stops === true ? ', which stops the job' : equal ? ', which equals the current one' : ''
      return {
        action: 'revert',
        isUnseen,
        words: `revert to version ${version}${more}`,
        facts: { to_version: version, ...(equal && { equal }), ...(stops !== undefined && { stops }) },
        ...sends({
          kind: 'revert',
          request: api.revert(
            { job },
            {
              policy: { guarded: prior !== undefined },
              checkCommand: context.commandLine('job versions', job),
              secretBody: Object.keys(tokens),
              body: {
                JobID: job,
                JobVersion: version,
                ...(prior === undefined ? {} : { EnforcePriorVersion: prior }),
                ...tokens,
              },
            },
          ),
          job,
          unchanged: `it already equals version ${version}`,
          message: () => `reverted ${job} to version ${version}${stops === true ? ', which stops it' : ''}`,
        }),
      }
    }
    return jobWork(context, 'revert', input, decide, questionOf)
  },
})

function questionOf([shown]: readonly Shown[]): string | undefined {
  const { item = '', facts = {} } = shown ?? {}
  const version = `Version ${String(facts['to_version'])} of ${item}`
  if (facts['stops'] === true) return `${version} is a stop. Stop job ${item} and all its allocations?`
  return facts['stops'] === null ? `${version} may not be read, and may be a stop. Revert to it?` : undefined
}

interface Found {
  readonly version: number
  /** The version that the job must be at: with --stable the one that was compared. */
  readonly prior?: number | undefined
  /** True if the current version is the same specification. */
  readonly equal?: boolean
  /** True if it is a stop, and the job isn't stopped; null if that may not be read. */
  readonly stops?: true | null
  readonly isUnseen?: true
}

/** The version to go back to, and what that means. Throws what the server would refuse. */
async function versionFor(
  { job, version, stable, enforcePriorVersion }: RevertInput,
  context: Context,
): Promise<Found> {
  // Only a tag and --stable must be looked up.
  const typed = version !== undefined && /^\d+$/.test(version) ? Number(version) : undefined
  const versions = await versionsOf(context, job).catch((error: unknown) => {
    if (typed === undefined) throw error
    return unlessForbidden(error)
  })
  if (versions === undefined) return { version: typed ?? 0, prior: enforcePriorVersion, stops: null, isUnseen: true }
  const [current = {}] = versions
  const hints = [`available versions: ${context.commandLine('job versions', job)}`]
  const found = stable === true ? wayBack(versions) : versionNamed(versions, job, version ?? '')
  if (found === undefined)
    throw new TugError('not_found', `${job} has no earlier version that was healthy and differs from the current one`, {
      reason: 'nothing_to_revert_to',
      hints,
    })
  if (found.Version === current.Version)
    throw new TugError('conflict', `version ${found.Version} of ${job} is the current one`, { hints })
  if (enforcePriorVersion !== undefined && enforcePriorVersion !== current.Version)
    throw new TugError('conflict', `${job} is at version ${current.Version}, not ${enforcePriorVersion}`, { hints })
  const isStop = found.Stop === true
  const isSame = isStop === (current.Stop === true)
  return {
    version: found.Version ?? 0,
    prior: stable === true ? (current.Version ?? undefined) : enforcePriorVersion,
    equal: isSame && isUnchanged(changesOf(current, found)),
    ...(isStop && !isSame && { stops: true }),
  }
}

async function readToken({ io }: Context, file: string): Promise<string> {
  const token = (await io.readText(file)).trim()
  if (!/^[\x21-\x7e]+$/.test(token))
    throw usageError(`the token in ${fileWords(file)} is not printable ASCII without blanks`)
  io.secret(token)
  return token
}
