import * as api from '../../api/jobs.ts'
import { argument, flag } from '../../core/param.ts'
import type { Input } from '../../core/param.ts'
import type { Context } from '../../core/context.ts'
import { TugError, unlessForbidden, usageError } from '../../core/errors.ts'
import { fileWords } from '../../core/words.ts'
import type { Work } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { jobArgument, versionNamed, versionsOf } from './jobs.ts'
import { changesOf, isUnchanged } from './plan/changes.ts'
import { waitEndpoints, waitParams } from './wait/params.ts'
import { jobWork } from './writes.ts'

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
    const { job, enforcePriorVersion, secretsTokenFile, discoveryTokenFile } = input
    const tokens = {
      ...(secretsTokenFile !== undefined && { SecretsToken: await readToken(context, secretsTokenFile) }),
      ...(discoveryTokenFile !== undefined && { DiscoveryToken: await readToken(context, discoveryTokenFile) }),
    }
    return jobWork(context, 'revert', input, async ({ sends }) => {
      const { version, equal = false, isUnseen = false } = await versionFor(input, context)
      return {
        action: 'revert',
        isUnseen,
        words: `revert to version ${version}${equal ? ', which equals the current one' : ''}`,
        facts: { to_version: version, ...(equal ? { equal } : {}) },
        ...sends({
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
          job,
          unchanged: `it already equals version ${version}`,
          message: () => `reverted ${job} to version ${version}`,
        }),
      }
    })
  },
})

/** The version to go back to; for a plan also whether it equals the current one, and what the server would refuse. */
async function versionFor(
  {
    job,
    version,
    stable,
    enforcePriorVersion,
    plan: isPlan = false,
  }: RevertInput & { readonly plan?: boolean | undefined },
  context: Context,
): Promise<{ readonly version: number; readonly equal?: boolean; readonly isUnseen?: true }> {
  // A tag and --stable must be looked up.
  const typed = version !== undefined && /^\d+$/.test(version) ? Number(version) : undefined
  if (!isPlan && typed !== undefined) return { version: typed }
  const versions = await versionsOf(context, job).catch((error: unknown) => {
    if (typed === undefined) throw error
    return unlessForbidden(error)
  })
  if (versions === undefined) return { version: typed ?? 0, isUnseen: true }
  const [current, ...older] = versions
  const conflict = (message: string) =>
    new TugError('conflict', message, { hints: [`available versions: ${context.commandLine('job versions', job)}`] })
  const found =
    stable === true ? older.find(({ Stable }) => Stable === true) : versionNamed(versions, job, version ?? '')
  if (found === undefined)
    throw new TugError('not_found', `${job} has no stable version before version ${current?.Version ?? 0}`, {
      hints: [`see: ${context.commandLine('job versions', job)}`],
    })
  if (!isPlan || current === undefined) return { version: found.Version ?? 0 }
  if (found.Version === current.Version) throw conflict(`version ${found.Version} of ${job} is the current one`)
  if (enforcePriorVersion !== undefined && enforcePriorVersion !== current.Version)
    throw conflict(`${job} is at version ${current.Version}, not ${enforcePriorVersion}`)
  return {
    version: found.Version ?? 0,
    equal: current.Stop === found.Stop && isUnchanged(changesOf(current, found)),
  }
}

async function readToken({ io }: Context, file: string): Promise<string> {
  const token = (await io.readText(file)).trim()
  if (!/^[\x21-\x7e]+$/.test(token))
    throw usageError(`the token in ${fileWords(file)} is not printable ASCII without blanks`)
  io.secret(token)
  return token
}
