import * as api from '../../api/jobs.ts'
import { command } from '../../core/command.ts'
import { argument, flag } from '../../core/param.ts'
import type { Input } from '../../core/param.ts'
import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import { badToken } from './messages.ts'
import { jobArgument } from './reads.ts'
import { versionNamed, versionsOf } from './version-of.ts'
import { waitEndpoints, waitParams } from './wait/params.ts'
import { startWork } from './writes.ts'

const params = {
  job: jobArgument,
  version: argument.text('the version to go back to, or its tag', { complete: 'job-version' }),
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

export const revert = command({
  name: 'revert',
  summary: 'Make an older version of a job the current one again',
  description: 'The older version is registered again as a new version.',
  params,
  endpoint: api.revert,
  also: [...waitEndpoints, api.versions],
  examples: [
    { line: 'job revert web 2 --wait', note: 'and follow it to its outcome' },
    { line: 'job revert web --stable --wait', note: 'to the last version that was healthy' },
    { line: 'job revert web 2 --enforce-prior-version 3', note: 'only if it is still at version 3' },
  ],
  run: async (input, context) => {
    const { job, enforcePriorVersion } = input
    const version = await versionFor(input, context)
    const tokens = await readTokens(input, context)
    return startWork(context, input, {
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
  },
})

/** The number of the version to go back to. A tag and --stable are looked up first. */
async function versionFor({ job, version, stable }: RevertInput, context: Context): Promise<number> {
  if (version !== undefined && /^\d+$/.test(version)) return Number(version)
  if (version !== undefined) return versionNamed(await versionsOf(context, job), job, version).Version ?? 0
  if (stable !== true)
    throw usageError('name a version or a tag, or pass --stable', context.commandLine('job versions', job))
  const [current, ...older] = await versionsOf(context, job)
  const found = older.find(({ Stable }) => Stable === true)
  if (found !== undefined) return found.Version ?? 0
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
  if (!/^[\x21-\x7e]+$/.test(token)) throw badToken(file)
  io.secret(token)
  return token
}
