import * as api from '../../../api/kv.ts'
import type { NameList } from '../../../api/secrets.ts'
import { sendList } from '../../../api/secrets.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { RequestPolicy } from '../../../core/request.ts'
import { folderOf } from '../data/paths.ts'
import { isReadAsVersion1 } from './engine.ts'

/** The names in a folder of either version of the engine. `missing` is the error for a folder that doesn't exist. */
export async function listFolder(context: Context, path: string, policy: RequestPolicy = {}): Promise<NameList> {
  let found = await sendList(context, { ...api.list({ path }), policy })
  const isNothing = found.missing !== undefined || (path === '' && found.value.length === 0)
  if (isNothing && (await isReadAsVersion1(context)))
    found = await sendList(context, { ...api.listVersion1({ path }), policy })
  if (found.missing === undefined) return found
  const misplaced = misplacedHints(context, path, '/')
  const hints = misplaced.length > 0 ? misplaced : [listHint('the folder above', context, folderOf(path))]
  const missing = found.missing.with({
    message: `no such folder in the mount ${context.settings.route.mount}/`,
    hints,
    explain: async (error) => {
      const { otherMountHint } = await import('./other.ts')
      const other = await otherMountHint(context, path, '/')
      return other === undefined ? error : error.with({ hints: [other] })
    },
  })
  return { ...found, missing }
}

/** True if the path of a folder is that of a secret too, as far as the token may know. */
export async function isSecret(context: Context, path: string): Promise<boolean> {
  const request = api.readMetadata({ path }, { allow: [404], policy: { retries: 0 } })
  return context.http.send(request).then(
    ({ status }) => status === 200,
    (error: unknown) => {
      if (error instanceof TugError && error.facts.status === undefined) throw error
      return false
    },
  )
}

/** A hint: `list it: …`. */
export function listHint(what: string, { commandLine }: Context, folder: string): string {
  return `list ${what}: ${commandLine('kv list', ...(folder === '' ? [] : [folder]))}`
}

/** What a path probably means if it begins with the mount or a part of the API; else undefined. */
export function meantPath(context: Context, place: string): string | undefined {
  const { mount } = context.settings.route
  const inMount = place.startsWith(`${mount}/`) ? place.slice(mount.length + 1) : place
  const meant = inMount.replace(/^(?:data|metadata)\//, '')
  return meant === place ? undefined : meant
}

/** Hints for a missing path that begins with the mount: it is relative to the mount, and the right command line. */
export function misplacedHints(context: Context, place: string, end: '' | '/' = ''): string[] {
  // With a slash, the mount itself is its root.
  const meant = meantPath(context, place + end)
  if (meant === undefined) return []
  // No line about all secrets is suggested for a write.
  const line = meant === '' ? context.commandLine('kv list') : context.lineWith(place, meant)
  return [`the path is relative to the mount: ${line}`]
}
