import * as api from '../../api/jobs.ts'
import { asJson } from '../../core/answer.ts'
import type { Job } from '../../api/job-shapes.ts'
import { TugError, unlessForbidden } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { argument, flag } from '../../core/param.ts'
import type { Applied, Decision, ItemRun, Work } from '../../write/work.ts'
import { onlyTarget, unseen } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { jobArgument, namespaceName, versionNamed, versionsOf } from './jobs.ts'
import { readIfAllowed } from './targets.ts'

const params = {
  job: jobArgument,
  version: argument.integer('number of the version', { required: true, min: 0, complete: 'job-version' }),
  unset: flag.boolean('mark it as not stable'),
} as const

export const stable = write({
  name: 'stable',
  summary: 'Mark a version of a job as stable, so that a failed deployment may go back to it',
  description:
    'Nomad also makes the marked version the current one, so this asks first, unless it is the current version, or marked like that. It also asks if you may not read the job.',
  params,
  endpoint: api.markStable,
  also: [api.read, api.versions],
  examples: [
    { line: 'job stable web 2', note: 'automatic reverts may go back to it' },
    { line: 'job stable web 2 --unset', note: 'no longer' },
  ],
  async open({ job: only, version, unset = false }, context): Promise<Work> {
    const mark = unset ? 'not stable' : 'stable'
    // Only products make the marked version the current one. The first response shows what the server is.
    const movesFrom = (before: unknown) => context.http.memory.dialect !== 'neutral' && before !== version
    const findVersion = (versions: readonly Job[]) => versionNamed(versions, only, String(version))
    return {
      action: 'stable',
      target: 'job',
      noun: 'job',
      ...onlyTarget(only, {
        decide: async (job): Promise<Decision> => {
          const live = await readIfAllowed(context, { id: job })
          const before = live?.Version ?? undefined
          const namespace = namespaceName(context, live?.Namespace)
          const facts = { namespace, version, stable: !unset, current: before ?? null }
          const moves = live !== undefined && movesFrom(before)
          const words = `mark version ${version} as ${mark}${moves ? `, which Nomad makes the current one (now ${before})` : ''}`
          const sends = (hint?: string) => ({
            apply: async ({ context: here }: ItemRun): Promise<Applied> => {
              const checkCommand = here.commandLine('job versions', job)
              const body = { JobID: job, JobVersion: version, Stable: !unset }
              const { value, body: rawBody } = await here.http.send(api.markStable({ job }, { checkCommand, body }))
              // The response shows only an index (docs/servers.md, Versions).
              const versions = await versionsOf(here, job).catch(unlessForbidden)
              const isConfirmed = versions !== undefined
              if (isConfirmed && (findVersion(versions).Stable ?? false) === unset)
                throw new TugError(
                  'conflict',
                  `version ${version} of ${job} is not marked as ${mark}: another write has changed it`,
                )
              const done = `${isConfirmed ? 'marked' : 'sent the request to mark'} version ${version} of ${job} as ${mark}`
              const shown = { ...(asJson(value) as JsonObject), ...(isConfirmed ? {} : { confirmed: false }) }
              return { words: done, facts: shown, rawBody, ...(hint && { hint }) }
            },
          })
          if (live === undefined) return { ...unseen, words, facts, ...sends() }
          const versions = before === version ? [live] : await versionsOf(context, job).catch(unlessForbidden)
          const guard = before === undefined ? {} : { guard: before }
          // A mark that is there already changes nothing, not even which version is the current one.
          if (versions !== undefined && findVersion(versions).Stable === !unset)
            return { action: 'unchanged', words: `version ${version} is marked as ${mark} already`, facts, ...guard }
          const hint = moves
            ? `version ${before} was the current one before; to see which is now: ${context.commandLine('job get', job)}`
            : undefined
          return { action: 'set', words, facts, ...guard, ...sends(hint) }
        },
        ask: ([shown]) => {
          const before = shown?.facts['current']
          if (!movesFrom(before)) return undefined
          const situation =
            before === null
              ? `You may not read which version of ${only} is the current one`
              : `The current version of ${only} is ${String(before)}`
          return `${situation}. In Nomad, marking version ${version} as ${mark} makes it the current one. Mark it?`
        },
      }),
    }
  },
})
