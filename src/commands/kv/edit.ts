import * as api from '../../api/kv.ts'
import { rmSync } from 'node:fs'
import { promises } from 'node:fs'
import { join } from 'node:path'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { shellQuote } from '../../core/shell.ts'
import { exitCodes, TugError, usageError } from '../../core/errors.ts'
import { objectFrom, stringifyJson } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import { keysOfLossy, readMapText, utf8Text, warnAboutNumbers } from './data/arguments.ts'
import { childEnvironment } from './exec.ts'
import { secretPath } from './place.ts'
import type { Secret } from './read.ts'
import { mapOf, readIfThere, registerSecrets } from './read.ts'
import { writeChange } from './set.ts'

type EditFormat = 'yaml' | 'json'

export const edit = command({
  name: 'edit',
  summary: 'Edit a secret in your editor, and write it if nobody else did meanwhile',
  description: `Puts the latest version into a private temporary file (mode 0600, in $XDG_RUNTIME_DIR where there is one), runs $VISUAL or $EDITOR on it, and writes the result with check-and-set. The file is removed on every way out, unless your text could not be written: then it stays, and the message names it and how to go on. An unchanged or empty file writes nothing. A secret that is not there yet is made.`,
  also: [api.readData, api.writeData],
  params: {
    path: secretPath,
    format: flag.choice('how the file is written', ['yaml', 'json'], { defaultText: 'yaml' }),
  },
  examples: [
    { line: 'kv edit app/db', note: 'as YAML, in $VISUAL or $EDITOR' },
    { line: 'kv edit app/db --format json', note: 'as JSON' },
  ],
  async run({ path, format = 'yaml' }, context) {
    const editor = context.io.env['VISUAL'] || context.io.env['EDITOR']
    if (!editor) throw usageError('$EDITOR is not set', 'export EDITOR=vi, or use tug kv set')
    const current = await readIfThere(context, path)
    if (context.http.dryRun) return writeChange(context, path, current, objectFrom([['…', 'as edited']]))
    const text = await textOf(context, path, current, format)
    const file = await privateFile(context, path, text, format)
    const remove = () => rmSync(file.folder, { recursive: true, force: true })
    const takeBack = context.onExit(remove)
    let keep = false
    try {
      const status = await context.runChild(
        ['sh', '-c', editorLine(editor), 'editor', file.path],
        childEnvironment(context),
      )
      if (status !== 0) throw editorFailed(status)
      const edited = await readEdited(file.path)
      if (edited === text || (edited !== undefined && isEmpty(edited, format))) {
        context.io.note(`${path} is unchanged; nothing was written`)
        return undefined
      }
      keep = true
      takeBack()
      if (edited === undefined) throw usageError(`${file.path} is not UTF-8 text`)
      const data = await readMapText(edited, file.path, format)
      registerSecrets(context.io, data, path)
      warnAboutNumbers(context.io, keysOfLossy(data))
      const result = await writeChange(context, path, current, data)
      keep = false
      return result
    } catch (error) {
      throw keep ? kept(error, path, file.path, current) : error
    } finally {
      takeBack()
      if (!keep) remove()
    }
  },
})

/** `exec` makes the editor itself our child, so that it gets our signals; an assignment before the command forbids it. */
function editorLine(editor: string): string {
  return `${/^\s*\w+=/.test(editor) ? '' : 'exec '}${editor} "$1"`
}

async function textOf(
  context: Context,
  path: string,
  current: Secret | undefined,
  format: EditFormat,
): Promise<string> {
  const data = mapOf(current?.data ?? null)
  if (format === 'json') return `${stringifyJson(data, 2)}\n`
  const { toYaml } = await import('../../output/yaml.ts')
  const { mount } = context.settings.route
  const version = current === undefined ? 'new' : `version ${String(current.version)}`
  return `# ${mount}/${path}, ${version}. Save and leave to write it; an empty file writes nothing.\n${
    Object.keys(data).length === 0 ? '' : toYaml(data)
  }`
}

/** A private file in its own folder; its name tells an editor the syntax. */
async function privateFile(context: Context, path: string, text: string, format: EditFormat) {
  const { tmpdir } = await import('node:os')
  const runtime = context.io.env['XDG_RUNTIME_DIR']
  const inTemporary = () => promises.mkdtemp(join(tmpdir(), 'tug-edit-'))
  // The variable may name a missing folder, after a change of user or in a container.
  const made = runtime ? promises.mkdtemp(join(runtime, 'tug-edit-')).catch(inTemporary) : inTemporary()
  const folder = await made.catch((error: unknown) => {
    throw new TugError('failed', `cannot make a private temporary file: ${(error as Error).message}`)
  })
  const name = path.replace(/[^\w.-]+/g, '-').slice(-60)
  const file = join(folder, `${name}.${format}`)
  const handle = await promises.open(file, 'wx', 0o600)
  await handle.writeFile(text)
  await handle.close()
  return { folder, path: file }
}

/** If a signal ended the editor, the exit code is that signal's. */
function editorFailed(status: number): TugError {
  const code =
    status === exitCodes.interrupted ? 'interrupted' : status === exitCodes.terminated ? 'terminated' : 'failed'
  return new TugError(code, `the editor exited with status ${status}; nothing was written`)
}

/** The edited text; undefined if it isn't UTF-8. */
async function readEdited(file: string): Promise<string | undefined> {
  const bytes = await promises.readFile(file).catch(() => {
    throw new TugError('failed', 'the editor left no file; nothing was written')
  })
  return utf8Text(bytes)
}

function isEmpty(text: string, format: EditFormat): boolean {
  const content = format === 'yaml' ? text.replace(/^\s*#.*$/gm, '') : text
  return content.trim() === ''
}

/** The failure, with the place of the edited text and how to continue. */
function kept(error: unknown, path: string, file: string, current: Secret | undefined): unknown {
  if (!(error instanceof TugError)) return error
  const version = String(current?.version ?? 0)
  const hints = [`your text is in ${file} (readable only by you); remove it when you are done`]
  if (error.code === 'conflict') {
    hints.push(`see what changed, without values: tug kv diff ${shellQuote(path)} --from ${version}`)
    hints.push(
      `write yours on top of it: tug kv put ${shellQuote(path)} ${shellQuote(`@${file}`)} --cas <their version>`,
    )
  } else {
    hints.push(`write it: tug kv put ${shellQuote(path)} ${shellQuote(`@${file}`)} --cas ${version}`)
  }
  return error.with({ hints: [...error.hints, ...hints] })
}
