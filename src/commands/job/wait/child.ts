import { items, number, text } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { shellQuote } from '../../../core/curl.ts'
import { TugError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { rest } from '../../../api/blocking.ts'

const attempts = 6
const pause = 500

/**
 * The job that forcing a periodic job has started; the server does not name it (contract b.18): it is the child whose
 * JobModifyIndex is the index of the evaluation. Throws when there is none.
 */
export async function findLaunched(
  context: Context,
  parent: string,
  evalIndex: number,
  place: readonly (readonly [string, string])[],
): Promise<string> {
  const prefix = `${parent}/periodic-`
  for (let attempt = 1; ; attempt += 1) {
    const query = [['prefix', prefix] as const, ...place]
    const response = await context.http.send({ method: 'GET', path: '/v1/jobs', query, acl: 'namespace:list-jobs' })
    const id = launchedBy(response.json(), evalIndex)
    if (id !== undefined) return id
    if (attempt === attempts) {
      throw new TugError('failed', `the launch of ${parent} was started, but no job ${prefix}… shows up for it`, {
        hints: [`tug job list --prefix ${shellQuote(prefix)}`],
      })
    }
    await rest(context, pause)
  }
}

function launchedBy(jobs: Json, evalIndex: number): string | undefined {
  const exact = items(jobs).find((job) => number(job, 'JobModifyIndex') === evalIndex)
  // A second launch within the same second updates the same child.
  const later = items(jobs).find((job) => (number(job, 'JobModifyIndex') ?? 0) > evalIndex)
  return text(exact ?? later, 'ID')
}
