import { tmpdir } from 'node:os'
import { parseBoolean } from '../../go.ts'
import type { DevRequest } from '../../http.ts'
import { uuidFault } from '../api/refusal.ts'
import { readHandshake } from './frames.ts'
import type { Inbox } from './frames.ts'
import { findCommand } from './process.ts'
import type { ActionCommand } from './process.ts'
import { tasksOf } from '../client/tasks.ts'
import { indexIn, objects, strings, text } from '../state/documents.ts'
import type { Service } from '../api/write.ts'
import { secretOf } from '../api/tokens.ts'

/** Why a session ends before its command starts: a close code and a reason. */
export class Refused extends Error {
  readonly code: 1008 | 1011

  constructor(code: 1008 | 1011, reason: string) {
    super(reason)
    this.code = code
  }
}

/**
 * Reads the parameters and the handshake, checks permission and finds the command, in the order of real servers.
 * Rejects with {@link Refused}.
 */
export async function findTarget(
  request: DevRequest,
  inbox: Inbox,
  backend: ActionBackend,
): Promise<{ readonly command: ActionCommand; readonly tty: boolean }> {
  const tty = booleanOf(1011, 'tty', request.query.get('tty'))
  const token = await authenticate(request, inbox, backend)
  return { command: locate(request, token, backend), tty }
}

/** A boolean in the query; absent and empty are false. */
function booleanOf(code: 1008 | 1011, name: string, given: string | null): boolean {
  const value = parseBoolean(given || 'false')
  if (value === undefined) throw new Refused(code, `${name} value is not a boolean: ${JSON.stringify(given)}`)
  return value
}

/** The token of the header, or with `ws_handshake=true` that of the first frame. */
async function authenticate(request: DevRequest, inbox: Inbox, backend: ActionBackend): Promise<string | undefined> {
  const header = backend.token(request)
  if (!booleanOf(1008, 'ws_handshake', request.query.get('ws_handshake'))) return header
  const handshake = handshakeOf(await inbox.next())
  if (handshake.version !== 1) throw new Refused(1008, `unexpected handshake value: ${handshake.version}`)
  if (header !== undefined && header !== handshake.token) {
    throw new Refused(1008, 'handshake auth token mismatched auth header token')
  }
  return handshake.token === '' ? undefined : handshake.token
}

function handshakeOf(frame: string): ReturnType<typeof readHandshake> {
  try {
    return readHandshake(frame)
  } catch (error) {
    throw new Refused(1008, (error as Error).message)
  }
}

/** Finds the command. Checks come in the order of real servers: allocation, permission, task, job, action, state. */
function locate(request: DevRequest, token: string | undefined, backend: ActionBackend): ActionCommand {
  const { query } = request
  const jobId = request.segments.slice(2, -1).join('/')
  const allocation = allocationOf(request, backend)
  if (backend.aclEnabled) demandPermission(token, allocation, backend)

  const taskName = query.get('task') || refused('must provide task name')
  const actionName = query.get('action') || refused('command is not present')
  if (allocation.jobId !== jobId) refused(`job ${jobId} does not have allocation ${allocation.id}`)
  const task =
    allocation.tasks.find(({ name }) => name === taskName) ??
    refused(`task ${taskName} not found in allocation ${allocation.id}`)
  if (!task.running) refused(`task "${taskName}" is not running.`)
  const action =
    task.actions.find(({ name }) => name === actionName) ??
    refused(`action ${actionName} not found in task ${taskName}`)

  const searchPath = process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'
  const found = findCommand(action.command, searchPath)
  if ('failure' in found) {
    throw new Refused(1011, `rpc error: code = Unknown desc = failed to start command: ${found.failure}`)
  }
  const facts = {
    ALLOC_ID: allocation.id,
    ALLOC_INDEX: String(allocation.index ?? 0),
    JOB_ID: allocation.jobId,
    GROUP_NAME: allocation.taskGroup,
    TASK_NAME: taskName,
    NAMESPACE: allocation.namespace,
  }
  // Job files use the product's names whatever the dialect of the caller.
  const prefixes = request.dialect === 'hashicorp' ? ['NOMAD'] : ['NOMAD', 'SCHEDULER']
  const known = prefixes.flatMap((prefix) => Object.entries(facts).map(([name, value]) => [`${prefix}_${name}`, value]))
  return {
    file: found.file,
    args: action.args,
    folder: tmpdir(),
    env: {
      PATH: searchPath,
      HOME: tmpdir(),
      LANG: 'C.UTF-8',
      ...Object.fromEntries(known),
    },
  }
}

function allocationOf({ query, dialect }: DevRequest, backend: ActionBackend): ActionAllocation {
  const id = query.get('allocID') || (dialect === 'neutral' && query.get('alloc_id')) || refused('missing AllocID')
  const fault = uuidFault('alloc', id)
  if (fault !== undefined) throw new Refused(1011, fault)
  return backend.allocation(id) ?? refused(`Unknown allocation "${id}"`)
}

function demandPermission(token: string | undefined, { namespace }: ActionAllocation, backend: ActionBackend): void {
  const verdict = backend.mayExec(token, namespace)
  if (verdict === 'no') throw new Refused(1011, 'Permission denied')
  if (verdict === 'yes') return
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(token ?? '')) refused('rpc error: Permission denied')
  refused('rpc error: failed to parse signed token: go-jose/go-jose: compact JWS format must have three parts')
}

function refused(reason: string): never {
  throw new Refused(1008, reason)
}

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

interface ActionTask {
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
