import type { MountFacts } from '../../api/kv.ts'
import { readMount } from '../../api/kv.ts'
import { whenKnown } from '../../core/answer.ts'
import type { Context, HttpResponse } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import { encodeSegments } from '../../core/request.ts'

// A version 1 engine stores whatever is written to it under the literal path of the request, and answers like a version 2 engine
// (docs/servers.md, Versions of the engine).

/** The error for an answer without metadata: the mount is not a version 2 engine, and what was read is a literal key. */
export function notVersion2(
  context: Context,
  { status }: HttpResponse,
  endpoint: 'data' | 'subkeys',
  path: string,
): TugError {
  const { mount } = context.settings.route
  return new TugError('failed', `${mount}/ is not a version 2 key-value engine: its answer has no metadata`, {
    status,
    service: 'secrets',
    reason: 'version_1',
    hints: [
      `read the literal key: ${rawLine(context, 'GET', `${endpoint}/${path}`)}`,
      'choose another mount with --mount',
    ],
  })
}

/** The error for a write that a version 1 engine stored as a literal key. */
export function storedLiterally(context: Context, path: string): TugError {
  const { mount } = context.settings.route
  return new TugError(
    'failed',
    `${mount}/ is not a version 2 key-value engine: it stored the whole request as the plain key 'data/${path}' (members data and options), not as a version of ${path}`,
    {
      status: 204,
      service: 'secrets',
      reason: 'version_1',
      hints: [`remove it: ${rawLine(context, 'DELETE', `data/${path}`)}`, 'choose another mount with --mount'],
    },
  )
}

/**
 * Refuses a write that a version 1 engine would store as a plain key, or that would remove one, before it is sent: the answer
 * would not show it. `place` is the path in the mount, and so the plain key.
 */
export async function refuseVersion1(context: Context, place: string): Promise<void> {
  const kind = await unversionedKind(context)
  if (kind !== undefined)
    throw unversioned(context, kind, `'${place}' would be a plain key there, and nothing was sent`)
}

/** As `refuseVersion1` for many writes to one mount: asks the server once. */
export function version1Check(context: Context): (place: string) => Promise<void> {
  let check: Promise<void> | undefined
  return (place) => (check ??= refuseVersion1(context, place))
}

/** Throws if the mount is not a version 2 engine, after an answer that such a mount gives too: a 404, or an empty list. */
export async function explainEmpty(context: Context): Promise<void> {
  const kind = await unversionedKind(context).catch((error: unknown) => {
    if (error instanceof TugError && error.facts.status !== undefined) return undefined
    throw error
  })
  if (kind !== undefined) throw unversioned(context, kind, 'these commands need version 2')
}

function unversioned(context: Context, kind: string, meaning: string): TugError {
  const { mount } = context.settings.route
  return new TugError('failed', `${mount}/ is ${kind}; ${meaning}`, {
    service: 'secrets',
    reason: 'version_1',
    hints: ['choose another mount with --mount'],
  })
}

/**
 * What the mount is, if it is shown to be anything but a version 2 engine. Undefined also if the server doesn't say: a server of
 * the specification has no such path, and others refuse it to some tokens.
 */
async function unversionedKind(context: Context): Promise<string | undefined> {
  const response = await context.http.send(readMount({}, { allow: [400, 403, 404, 405, 501] }))
  if (response.status !== 200) return undefined
  return whenKnown(
    response.value,
    ({ data }) => kindOf(data),
    () => undefined,
  )
}

function kindOf({ type, options }: MountFacts): string | undefined {
  if (type === undefined || type === null) return undefined
  if (type !== 'kv' && type !== 'generic') return type === 'kv-v2' ? undefined : `an engine of type ${type}`
  return options?.version === '2' ? undefined : 'a version 1 key-value engine'
}

function rawLine(context: Context, method: string, place: string): string {
  return context.commandLine(`api secrets ${method}`, encodeSegments(`${context.settings.route.mount}/${place}`))
}
