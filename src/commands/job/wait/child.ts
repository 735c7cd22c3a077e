import * as api from '../../../api/jobs.ts'
import { items, number, text } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { rest } from '../../../api/blocking.ts'
import { newestFirst } from '../cells.ts'

const attempts = 6
const pause = 500

/**
 * The job that forcing a periodic job has started. The server does not name it: it is the child whose JobModifyIndex is the
 * index of the evaluation. Throws if it doesn't show up.
 */
export async function findLaunched(
  context: Context,
  parent: string,
  evalIndex: number,
  namespace: string | undefined,
): Promise<string> {
  const prefix = `${parent}/periodic-`
  for (let attempt = 1; ; attempt += 1) {
    const query = [['prefix', prefix] as const, ...(namespace === undefined ? [] : [['namespace', namespace] as const])]
    const response = await context.http.send(api.list({}, { query }))
    const id = launchedBy(response.json(), evalIndex)
    if (id !== undefined) return id
    if (attempt === attempts) {
      throw new TugError('failed', `no job ${prefix}… has appeared`, {
        hints: [`look for it: ${context.commandLine('job list', '--prefix', prefix)}`],
      })
    }
    await rest(context, pause)
  }
}

function launchedBy(jobs: Json, evalIndex: number): string | undefined {
  const changed = items(jobs).filter((job) => (number(job, 'JobModifyIndex') ?? 0) >= evalIndex)
  const exact = changed.find((job) => number(job, 'JobModifyIndex') === evalIndex)
  if (exact !== undefined) return text(exact, 'ID')
  // A second launch within the same second updates the same child; one that was created later is another launch.
  const updated = changed.filter((job) => (number(job, 'CreateIndex') ?? 0) <= evalIndex)
  return text(updated.toSorted(newestFirst)[0], 'ID')
}
