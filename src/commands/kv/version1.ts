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
 * What to say about a write in case the mount is of version 1: both engines answer it with nothing, so its answer doesn't show which one
 * it was. `place` is the path in the mount, and so the literal key.
 */
export function ifVersion1(context: Context, place: string): string {
  // The line that removes the key on a version 1 engine would remove the whole secret on a version 2 engine.
  const next = place.startsWith('metadata/')
    ? `to see the version: ${versionLine(context)}`
    : `to remove it: ${rawLine(context, 'DELETE', place)}`
  return `on a version 1 engine this only stored the plain key '${place}'; ${next}`
}

/** The same about a delete, which has no undo there; `undo` is the command line for version 2, if it has one. */
export function ifVersion1Removed(place: string, undo?: string): string {
  const otherwise = undo === undefined ? '' : `; otherwise, to undo: ${undo}`
  return `on a version 1 engine this removed the plain key '${place}' for good${otherwise}`
}

/** A hint how to find out the version of a mount that seems to be empty. */
export function versionCheck(context: Context): string {
  return `a version 1 engine gives the same answer; to see the version: ${versionLine(context)}`
}

function versionLine(context: Context): string {
  const { mount } = context.settings.route
  return context.commandLine('api secrets GET', `sys/internal/ui/mounts/${encodeSegments(mount)}`)
}

function rawLine(context: Context, method: string, place: string): string {
  return context.commandLine(`api secrets ${method}`, encodeSegments(`${context.settings.route.mount}/${place}`))
}
