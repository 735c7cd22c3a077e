import type { MountFacts } from '../../api/kv.ts'
import { readMount } from '../../api/kv.ts'
import { whenKnown } from '../../core/answer.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import { needsVersion2, wouldBePlainKey } from './messages.ts'

// A version 1 engine stores whatever is written to it under the literal path of the request, and answers like a version 2 engine
// (docs/servers.md, Versions of the engine).

/**
 * Refuses a write that a version 1 engine would store as a plain key, or that would remove one, before it is sent: the answer
 * would not show it. `place` is the path in the mount, and so the plain key.
 */
export async function refuseVersion1(context: Context, place: string): Promise<void> {
  const kind = await unversionedKind(context)
  if (kind !== undefined) throw wouldBePlainKey(context, kind, place)
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
  if (kind !== undefined) throw needsVersion2(context, kind)
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
