import * as api from '../../api/jobs.ts'
import type { JsonObject } from '../../core/json.ts'
import { argument, flag } from '../../core/param.ts'
import type { Input } from '../../core/param.ts'
import type { Job } from '../../api/job-shapes.ts'
import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import { fileWords } from '../../core/words.ts'
import type { Decision, Work } from '../../write/work.ts'
import { onlyTarget } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { namespaceName, jobArgument, versionNamed, versionsOf } from './jobs.ts'
import { changesOf, isUnchanged } from './plan/changes.ts'
import { unlessForbidden } from './targets.ts'
import { waitEndpoints, waitParams, waits } from './wait/params.ts'
import { followWrites, startsWork } from './wait/write.ts'
import { sendWork } from './writes.ts'

const params = {
  job: jobArgument,
  version: argument.text('the version to go back to, or its tag', {
    placeholder: 'version|tag',
    complete: 'job-version',
  }),
  stable: flag.boolean('go back to the last stable version before the current one', { excludes: ['version'] }),
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
  description: 'The older version is registered again as a new version.',
  params,
  endpoint: api.revert,
  also: [...waitEndpoints, api.versions],
  repeats: 'registers the version and creates an evaluation each time',
  examples: [
    { line: 'job revert web 2 --wait', note: 'and follow it to its outcome' },
    { line: 'job revert web --stable --wait', note: 'to the last version that was healthy' },
    { line: 'job revert web 2 --enforce-prior-version 3', note: 'only if it is still at version 3' },
  ],
  async open(input, context): Promise<Work> {
    if (input.version === undefined && input.stable !== true)
      throw usageError('name a version or a tag, or pass --stable', context.commandLine('job versions', input.job))
    const tokens = await readTokens(input, context)
    const follow = waits(input) ? followWrites(context, input, { isOnly: true }) : undefined
    return {
      action: 'revert',
      target: 'job',
      noun: 'job',
      ...onlyTarget(input.job, {
        decide: async (): Promise<Decision> => {
          const { version, equal, isUnread = false } = await versionFor(input, context, input.plan === true)
          return {
            action: 'revert',
            isUnseen: isUnread,
            words: `${isUnread ? 'not looked at: ' : ''}revert to version ${version}${equal ? ', which equals the current one' : ''}`,
            facts: {
              namespace: namespaceName(context),
              to_version: version,
              ...(equal ? { equal } : {}),
            },
            ...startsWork(follow, (here) => sendRevert(here, input, version, tokens)),
          }
        },
      }),
    }
  },
})

function sendRevert(context: Context, { job, enforcePriorVersion }: RevertInput, version: number, tokens: JsonObject) {
  return sendWork(context, {
    kind: 'revert',
    request: api.revert(
      { job },
      {
        policy: { guarded: enforcePriorVersion !== undefined },
        checkCommand: context.commandLine('job versions', job),
        secretBody: Object.keys(tokens),
        body: {
          JobID: job,
          JobVersion: version,
          ...(enforcePriorVersion === undefined ? {} : { EnforcePriorVersion: enforcePriorVersion }),
          ...tokens,
        },
      },
    ),
    jobId: () => job,
    unchanged: `it already equals version ${version}`,
    message: () => `reverted ${job} to version ${version}`,
  })
}

/**
 * The version to go back to, and whether it equals the current one, if that is known. A tag and --stable are looked up; a number is
 * only by a plan, which reports what the server would refuse.
 */
async function versionFor(
  { job, version, stable, enforcePriorVersion }: RevertInput,
  context: Context,
  isPlan: boolean,
): Promise<{ version: number; equal: boolean; isUnread?: true }> {
  const typed = version !== undefined && /^\d+$/.test(version) ? Number(version) : undefined
  if (!isPlan && typed !== undefined) return { version: typed, equal: false }
  const versions = await versionsOf(context, job).catch((error: unknown) => {
    if (typed === undefined) throw error
    return unlessForbidden(error)
  })
  if (versions === undefined) return { version: typed ?? 0, equal: false, isUnread: true }
  const [current] = versions
  const found = stable === true ? lastStable(context, job, versions) : versionNamed(versions, job, version ?? '')
  const conflict = (message: string) =>
    new TugError('conflict', message, { hints: [`available versions: ${context.commandLine('job versions', job)}`] })
  if (isPlan && current !== undefined) {
    if (found.Version === current.Version) throw conflict(`version ${found.Version} of ${job} is the current one`)
    if (enforcePriorVersion !== undefined && enforcePriorVersion !== current.Version)
      throw conflict(`${job} is at version ${current.Version}, not ${enforcePriorVersion}`)
  }
  const equal = isPlan && current !== undefined && current.Stop === found.Stop && isUnchanged(changesOf(current, found))
  return { version: found.Version ?? 0, equal }
}

function lastStable(context: Context, job: string, [current, ...older]: readonly Job[]): Job {
  const found = older.find(({ Stable }) => Stable === true)
  if (found !== undefined) return found
  throw new TugError('not_found', `${job} has no stable version before version ${current?.Version ?? 0}`, {
    hints: [`see: ${context.commandLine('job versions', job)}`],
  })
}

/** The tokens in the body. */
async function readTokens({ secretsTokenFile: secrets, discoveryTokenFile: discovery }: RevertInput, { io }: Context) {
  return {
    ...(secrets === undefined ? {} : { SecretsToken: await readToken(io, secrets) }),
    ...(discovery === undefined ? {} : { DiscoveryToken: await readToken(io, discovery) }),
  }
}

async function readToken(io: Context['io'], file: string): Promise<string> {
  const token = (await io.readText(file)).trim()
  if (!/^[\x21-\x7e]+$/.test(token))
    throw usageError(`the token in ${fileWords(file)} is not printable ASCII without blanks`)
  io.secret(token)
  return token
}
