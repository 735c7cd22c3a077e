import * as api from '../../../api/kv.ts'
import { originOf } from '../../../core/address.ts'
import type { HttpResponse } from '../../../core/connection.ts'
import type { Context } from '../../../core/context.ts'
import type { Memory } from '../../../core/http.ts'
import { isForbidden, TugError } from '../../../core/errors.ts'
import { flagName } from '../../../core/param.ts'
import { shellQuote } from '../../../core/shell.ts'
import { asFolder } from '../data/paths.ts'

// A version 1 engine stores whatever is written to it under the literal path of the request, and answers like a version 2 engine
// (docs/servers.md, Versions of the engine).

/** The commands that read a version 1 engine too. */
const readers = new Set(['get', 'list', 'tree', 'find', 'export', 'copy', 'exec', 'diff'])

/**
 * Looks at the mount, once per run: what it is, if it is shown to be anything but a version 2 engine. Undefined also if the server
 * doesn't tell: the specification has no such path, so whatever goes wrong here prevents nothing.
 */
export function otherEngine(context: Context): NonNullable<Memory['engine']> {
  const { http, settings, io } = context
  http.memory.engine ??= http.send({ ...api.readMount({}), policy: { retries: 0 } }).then(
    ({ value: { data } }) => {
      const { type, options } = data
      const { mount } = settings.route
      const parent = asFolder(data.path ?? '')
      if (parent !== '' && mount.startsWith(`${parent}/`)) {
        const place = mount.slice(parent.length + 1)
        io.warnAlways(
          `${mount}/ is not a mount, but a path in ${parent}/: use --mount ${shellQuote(parent)} and ${place}/…`,
        )
      }
      if (type === undefined || type === null || type === 'kv-v2') return undefined
      if (type !== 'kv' && type !== 'generic') return { words: `an engine of type ${type}`, isVersion1: false }
      return options?.version === '2' ? undefined : { words: 'a version 1 key-value engine', isVersion1: true }
    },
    (error: unknown) => {
      if (!(error instanceof TugError) || ['interrupted', 'terminated', 'hung_up'].includes(error.code)) throw error
      http.memory.hasNoLookup = !isForbidden(error)
      // Products answer something else for a mount that doesn't exist.
      if (error.reason === 'nothing_there' && settings.dialect === 'hashicorp')
        io.warnAlways(`${addressOf(context)} answers 404 to the mount lookup too: is the path of the address right?`)
      return undefined
    },
  )
  return http.memory.engine
}

function addressOf({ http }: Context): string {
  const address = http.connection.address()
  return originOf(address) + address.basePath
}

/** Notes that an answer has shown a version 2 engine, so that nothing asks for the mount any more. */
export function showsVersion2({ http }: Context): void {
  http.memory.engine ??= Promise.resolve(undefined)
}

/**
 * Refuses a write that a version 1 engine would store as a plain key, or that would remove one, before it is sent: the answer
 * would not show it. `key` is the path of the request in the mount, and so the plain key: `data/app/db`.
 */
export function refuseVersion1(context: Context, key: string): Promise<void> {
  return requireVersion2(context, `'${key}' would be a plain key there, and nothing was sent`)
}

/**
 * After a 404 or an empty list of the root, which other engines answer too: true if this is a version 1 engine and the command
 * reads those. Throws for every other engine than one of version 2.
 */
export async function isReadAsVersion1(context: Context): Promise<boolean> {
  const other = await otherEngine(context)
  if (other?.isVersion1 === true && readers.has(context.commandPath.at(-1) ?? '')) return true
  await requireVersion2(context)
  return false
}

/** Refuses every other engine than one of version 2. */
export async function requireVersion2(context: Context, why = 'this command needs version 2'): Promise<void> {
  const other = await otherEngine(context)
  if (other === undefined) return
  // Of the mount that is written to, a copy to another one is no way out.
  const mayCopy = other.isVersion1 && context.mountKey === 'mount'
  const copy = () => context.commandLine('kv copy', '/', ['--recursive'])
  const hint = () =>
    `version 1 has no check-and-set, and its deletes are final: use vault kv or bao kv there, or ${copy()} --to-mount <mount of version 2>`
  throw wrongEngine(context, `${other.words}; ${why}`, ...(mayCopy ? [hint()] : []))
}

/** The error of a mount that is not what the command needs. */
export function wrongEngine({ settings, mountKey }: Context, what: string, ...hints: string[]): TugError {
  return new TugError('failed', `${settings.route.mount}/ is ${what}`, {
    service: 'secrets',
    reason: 'version_1',
    endsRun: true,
    hints: [...hints, `choose another mount with ${flagName(mountKey)}`],
  })
}

/** GET of the engine's settings. */
export async function readConfig(context: Context): Promise<HttpResponse<{ readonly data: api.EngineConfig }>> {
  const response = await context.http.send(api.readConfig({}, { allow: [404] }))
  if (response.status !== 404) return response
  await requireVersion2(context)
  throw response.failure()
}
