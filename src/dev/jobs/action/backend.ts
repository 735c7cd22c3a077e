import type { ActionBackend } from './upgrade.ts'
import { tasksOf } from '../client/client.ts'
import { indexIn } from '../state/groups.ts'
import { objects, strings, text } from '../state/documents.ts'
import type { Service } from '../api/write.ts'
import { secretOf } from '../api/tokens.ts'

/** The scheduler as actions see it. Aborting `closed` ends what runs. */
export function actionBackend({ store, access }: Service, closed: AbortSignal): ActionBackend {
  return {
    aclEnabled: access.enabled,
    closed,
    token: secretOf,
    mayExec(token, namespace) {
      if (token !== undefined && !access.knows(token)) return 'unknown token'
      // Commands run on this machine without isolation, like raw_exec, which needs both capabilities.
      const allowed = ['alloc-exec', 'alloc-node-exec'].every((capability) =>
        access.allows(token, namespace, capability),
      )
      return allowed ? 'yes' : 'no'
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
