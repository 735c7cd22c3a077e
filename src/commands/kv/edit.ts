import { mkdtempSync, promises, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import * as api from '../../api/kv.ts'
import type { Context } from '../../core/context.ts'
import { TugError, exitCodes, usageError, DryRunEnd } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { objectFrom } from '../../core/json.ts'
import { writeNewFile } from '../../core/new-file.ts'
import { fileText, withoutMark } from '../../core/words.ts'
import type { Decision, Work } from '../../write/work.ts'
import { onlyTarget } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { checkValues } from './data/check.ts'
import { readMapText } from './data/document.ts'
import { childEnvironment, keepTokensFlag } from './data/environment.ts'
import { secretPath } from './data/paths.ts'
import { keyColumns, mapOf, registerSecrets, same } from './data/values.ts'
import { refuseMisplaced, refuseOtherMount } from './mount/misplaced.ts'
import type { Secret } from './secret/index.ts'
import { decideData, readForEdit } from './secret/index.ts'

export const edit = write({
  name: 'edit',
  summary: 'Edit a secret in your editor, and write it unless there was a concurrent change',
  description: `Opens the latest version in $VISUAL or $EDITOR (on Windows, by default, notepad), as a private temporary file (mode 0600, in $XDG_RUNTIME_DIR if set), and writes the result with check-and-set. The file is removed unless it has text that could not be written: then the message says where it is and how to continue. An unchanged or empty file writes nothing. A missing secret is created. The editor gets no variables with tokens, unless --keep-tokens.`,
  also: [api.readData, api.writeData, api.list, api.readMount],
  params: {
    path: secretPath,
    keepTokens: keepTokensFlag,
  },
  examples: [{ line: 'kv edit app/db', note: 'as YAML, in $VISUAL or $EDITOR' }],
  async open({ path, keepTokens }, context): Promise<Work> {
    const { env, platform } = context.io
    const editor = env['VISUAL'] || env['EDITOR'] || (platform === 'win32' ? 'notepad' : '')
    if (editor === '')
      throw usageError(
        '$EDITOR is not set',
        `export EDITOR=vi, or use ${context.commandLine('kv set', path)} <key>=<value>`,
      )
    const found = await readForEdit(context, path)
    const current = found.state === 'live' ? found : undefined
    if (current === undefined) {
      await refuseMisplaced(context, path)
      await refuseOtherMount(context, path)
    }
    const version = current?.version ?? 0
    const edited = await editText(context, path, current, {
      editor,
      env: childEnvironment(context, keepTokens),
    })
    let latest = version
    let isDecided = false
    const decide = async (): Promise<Decision> => {
      if (edited === undefined) {
        const words =
          current === undefined ? 'nothing to write, so it was not created' : `unchanged at version ${version}`
        return { action: 'unchanged', words, guard: version }
      }
      const { data } = edited
      // Read again: check-and-set doesn't notice that the secret was deleted while the editor was open.
      const present = await readForEdit(context, path)
      latest = present.state === 'live' ? present.version : 0
      const isEqual = present.state === 'live' && same(mapOf(present.data), data)
      // After a lost response.
      if (isDecided && isEqual) return { action: 'unchanged', words: 'is written' }
      isDecided = true
      return decideData(context, { path, data, mayReplace: true, cas: isEqual ? undefined : version, present })
    }
    return {
      action: 'edit',
      target: 'path',
      noun: 'secret',
      columns: keyColumns,
      ...onlyTarget(path, { decide }),
      explain: (error) => edited?.kept(error, latest) ?? error,
      close: ({ done, unchanged, isPlan }) => {
        if (isPlan || done + unchanged > 0) edited?.remove()
      },
    }
  },
})

/** An edited secret. Its file is kept until it is written. */
interface Edited {
  readonly data: JsonObject
  readonly remove: () => void
  /** Adds to the error of a write where the text is, and how to write it on top of the latest version. */
  readonly kept: (error: TugError, latest: number) => TugError
}

interface Editing {
  /** A command line. */
  readonly editor: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Has a person edit a secret; undefined if nothing was changed, or everything removed. */
async function editText(
  context: Context,
  path: string,
  current: Secret | undefined,
  { editor, env }: Editing,
): Promise<Edited | undefined> {
  const text = await textOf(context, path, current)
  const folder = privateFolder(context)
  const file = join(folder, `${path.replace(/[^\w.-]+/g, '-').slice(-60)}.yaml`)
  const remove = () => rmSync(folder, { recursive: true, force: true })
  // An edited text survives whatever happens, until it is written.
  let isWritten = false
  const clean = () => {
    if (!isWritten || !isEdited(file, text)) remove()
  }
  const forgetExit = context.onExit(clean)
  const version = current?.version ?? 0
  const kept = (error: TugError, latest = version) => editKept(context, error, { path, file, version, latest })
  try {
    // Synchronously, so that a signal handler can't remove the folder in between.
    writeWhole(file, text)
    isWritten = true
    const status = await context.runLine(editor, file, env)
    if (status !== 0) {
      // If a signal ended the editor, the exit code is that signal's.
      const signals = ['hung_up', 'interrupted', 'terminated'] as const
      const code = signals.find((one) => exitCodes[one] === status) ?? 'failed'
      throw new TugError(code, `the editor exited with status ${status}; nothing was written`)
    }
    const bytes = await promises.readFile(file).catch(() => {
      throw new TugError('failed', 'the editor left no file; nothing was written')
    })
    if (!isEdited(file, text)) return undefined
    const data = await readMapText(fileText(bytes, file), file, 'yaml')
    registerSecrets(context.io, data, path)
    checkValues(context.io, [['', data]])
    return { data, remove, kept }
  } catch (error) {
    // No editor runs in a dry run.
    if (error instanceof DryRunEnd) return { data: objectFrom([['…', 'as edited']]), remove, kept }
    throw isWritten && isEdited(file, text) && error instanceof TugError ? kept(error) : error
  } finally {
    forgetExit()
    clean()
  }
}

/** Writes the file for the editor. What could not be written completely is removed: on a full disk it is a part of the secret. */
function writeWhole(file: string, text: string): void {
  try {
    writeNewFile(file, text)
  } catch (error) {
    const { message } = error as NodeJS.ErrnoException
    throw new TugError('failed', `the temporary file could not be written, and was removed: ${message}`)
  }
}

/** True for a file with another text than `text`, unless it is empty or missing. */
function isEdited(file: string, text: string): boolean {
  let edited: string
  try {
    edited = withoutMark(readFileSync(file, 'utf8'))
  } catch {
    return false
  }
  return edited !== text && edited.replace(/^[ \t]*#.*/gm, '').trim() !== ''
}

/** Adds to an error where the edited text of a version is, and how to write it on top of the latest one. */
function editKept(
  context: Context,
  error: TugError,
  { path, file, version, latest }: { path: string; file: string; version: number; latest: number },
): TugError {
  const { commandLine, io } = context
  const line = commandLine('kv put', path, `@${file}`, ['--cas', String(latest)])
  const isConflict = error.code === 'conflict'
  const next =
    isConflict && latest === version
      ? `see what changed, without values: ${commandLine('kv diff', path, ['--from', String(version)])}`
      : `${error.reason === 'in_doubt' ? 'if it was not written, ' : isConflict ? 'to replace their change, ' : ''}write it: ${line}`
  const owner = io.platform === 'win32' ? '' : ' (readable only by you)'
  const where = `your text is in ${file}${owner}; remove it when you are done`
  return error.with({ hints: [...error.hints, where, next] })
}

async function textOf(context: Context, path: string, current: Secret | undefined): Promise<string> {
  const data = mapOf(current?.data ?? null)
  const { toYaml } = await import('../../output/yaml.ts')
  const { mount } = context.settings.route
  const version = current === undefined ? 'new' : `version ${String(current.version)}`
  return `# ${mount}/${path}, ${version}. Save and leave to write it; an empty file writes nothing.\n${
    Object.keys(data).length === 0 ? '' : toYaml(data)
  }`
}

/** A private folder for the file, in the session's runtime folder if that exists, which is not on a disk. */
function privateFolder({ io }: Context): string {
  for (const parent of [io.env['XDG_RUNTIME_DIR'], tmpdir()]) {
    // By its standard, a relative path counts as unset.
    if (parent === undefined || !isAbsolute(parent)) continue
    try {
      return mkdtempSync(join(parent, 'tug-edit-'))
    } catch {
      // The variable may name a missing folder, after a change of user or in a container.
    }
  }
  throw new TugError('failed', `cannot make a private temporary file in ${tmpdir()}`)
}
