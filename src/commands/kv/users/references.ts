import * as jobs from '../../../api/jobs.ts'
import type { Failure } from '../../../bulk/account.ts'
import { openReads } from '../../../bulk/engine.ts'
import { at, items, text as textAt } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import type { Json } from '../../../core/json.ts'
import { isObject } from '../../../core/json.ts'
import type { Infer } from '../../../core/shape.ts'
import { any, array, mismatch, nullable, object, string } from '../../../core/shape.ts'
import { unexpectedResponse } from '../../../http/response.ts'

const template = object({ 'EmbeddedTmpl?': string, 'SourcePath?': string, 'LeftDelim?': string, 'RightDelim?': string })

const task = object({
  Name: string,
  'Templates?': nullable(array(template)),
  'Vault?': any,
  // The specification's name for the same block; real schedulers have a list of `secret` blocks of this name.
  'Secrets?': any,
})

/** The parts of a job that can name secrets. */
export const jobShape = object({
  ID: string,
  'Namespace?': string,
  'TaskGroups?': nullable(array(object({ Name: string, 'Tasks?': nullable(array(task)) }))),
})

export type Job = Infer<typeof jobShape>

/** A place in a job that reads a secret. */
export interface Reference {
  readonly namespace: string
  readonly job: string
  readonly group: string
  readonly task: string
  /** The namespace of the secrets store in the task's `vault` block; '' for the default. */
  readonly secretsNamespace: string
  /** As the job spells it, `secret/data/app/db`; undefined if it is made at run time. */
  readonly place: string | undefined
  /** Why it is not known, in words. */
  readonly why?: string
}

/** Everything in a job that reads secrets. */
export function referencesOf(job: Job): Reference[] {
  return (job.TaskGroups ?? []).flatMap((group) =>
    (group.Tasks ?? []).flatMap((one) => {
      const block = [one.Vault, one.Secrets].find(isObject)
      const from = {
        namespace: job.Namespace ?? 'default',
        job: job.ID,
        group: group.Name,
        task: one.Name,
        secretsNamespace: (textAt(block, 'Namespace') ?? '').replace(/\/$/, ''),
      }
      const found = [...(one.Templates ?? []).flatMap(readsOf), ...secretBlocks(one.Secrets)]
      if (found.length === 0 && block !== undefined)
        found.push({ place: undefined, why: 'a vault block: the task reads secrets itself' })
      return found.map((read): Reference => ({ ...from, ...read }))
    }),
  )
}

/** The `secret` blocks of a task, each of which names a path. */
function secretBlocks(blocks: Json | undefined): Read[] {
  if (!Array.isArray(blocks)) return []
  return items(blocks)
    .filter((block) => at(block, 'Provider') === 'vault')
    .map((block) => ({ place: textAt(block, 'Path') }))
}

type Read = Pick<Reference, 'place' | 'why'>

function readsOf({ EmbeddedTmpl, SourcePath, LeftDelim, RightDelim }: Infer<typeof template>): Read[] {
  const text = EmbeddedTmpl ?? ''
  if (text === '') return SourcePath ? [{ place: undefined, why: 'a template in a file of the task' }] : []
  return actionsOf(text, LeftDelim || '{{', RightDelim || '}}').flatMap(readsIn)
}

/** What is between the delimiters, without comments. */
function actionsOf(text: string, left: string, right: string): string[] {
  return text
    .split(left)
    .slice(1)
    .map((part) => part.split(right)[0] ?? '')
    .filter((action) => !/^-?\s*\/\*/.test(action))
}

const token = /"(?:[^"\\]|\\.)*"|`[^`]*`|[$.]?[\w.]+|[|()]|\S/g

/** The secrets that an action reads: `secret "…"`, `with secret "…"`, `"…" | secret`. */
function readsIn(action: string): Read[] {
  const tokens = action.match(token) ?? []
  return tokens.flatMap((word, index): Read[] => {
    if (word !== 'secret' && word !== 'secrets') return []
    const isPiped = tokens[index - 1] === '|'
    const argument = isPiped ? tokens[index - 2] : tokens[index + 1]
    const place = argument === undefined ? undefined : literal(argument)
    if (place !== undefined && !/[{}$]|%[a-z]/.test(place)) return [{ place }]
    return [{ place: undefined, why: 'a path made at run time' }]
  })
}

/** The text of a string in a template; undefined for anything else. */
function literal(text: string): string | undefined {
  if (text.startsWith('`')) return text.slice(1, -1)
  try {
    return String(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** The path in a mount that a job means, in either spelling; undefined for another mount. A folder ends with a slash. */
export function pathIn(mount: string, place: string): string | undefined {
  const bare = place.replace(/^\/?(?:v1\/)?/, '').replace(/\?.*/s, '')
  if (!bare.startsWith(`${mount}/`)) return undefined
  return bare.slice(mount.length + 1).replace(/^(?:data|metadata)\//, '')
}

/** What the jobs of the scheduler read. */
export interface JobReads {
  readonly references: readonly Reference[]
  readonly jobs: number
  readonly failures: readonly Failure[]
}

const jobsAtOnce = 4

interface Listed {
  readonly id: string
  readonly namespace: string
}

/** Lists the jobs of every namespace and reads each; those that a periodic or parameterized job made are like their parent. */
export async function readJobs(context: Context): Promise<JobReads> {
  const scheduler: Context = { ...context, ...context.otherService('scheduler') }
  const bulk = await openReads(scheduler, {}, jobsAtOnce)
  const response = await bulk.context.http.send(jobs.list({}, { query: [['namespace', '*']] }))
  const listed: Listed[] = (response.value ?? [])
    .filter(({ ParentID }) => (ParentID ?? '') === '')
    .map(({ ID, Namespace }) => ({ id: ID, namespace: Namespace ?? 'default' }))
  const references: Reference[] = []
  const failures: Failure[] = []
  for await (const outcome of bulk.read('reading jobs', listed, (item) => readJob(bulk.context, item))) {
    if ('error' in outcome) failures.push({ item: outcome.item.id, error: outcome.error })
    else references.push(...outcome.value)
  }
  return { references, jobs: listed.length, failures }
}

async function readJob({ http }: Context, { id, namespace }: Listed): Promise<Reference[]> {
  const response = await http.send(jobs.read({ job: id }, { query: [['namespace', namespace]] }))
  const body = response.json()
  const wrong = mismatch(body, jobShape)
  if (wrong !== undefined) throw unexpectedResponse(`the answer ${wrong}`, { service: 'scheduler' })
  return referencesOf({ ...(body as unknown as Job), Namespace: namespace })
}
