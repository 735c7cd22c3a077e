import type { Context } from '../../../core/context.ts'
import { usageError } from '../../../core/errors.ts'
import { argument, flag, path } from '../../../core/param.ts'
import { flagText } from '../../../core/shell.ts'
import { firstNames, plural } from '../../../core/words.ts'
import type { BackupFile } from '../backup/file.ts'
import { openBackup } from '../backup/file.ts'

/** The arguments of `restore` and `verify`. */
export const sourceParams = {
  file: argument.text('file of kv backup (-: standard input)', {
    placeholder: 'file',
    required: true,
    complete: 'file',
  }),
  path: path.folder('folder to compare with (default: where the secrets came from)', { complete: 'secret-path' }),
  partial: flag.boolean('accept a file that ends early, and use the secrets it contains'),
}

/** A backup, and the folder in the mount that it is about. */
export interface Source {
  readonly file: BackupFile
  /** Relative to the mount. */
  readonly base: string
  /** False if the base is where the secrets came from. */
  readonly isPathTyped: boolean
  /** True if this is a whole mount, and its settings therefore a part of the backup. */
  readonly isMount: boolean
}

/** Opens and checks a backup. Throws before anything is sent. */
export async function openSource(
  context: Context,
  typed: { readonly file: string; readonly path: string | undefined; readonly partial: boolean | undefined },
): Promise<Source> {
  const file = await openBackup(context.io, typed.file, { partial: typed.partial === true })
  const { name, end, header } = file
  if (end === undefined) context.io.doubt(`${name} is incomplete: the secrets after its last whole line are missing`)
  const paths = (end?.missing ?? []).map((missing) => missing.path)
  if (paths.length > 0)
    context.io.doubt(`${name} lacks ${plural(paths.length, 'path')} that could not be read: ${firstNames(paths)}`)
  checkMount(context, header.mount)
  const base = typed.path ?? header.path
  return { file, base, isPathTyped: typed.path !== undefined, isMount: base === '' && header.path === '' }
}

/** The default mount is not chosen for a backup of another one: it has to be named. */
function checkMount(context: Context, mount: string): void {
  const { io, settings } = context
  const isChosen = settings.targetFlags.includes('--mount') || (io.env['TUG_KV_MOUNT'] ?? '') !== ''
  const target = settings.route.mount
  if (isChosen || mount === target || target !== 'secret') return
  throw usageError(
    `the backup is of the mount ${mount}/, and no mount was given`,
    `pass ${flagText(['--mount', mount])}, or ${flagText(['--mount', target])}`,
  )
}
