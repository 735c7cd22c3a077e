import type { Context } from '../../core/context.ts'
import { usageError } from '../../core/errors.ts'
import type { Param } from '../../core/param.ts'
import { path } from '../../core/param.ts'

/** The path of a secret, relative to the mount. */
export const secretPath = path.segments('path of the secret, relative to the mount', {
  placeholder: 'path',
  complete: 'secret-path',
})

/** A folder, relative to the mount; by default the root. */
export const folderPath = path.folder('folder, relative to the mount (default: the whole mount)', {
  complete: 'secret-path',
})

/** A secret, or a folder if it ends with a slash; `/` is the root. The command decides which is allowed. */
export function secretOrFolder(summary: string, options: { placeholder?: string; required?: boolean } = {}) {
  const { placeholder = 'path', required = true } = options
  const folder = path.folder(summary, { placeholder, required, complete: 'secret-path' })
  const param: Param<string> = {
    ...folder,
    read: (texts, label) => {
      const bare = folder.read(texts, label) ?? ''
      return bare !== '' && texts.at(-1)?.endsWith('/') === true ? `${bare}/` : bare
    },
  }
  return param
}

/** The path if it names a secret. Throws a usage error for a folder. */
export function asSecret(text: string, hint = '--recursive works on everything below a folder'): string {
  if (text === '' || text.endsWith('/'))
    throw usageError(`'${text === '' ? '/' : text}' names a folder, not a secret`, hint)
  return text
}

/** The path without a trailing slash; '' is the root. */
export function asFolder(text: string): string {
  return text.replace(/\/$/, '')
}

/** `app` and `db` → `app/db`; the root adds nothing. */
export function below(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** A hint for a path that seems to start with the mount or a part of the API; else undefined. */
export function misplaced(context: Context, place: string): string | undefined {
  const { mount } = context.settings.route
  const [first = ''] = place.split('/')
  if (!place.startsWith(`${mount}/`) && first !== 'data' && first !== 'metadata') return undefined
  return `paths are relative to the mount '${mount}': this one means ${mount}/${place}`
}
