import * as api from '../../../api/jobs.ts'
import type { Done } from '../../../bulk/engine.ts'
import { ifKnown } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { plural } from '../../../core/words.ts'
import { inNamespace, namespaceFlag } from '../job-file.ts'
import { firstNames } from '../many.ts'
import type { FilePlan } from './plan-files.ts'

/** A job of the server that none of the files describes. */
export interface Prunable {
  readonly name: string
  readonly id: string
  readonly namespace: string
}

/** The running jobs that match the filter and are in no file, in the namespaces of the files; never those that a job started. */
export async function prunable(context: Context, filter: string, plans: readonly FilePlan[]): Promise<Prunable[]> {
  const described = new Set(plans.map(({ name }) => name))
  const found: Prunable[] = []
  for (const namespace of new Set(plans.map((plan) => plan.namespace))) {
    const { query = [] } = inNamespace(context, namespace)
    const listed = await context.http.send(api.list({}, { query: [...query, ['filter', filter]] }))
    ifKnown(listed.value, (jobs) => {
      for (const { ID: id, ParentID, Stop } of jobs ?? []) {
        const name = namespace === 'default' ? id : `${namespace}/${id}`
        if ((ParentID ?? '') !== '' || Stop === true || described.has(name)) continue
        found.push({ name, id, namespace })
      }
    })
  }
  return found
}

/** `Stop 2 jobs that are in none of the files: a, b?` */
export function pruneQuestion(jobs: readonly Prunable[]): string {
  const which = jobs.length === 1 ? 'that is' : 'that are'
  return `Stop ${plural(jobs.length, 'job')} ${which} in none of the files: ${firstNames(jobs.map(({ name }) => name))}?`
}

/** Stops a job. */
export async function remove(context: Context, { id, namespace }: Prunable): Promise<Done> {
  const checkCommand = context.commandLine('job get', id, ...namespaceFlag(context, namespace))
  await context.http.send(api.stop({ job: id }, { ...inNamespace(context, namespace), checkCommand }))
  return { after: 'stopped' }
}
