import { mkdtempSync, promises, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import * as api from '../../../api/kv.ts'
import { DryRunEnd, whenKnown } from '../../../core/answer.ts'
import type { Result } from '../../../core/command.ts'
import { command, writeFacts } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, exitCodes, usageError } from '../../../core/errors.ts'
import { entriesOf, objectFrom, stringifyJson } from '../../../core/json.ts'
import { flag } from '../../../core/param.ts'
import { fileText, withoutMark } from '../../../core/words.ts'
import { childEnvironment, keepTokensFlag } from '../child-environment.ts'
import { checkValues } from '../data/check.ts'
import { readMapText } from '../data/document.ts'
import { ifThere } from '../latest.ts'
import { refuseMisplaced, secretPath } from '../place.ts'
import type { Secret } from '../read.ts'
import { readSecret } from '../read.ts'
import { mapOf, registerSecrets } from '../values.ts'
import { writeChange } from '../write-change.ts'
import { unchangedResult } from '../write.ts'
import * as messages from './messages.ts'

type EditFormat = 'yaml' | 'json'

export const edit = command({
  name: 'edit',
  summary: 'Edit a secret in your editor, and write it unless there was a concurrent change',
  description: `Puts the latest version into a private temporary file (mode 0600, in $XDG_RUNTIME_DIR if set), runs $VISUAL or $EDITOR (on Windows, by default, notepad) on it, and writes the result with check-and-set. The file is removed unless it has text that was not written, because of an error or because the editor failed: then the message says where it is and how to continue. An unchanged or empty file writes nothing. A missing secret is created. The editor gets no variables with tokens, unless --keep-tokens is given.`,
  also: [api.readData, api.writeData, api.list],
  params: {
    path: secretPath,
    format: flag.choice('format of the file', ['yaml', 'json'], { defaultText: 'yaml' }),
    keepTokens: keepTokensFlag,
  },
  examples: [
    { line: 'kv edit app/db', note: 'as YAML, in $VISUAL or $EDITOR' },
    { line: 'kv edit app/db --format json', note: 'as JSON' },
  ],
  async run({ path, format = 'yaml', keepTokens }, context): Promise<Result> {
    const { env, platform } = context.io
    const editor = env['VISUAL'] || env['EDITOR'] || (platform === 'win32' ? 'notepad' : '')
    if (editor === '')
      throw usageError(
        '$EDITOR is not set',
        `export EDITOR=vi, or use ${context.commandLine('kv set', path)} <key>=<value>`,
      )
    const current = await ifThere(readSecret(context, path))
    if (current === undefined) await refuseMisplaced(context, path)
    return whenKnown(
      current?.data ?? null,
      () => editAndWrite(context, path, current, { editor, format, env: childEnvironment(context, keepTokens) }),
      () => writeChange(context, path, { current, data: objectFrom([['…', 'as edited']]) }),
    )
  },
})

interface Editing {
  /** A command line. */
  readonly editor: string
  readonly format: EditFormat
  readonly env: Readonly<Record<string, string | undefined>>
}

async function editAndWrite(
  context: Context,
  path: string,
  current: Secret | undefined,
  { editor, format, env }: Editing,
): Promise<Result> {
  const text = await textOf(context, path, current, format)
  const folder = privateFolder(context)
  const file = join(folder, `${path.replace(/[^\w.-]+/g, '-').slice(-60)}.${format}`)
  let isWritten = false
  // An edited text survives whatever happens, until it is written.
  const clean = () => {
    if (isWritten || !isEdited(file, text, format)) rmSync(folder, { recursive: true, force: true })
  }
  const forgetExit = context.onExit(clean)
  try {
    // At once: what a signal removes must not be written after that.
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
    const status = await context.runLine(editor, file, env)
    if (status !== 0) throw editorFailed(status)
    const bytes = await promises.readFile(file).catch(() => {
      throw messages.editorLeftNothing()
    })
    if (!isEdited(file, text, format))
      return current === undefined ? notCreated(path) : unchangedResult('edit', path, current.version)
    const data = await readMapText(fileText(bytes, file), file, format)
    registerSecrets(context.io, data, path)
    checkValues(context.io, entriesOf(data))
    const result = await writeChange(context, path, { current, data })
    isWritten = true
    return result
  } catch (error) {
    // No editor runs in a dry run.
    if (error instanceof DryRunEnd)
      return writeChange(context, path, { current, data: objectFrom([['…', 'as edited']]) })
    if (!isEdited(file, text, format) || !(error instanceof TugError)) throw error
    throw messages.editKept(context, error, { path, file, version: String(current?.version ?? 0) })
  } finally {
    forgetExit()
    clean()
  }
}

/** True for a file with another text than `text`, unless it is empty or missing. */
function isEdited(file: string, text: string, format: EditFormat): boolean {
  let edited: string
  try {
    edited = withoutMark(readFileSync(file, 'utf8'))
  } catch {
    return false
  }
  const content = format === 'yaml' ? edited.replace(/^\s*#.*/gm, '') : edited
  return edited !== text && content.trim() !== ''
}

function notCreated(path: string): Result {
  return {
    done: `nothing was written: ${path} doesn't exist, and the file was left as it was`,
    data: writeFacts('edit', { path }, false),
  }
}

async function textOf(
  context: Context,
  path: string,
  current: Secret | undefined,
  format: EditFormat,
): Promise<string> {
  const data = mapOf(current?.data ?? null)
  if (format === 'json') return `${stringifyJson(data, 2)}\n`
  const { toYaml } = await import('../../../output/yaml.ts')
  const { mount } = context.settings.route
  const version = current === undefined ? 'new' : `version ${String(current.version)}`
  return `# ${mount}/${path}, ${version}. Save and leave to write it; an empty file writes nothing.\n${
    Object.keys(data).length === 0 ? '' : toYaml(data)
  }`
}

/** A folder for the file that only we can read; in the runtime folder of the session, which is not on a disk, if it exists. */
function privateFolder({ io }: Context): string {
  for (const parent of [io.env['XDG_RUNTIME_DIR'], tmpdir()]) {
    // A relative one counts as unset, as its standard demands.
    if (parent === undefined || !isAbsolute(parent)) continue
    try {
      return mkdtempSync(join(parent, 'tug-edit-'))
    } catch {
      // The variable may name a missing folder, after a change of user or in a container.
    }
  }
  throw messages.noPrivateFolder(tmpdir())
}

/** If a signal ended the editor, the exit code is that signal's. */
function editorFailed(status: number): TugError {
  const code = (['hung_up', 'interrupted', 'terminated'] as const).find((one) => exitCodes[one] === status) ?? 'failed'
  return messages.editorFailed(code, status)
}
