import * as api from '../../../api/kv.ts'
import type { Context } from '../../../core/context.ts'
import type { ItemRun } from '../../../bulk/task.ts'
import { TugError } from '../../../core/errors.ts'
import { versionWords } from '../messages.ts'
import { sendWrite } from '../write.ts'
import type { DeletedReader } from './snapshot.ts'

/** Attempts to delete versions again that were restored to be read. */
const mostTries = 8

/**
 * Reads deleted versions by restoring them, reading them, and deleting them again. The delete is repeated until it succeeds; if it
 * doesn't, a warning has the command line for it. `leave` notes the versions for the run that resumes one that was killed meanwhile.
 */
export function deletedReader(context: Context, path: string, leave?: ItemRun['leave']): DeletedReader {
  return async (versions, read) => {
    const parts = { body: { versions: [...versions] } }
    leave?.(`deleted ${versions.join(',')}`)
    try {
      await sendWrite(context, path, api.undeleteVersions({ path }, parts))
    } catch (error) {
      if (!isRefused(error)) await deleteAgain()
      throw error
    }
    try {
      await read()
    } finally {
      await deleteAgain()
    }

    async function deleteAgain(): Promise<void> {
      for (let tries = 1; ; tries += 1) {
        try {
          await sendWrite(context, path, api.deleteVersions({ path }, { ...parts, policy: { cleanup: true } }))
          return
        } catch (error) {
          if (!(error instanceof TugError)) throw error
          if (tries === mostTries || error.code === 'interrupted') {
            const line = context.commandLine('kv delete', path, '--versions', versions.join(','))
            context.io.warn(`${versionWords(versions)} of ${path} may still be readable; delete again: ${line}`)
            throw error
          }
          await context.sleep(100 * 2 ** tries)
        }
      }
    }
  }
}

/** True if a request was certainly not carried out. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof TugError) || error.reason === 'in_doubt') return false
  return error.code === 'usage' || (error.facts.status !== undefined && error.facts.status < 500)
}

/** Deletes the versions again that an earlier run restored to read, and was killed before it could; `left` is what it noted. */
export async function deleteLeft(context: Context, path: string, left: ItemRun['left']): Promise<void> {
  const versions = /^deleted ([\d,]+)$/
    .exec(left ?? '')?.[1]
    ?.split(',')
    .map(Number)
  if (versions !== undefined)
    await sendWrite(context, path, api.deleteVersions({ path }, { body: { versions }, allow: [404] }))
}
