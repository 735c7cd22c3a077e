import * as api from '../../api/jobs.ts'
import { command } from '../../core/command.ts'
import { argument, flag } from '../../core/param.ts'
import type { Input } from '../../core/param.ts'
import type { Context } from '../../core/context.ts'
import { badToken } from './messages.ts'
import { jobArgument } from './reads.ts'
import { waitEndpoints, waitParams } from './wait/params.ts'
import { startWork } from './writes.ts'

const params = {
  job: jobArgument,
  version: argument.integer('the version to go back to', { required: true, min: 0, complete: 'job-version' }),
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
  also: waitEndpoints,
  examples: [
    { line: 'job revert web 2 --wait', note: 'and follow it to its outcome' },
    { line: 'job revert web 2 --enforce-prior-version 3', note: 'only if it is still at version 3' },
  ],
  run: async (input, context) => {
    const { job, version, enforcePriorVersion } = input
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
