import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Context } from '../../../core/context.ts'
import { argument, flag, readFolder, readLabelled } from '../../../core/param.ts'
import type { BackupFile } from '../backup/file.ts'
import { checkChain, openBackup } from '../backup/file.ts'
import { formatName } from '../backup/record.ts'
import * as messages from './messages.ts'

/** The arguments of `restore` and `verify`. */
export const sourceParams = {
  file: argument.text('file of kv backup (-: standard input)', {
    placeholder: 'file',
    required: true,
    complete: 'file',
  }),
  // The last may be a folder, and an empty one is the mount itself.
  rest: argument.each(
    'incremental backups made on top of it, then the folder (default: where they came from)',
    (text) => text,
    { placeholder: 'path', complete: 'file' },
  ),
  partial: flag.boolean('accept a file that ends early, and use the secrets it contains'),
}

/** What was typed. */
export interface SourceInput {
  readonly file: string
  readonly rest: readonly string[]
  readonly partial: boolean | undefined
}

/** The backups of a line, oldest first, and the folder in the mount that they are about. */
export interface Source {
  readonly files: readonly BackupFile[]
  /** Relative to the mount. */
  readonly base: string
  /** False if the base is where the secrets came from. */
  readonly isPathTyped: boolean
  /** True if this is a whole mount, and its settings therefore a part of the backup. */
  readonly isMount: boolean
}

/** Opens and checks the backups. Throws before anything is sent. */
export async function openSource(context: Context, { file, rest, partial }: SourceInput): Promise<Source> {
  const names = [file, ...rest]
  const last = rest.at(-1)
  const typed = last === undefined || (await isBackup(context, last)) ? undefined : names.pop()
  const path = typed === undefined ? undefined : (readLabelled(readFolder, typed, '<path>') ?? '')
  const files: BackupFile[] = []
  for (const name of names) files.push(await openBackup(context.io, name, { partial: partial === true }))
  for (const { name, end } of files) if (end === undefined) context.io.doubt(messages.cutOff(name))
  if (partial !== true) checkChain(files)
  warnMissing(context, files.at(-1) as BackupFile)
  const { mount, path: from } = (files[0] as BackupFile).header
  checkMount(context, mount)
  const base = path ?? from
  return { files, base, isPathTyped: path !== undefined, isMount: base === '' && from === '' }
}

/** Names what could not be read when the newest backup was made: it is not restored, or as an older backup has it. */
function warnMissing({ io }: Context, { name, end }: BackupFile): void {
  const paths = (end?.missing ?? []).map(({ path }) => path)
  if (paths.length > 0) io.doubt(messages.lacksPaths(name, paths))
}

/** True for a file that begins as backups do; any other word is a folder. */
async function isBackup({ io }: Context, name: string): Promise<boolean> {
  const start = `{"format":"${formatName}"`
  const handle = await open(resolve(io.cwd, name)).catch(() => undefined)
  try {
    const bytes = Buffer.alloc(start.length)
    await handle?.read(bytes, 0, start.length, 0)
    return bytes.toString() === start
  } catch {
    return false
  } finally {
    await handle?.close()
  }
}

/** The default mount is not chosen for a backup of another one: it has to be named. */
function checkMount(context: Context, mount: string): void {
  const { io, settings } = context
  const isChosen = settings.targetFlags.includes('--mount') || (io.env['TUG_KV_MOUNT'] ?? '') !== ''
  const target = settings.route.mount
  if (!isChosen && mount !== target && target === 'secret') throw messages.mountNotGiven(mount, target)
}
