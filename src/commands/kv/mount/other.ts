import * as api from '../../../api/kv.ts'
import type { Context } from '../../../core/context.ts'
import { asFolder } from '../data/paths.ts'
import { otherEngine } from './engine.ts'

/**
 * The mount at the beginning of a path, if it is another one than the command's, and the rest of the path: people type a mount there, as other
 * tools read it. Undefined if `--mount` was typed, or if the server doesn't tell.
 */
export async function mountIn(
  context: Context,
  path: string,
): Promise<{ readonly mount: string; readonly rest: string } | undefined> {
  const { http, settings } = context
  if (!path.includes('/') || settings.targetFlags.includes('--mount')) return undefined
  await otherEngine(context)
  if (http.memory.hasNoLookup === true) return undefined
  const found = await http.send({ ...api.readMount({ mount: path }), policy: { retries: 0 } }).then(
    ({ value }) => asFolder(value.data.path ?? ''),
    () => '',
  )
  const isOther = found !== '' && found !== settings.route.mount && path.startsWith(`${found}/`)
  return isOther ? { mount: found, rest: path.slice(found.length + 1) } : undefined
}

/** The hint for a missing path that begins with another mount: the command line for that mount. */
export async function otherMountHint(context: Context, path: string, end: '' | '/' = ''): Promise<string | undefined> {
  const other = await mountIn(context, path + end)
  if (other === undefined) return undefined
  const meant = other.rest.replace(/\/$/, '')
  const flag = ['--mount', other.mount] as const
  // No line about all secrets is suggested for a write.
  const line = meant === '' ? context.commandLine('kv list', flag) : context.lineWith(path, meant, flag)
  return `${other.mount}/ is a mount of its own: ${line}`
}
