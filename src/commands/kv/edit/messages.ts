import type { Context } from '../../../core/context.ts'
import type { ErrorCode } from '../../../core/errors.ts'
import { TugError } from '../../../core/errors.ts'
import { seeChanges } from '../change-messages.ts'
import type { LineFlag } from '../../../core/shell.ts'

export const noPrivateFolder = (parent: string) =>
  new TugError('failed', `cannot make a private temporary file in ${parent}`)
export const editorFailed = (code: ErrorCode, status: number) =>
  new TugError(code, `the editor exited with status ${status}; nothing was written`)
export const editorLeftNothing = () => new TugError('failed', 'the editor left no file; nothing was written')
/** What was edited was not written, and is in a file; `version` is the one that it replaces. */
export const editKept = (
  context: Context,
  error: TugError,
  { path, file, version }: { path: string; file: string; version: string },
) => {
  const write = (...cas: LineFlag) => context.commandLine('kv put', path, `@${file}`, cas)
  const next =
    error.reason === 'in_doubt'
      ? [`if it was not written, write it: ${write('--cas', version)}`]
      : error.code === 'conflict'
        ? [
            seeChanges(context, path, ['--from', version]),
            `write yours on top of it: ${write('--cas <their version>')}`,
          ]
        : [`write it: ${write('--cas', version)}`]
  const where = `your text is in ${file}${context.io.platform === 'win32' ? '' : ' (readable only by you)'}; remove it when you are done`
  return error.with({ hints: [...error.hints, where, ...next] })
}
