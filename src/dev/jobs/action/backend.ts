import type { DevRequest } from '../../http.ts'
import { tasksOf } from '../client/tasks.ts'
import { indexIn, objects, strings, text } from '../state/documents.ts'
import type { Service } from '../api/write.ts'
import { secretOf } from '../api/tokens.ts'

/** What an action needs from the scheduler. */
export interface ActionBackend {
  /** The allocation with exactly this id, whatever its job and namespace. */
  allocation(id: string): ActionAllocation | undefined
  readonly aclEnabled: boolean
  /** The token in the request's headers, trimmed. */
  token(request: DevRequest): string | undefined
  /** Whether a token may run commands in a namespace. Asked only if ACLs are on. */
  mayExec(token: string | undefined, namespace: string): 'yes' | 'no' | 'unknown token'
  /** Aborted when the service closes: ends connections and the commands that run. */
  readonly closed: AbortSignal
}

export interface ActionAllocation {
  readonly id: string
  readonly jobId: string
  readonly namespace: string
  readonly taskGroup: string
  /** Its place in the group. */
  readonly index?: number
  readonly tasks: readonly ActionTask[]
}

export interface ActionTask {
  readonly name: string
  readonly running: boolean
  readonly actions: readonly { readonly name: string; readonly command: string; readonly args: readonly string[] }[]
}

/** The scheduler as actions see it. Aborting `closed` ends what runs. */
export function actionBackend({ store, access }: Service, closed: AbortSignal): ActionBackend {
  return {
    aclEnabled: access.enabled,
    closed,
    token: secretOf,
    mayExec(token) {
      if (token !== undefined && !access.knows(token)) return 'unknown token'
      return access.mayWrite(token) ? 'yes' : 'no'
    },
    allocation(id) {
      const alloc = store.allocations.get(id)
      if (alloc === undefined) return undefined
      return {
        id,
        jobId: alloc.jobId,
        namespace: alloc.namespace,
        taskGroup: alloc.group,
        index: indexIn(alloc.name),
        tasks: tasksOf(alloc).map((task) => ({
          name: text(task, 'Name'),
          running: alloc.tasks.get(text(task, 'Name'))?.state === 'running',
          actions: objects(task, 'Actions').map((action) => ({
            name: text(action, 'Name'),
            command: text(action, 'Command'),
            args: strings(action, 'Args'),
          })),
        })),
      }
    },
  }
}
