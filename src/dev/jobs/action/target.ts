import { tmpdir } from 'node:os'
import { parseBoolean } from '../../go.ts'
import type { DevRequest } from '../../http.ts'
import { secretOf, type Access } from '../api/tokens.ts'
import { tasksOf } from '../client/tasks.ts'
import { indexIn, objects, strings, text } from '../state/documents.ts'
import type { Allocation } from '../state/model.ts'
import { readHandshake, type Inbox } from './frames.ts'
import { findCommand, type ActionCommand } from './process.ts'

/** What an action needs of the scheduler. */
export interface ActionBackend {
  readonly allocations: { get(id: string): Allocation | undefined }
  readonly access: Access
  /** Aborted when the service closes: ends connections and the commands that run. */
  readonly closed: AbortSignal
}

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
  const token = await authenticate(request, inbox)
  return { command: locate(request, token, backend), tty }
}

/** A boolean in the query; absent and empty are false. */
function booleanOf(code: 1008 | 1011, name: string, given: string | null): boolean {
  const value = parseBoolean(given || 'false')
  if (value === undefined) throw new Refused(code, `${name} value is not a boolean: ${JSON.stringify(given)}`)
  return value
}

/** The token of the header, or with `ws_handshake=true` that of the first frame. */
async function authenticate(request: DevRequest, inbox: Inbox): Promise<string | undefined> {
  const header = secretOf(request)
  if (!booleanOf(1008, 'ws_handshake', request.query.get('ws_handshake'))) return header
  const { version, token } = await inbox
    .next()
    .then(readHandshake)
    .catch((error: Error) => refused(error.message))
  if (version !== 1) refused(`unexpected handshake value: ${version}`)
  if (header !== undefined && header !== token) refused('handshake auth token mismatched auth header token')
  return token === '' ? undefined : token
}

/** Finds the command. Checks come in the order of real servers: allocation, permission, task, job, action, state. */
function locate(request: DevRequest, token: string | undefined, backend: ActionBackend): ActionCommand {
  const { query } = request
  const jobId = request.segments.slice(2, -1).join('/')
  const allocation = allocationOf(request, backend)
  demandPermission(token, backend.access)

  const taskName = query.get('task') || refused('must provide task name')
  const actionName = query.get('action') || refused('command is not present')
  if (allocation.jobId !== jobId) refused(`job ${jobId} does not have allocation ${allocation.id}`)
  const task =
    tasksOf(allocation).find((one) => text(one, 'Name') === taskName) ??
    refused(`task ${taskName} not found in allocation ${allocation.id}`)
  if (allocation.tasks.get(taskName)?.state !== 'running') refused(`task "${taskName}" is not running.`)
  const action =
    objects(task, 'Actions').find((one) => text(one, 'Name') === actionName) ??
    refused(`action ${actionName} not found in task ${taskName}`)

  const searchPath = process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'
  const found = findCommand(text(action, 'Command'), searchPath)
  if ('failure' in found) {
    throw new Refused(1011, `rpc error: code = Unknown desc = failed to start command: ${found.failure}`)
  }
  const facts = {
    ALLOC_ID: allocation.id,
    ALLOC_INDEX: String(indexIn(allocation.name)),
    JOB_ID: allocation.jobId,
    GROUP_NAME: allocation.group,
    TASK_NAME: taskName,
    NAMESPACE: allocation.namespace,
  }
  // Job files use the product's names whatever the dialect of the caller.
  const prefixes = request.dialect === 'hashicorp' ? ['NOMAD'] : ['NOMAD', 'SCHEDULER']
  const known = prefixes.flatMap((prefix) => Object.entries(facts).map(([name, value]) => [`${prefix}_${name}`, value]))
  return {
    file: found.file,
    args: strings(action, 'Args'),
    folder: tmpdir(),
    env: {
      PATH: searchPath,
      HOME: tmpdir(),
      LANG: 'C.UTF-8',
      // Programs of Windows don't start without it.
      ...(process.platform === 'win32' ? { SystemRoot: process.env['SystemRoot'] ?? 'C:\\Windows' } : {}),
      ...Object.fromEntries(known),
    },
  }
}

function allocationOf({ query, dialect }: DevRequest, { allocations }: ActionBackend): Allocation {
  const id = query.get('allocID') || (dialect === 'neutral' && query.get('alloc_id')) || refused('missing AllocID')
  if (id.length !== 36) throw new Refused(1011, 'alloc lookup failed: index error: UUID must be 36 characters')
  return allocations.get(id) ?? refused(`Unknown allocation "${id}"`)
}

function demandPermission(token: string | undefined, access: Access): void {
  if (access.mayWrite(token)) return
  if (token === undefined || access.knows(token)) throw new Refused(1011, 'Permission denied')
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(token)) refused('rpc error: Permission denied')
  refused('rpc error: failed to parse signed token: go-jose/go-jose: compact JWS format must have three parts')
}

function refused(reason: string): never {
  throw new Refused(1008, reason)
}
