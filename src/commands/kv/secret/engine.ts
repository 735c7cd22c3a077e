import * as api from '../../../api/kv.ts'
import type { MountFacts } from '../../../api/kv.ts'
import type { Names } from '../../../api/secrets.ts'
import { requestNames } from '../../../api/secrets.ts'
import type { HttpResponse } from '../../../core/connection.ts'
import type { CommandSettings, Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { RequestPolicy } from '../../../core/request.ts'
import { encodeSegments } from '../../../core/request.ts'

// A version 1 engine stores whatever is written to it under the literal path of the request, and answers like a version 2 engine
// (docs/servers.md, Versions of the engine).

/** What is mounted, if it isn't a version 2 key-value engine. */
interface OtherEngine {
  readonly words: string
  readonly isVersion1: boolean
}

/** What the mounts of this run are; undefined for version 2, and where the server doesn't tell. */
const engines = new WeakMap<CommandSettings, Promise<OtherEngine | undefined>>()

/** The commands that read a version 1 engine too. */
const readers = new Set(['get', 'list', 'tree', 'find', 'export', 'copy'])

/**
 * Looks at the mount, once per run: what it is, if it is shown to be anything but a version 2 engine. Undefined also if the server
 * doesn't tell: the specification has no such path, so whatever goes wrong here prevents nothing.
 */
async function otherEngine(context: Context): Promise<OtherEngine | undefined> {
  const known = engines.get(context.settings)
  if (known !== undefined) return known
  const look = lookAtMount(context)
  engines.set(context.settings, look)
  return look
}

/** Notes that an answer has shown a version 2 engine, so that nothing asks for the mount any more. */
export function showsVersion2({ settings }: Context): void {
  if (!engines.has(settings)) engines.set(settings, Promise.resolve(undefined))
}

async function lookAtMount({ http }: Context): Promise<OtherEngine | undefined> {
  try {
    const { value } = await http.send({ ...api.readMount({}), policy: { retries: 0 } })
    return engineIn(value.data)
  } catch (error) {
    const isStopped = !(error instanceof TugError) || ['interrupted', 'terminated', 'hung_up'].includes(error.code)
    if (isStopped) throw error
    return undefined
  }
}

function engineIn({ type, options }: MountFacts): OtherEngine | undefined {
  if (type === undefined || type === null) return undefined
  if (type !== 'kv' && type !== 'generic')
    return type === 'kv-v2' ? undefined : { words: `an engine of type ${type}`, isVersion1: false }
  return options?.version === '2' ? undefined : { words: 'a version 1 key-value engine', isVersion1: true }
}

/**
 * Refuses a write that a version 1 engine would store as a plain key, or that would remove one, before it is sent: the answer
 * would not show it. `place` is the path in the mount, and so the plain key.
 */
export async function refuseVersion1(context: Context, place: string): Promise<void> {
  const other = await otherEngine(context)
  if (other !== undefined)
    throw wrongEngine(context, `${other.words}; '${place}' would be a plain key there, and nothing was sent`)
}

/**
 * After a 404 or an empty list of the root, which other engines answer too: true if this is a version 1 engine and the command
 * reads those. Throws for every other engine than one of version 2.
 */
export async function isReadAsVersion1(context: Context): Promise<boolean> {
  const other = await otherEngine(context)
  if (other?.isVersion1 === true && readers.has(context.commandPath.at(-1) ?? '')) return true
  await explainEmpty(context)
  return false
}

/** The same for what only a version 2 engine has. */
export async function explainEmpty(context: Context): Promise<void> {
  const other = await otherEngine(context)
  if (other !== undefined) throw needsVersion2(context, other.words)
}

/** The names in a folder of either version of the engine; a 404 without a text is an empty list. */
export async function listFolder(context: Context, path: string, policy: RequestPolicy = {}): Promise<Names> {
  const found = await requestNames(context, { ...api.list({ path }), policy })
  const isNothing = found.missing !== undefined || (path === '' && found.names.length === 0)
  if (isNothing && (await isReadAsVersion1(context)))
    return requestNames(context, { ...api.listVersion1({ path }), policy })
  return found
}

/** The error of a mount that is not what the command needs. */
function wrongEngine({ settings }: Context, what: string, ...hints: string[]): TugError {
  return new TugError('failed', `${settings.route.mount}/ is ${what}`, {
    service: 'secrets',
    reason: 'version_1',
    hints: [...hints, 'choose another mount with --mount'],
  })
}

/** A command line about a literal key. */
function rawLine({ commandLine, settings }: Context, method: string, place: string): string {
  return commandLine(`api secrets ${method}`, encodeSegments(`${settings.route.mount}/${place}`))
}

/** The error of a read whose answer is a literal key. */
export function withoutVersions(context: Context, status: number, place: string): TugError {
  return wrongEngine(
    context,
    'not a version 2 key-value engine: its answer has no metadata',
    `read the literal key: ${rawLine(context, 'GET', place)}`,
  ).with({ status })
}

/** The error of a write that was stored as a literal key. */
export function storedLiterally(context: Context, path: string): TugError {
  return wrongEngine(
    context,
    `not a version 2 key-value engine: it stored the whole request as the plain key 'data/${path}' (members data and options), not as a version of ${path}`,
    `remove it: ${rawLine(context, 'DELETE', `data/${path}`)}`,
  ).with({ status: 204 })
}

/** The error of a command that needs versions; `kind` is what the mount is. */
export function needsVersion2(context: Context, kind: string): TugError {
  return wrongEngine(context, `${kind}; these commands need version 2`)
}

/** GET of the engine's settings. */
export async function readConfig(context: Context): Promise<HttpResponse<{ readonly data: api.EngineConfig }>> {
  const response = await context.http.send(api.readConfig({}, { allow: [404] }))
  if (response.status !== 404) return response
  await explainEmpty(context)
  throw response.failure()
}
