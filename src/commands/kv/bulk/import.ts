import * as api from '../../../api/kv.ts'
import type { Result } from '../../../core/command.ts'
import { command } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { usageError } from '../../../core/errors.ts'
import { objectFrom } from '../../../core/json.ts'
import { argument, flag } from '../../../core/param.ts'
import { plural } from '../../../core/words.ts'
import { actionOf } from '../changes.ts'
import { asFolder, folderWords, secretOrFolder } from '../place.ts'
import { readPresent } from '../read.ts'
import { sendWrite, writeNew, writeSecret } from '../write.ts'
import type { Bulk } from './bulk.ts'
import { bulkResult, inBulk, throwFailures } from './bulk.ts'
import { formatFlags, isRecursive } from './formats.ts'
import type { Secrets } from './import-file.ts'
import { readSecretsFile } from './import-file.ts'
import { planImport, surplusSecrets } from './import-plan.ts'

export const importCommand = command({
  name: 'import',
  summary: 'Write secrets from what kv export wrote: JSON, YAML or dotenv',
  description: `Reads a map of paths to secrets and writes each below the folder. Everything is checked before anything is sent. Existing secrets are not replaced (check-and-set 0). What fails is reported at the end, with exit status 10, and the rest is written.

--plan only shows, without values, what would be created, changed and left alone. --update makes the secrets equal to the file: unchanged ones are not written, changed ones on top of the version that was read (check-and-set). --prune also deletes secrets below the folder that the file doesn't contain, and asks first; kv undelete undoes it. --force writes a new version of every existing secret.

The format is --format, or the ending of the file; without either, a text that begins with a brace is JSON and any other is YAML. A dotenv file without paths is a single secret, whose path is the second argument.`,
  also: [api.writeData, api.readData, api.list, api.deleteLatest, api.readMount],
  params: {
    file: argument.text('file to read (-: standard input)', { placeholder: 'file', required: true, complete: 'file' }),
    path: secretOrFolder('folder to write into (default: the root); for a plain dotenv file, the path of the secret', {
      required: false,
    }),
    ...formatFlags,
    plan: flag.boolean('show what would change, without values, and write nothing'),
    update: flag.boolean('write changes of existing secrets too'),
    prune: flag.boolean("delete secrets below the folder that the file doesn't contain"),
    force: flag.boolean('write a new version of every existing secret'),
    exitCode: flag.boolean('with --plan, exit with 9 if there are changes'),
  },
  examples: [
    { line: 'kv import app.json staging/app', note: 'copy what was exported from app' },
    { line: 'kv import app.json app --plan --exit-code', note: 'what differs from the file?' },
    { line: 'kv import app.json app --update --prune', note: 'make a folder equal to the file' },
    { line: 'kv import .env app/db --force', note: 'an environment file as one secret' },
  ],
  async run({ file, path, format, plan, update, prune, force, exitCode, ...levels }, context): Promise<Result> {
    if (force === true && (update === true || plan === true))
      throw usageError('--force writes every secret; it cannot be combined with --update or --plan')
    if (exitCode === true && plan !== true) throw usageError('--exit-code needs --plan')
    const recursive = isRecursive(levels)
    if (prune === true && !recursive) throw usageError('--prune and --no-recursive cannot be combined')
    const folder = asFolder(path)
    const secrets = await readSecretsFile(context, file, { folder, format, recursive })
    if (prune === true && secrets.has(folder))
      throw usageError('--prune needs a file with paths; this one is a single secret')
    if (plan === true)
      return planImport(context, secrets, { folder, prune: prune === true, exitCode: exitCode === true })
    const surplus = prune === true ? await surplusSecrets(context, folder, secrets) : []
    if (surplus.length > 0)
      await context.io.confirm(
        `Delete ${plural(surplus.length, 'secret')} that the file doesn't contain: ${surplus.join(', ')}?`,
      )
    if (update !== true && prune !== true) {
      const bulk = await writeAll(context, secrets, async (place) => {
        await writeNew(context, place, secrets.get(place) ?? null, force === true)
        return true
      })
      const where = secrets.has(folder) ? 'to' : 'below'
      return bulkResult(context, `{} written ${where} ${folderWords(folder)}`, bulk)
    }
    return updateAll(context, secrets, { folder, update: update === true, force: force === true, surplus })
  },
})

/** Makes the secrets equal to the file, and deletes the surplus once all of them are. */
async function updateAll(
  context: Context,
  secrets: Secrets,
  { folder, update, force, surplus }: { folder: string; update: boolean; force: boolean; surplus: readonly string[] },
): Promise<Result> {
  const counts = { created: 0, changed: 0, unchanged: 0, deleted: 0 }
  const written = await writeAll(context, secrets, async (place) => {
    const data = secrets.get(place) ?? null
    const present = await readPresent(context, place)
    const action = actionOf(present, data)
    if (action === 'unchanged' && !force) counts.unchanged += 1
    else if (action !== 'create' && !update && !force)
      await writeNew(context, place, data, false, 'pass --update to write what changed')
    else {
      await writeSecret(context, place, data, present.version)
      counts[action === 'create' ? 'created' : 'changed'] += 1
    }
    return true
  })
  const words = () =>
    `${Object.entries(counts)
      .map(([what, count]) => `${count} ${what}`)
      .join(', ')} below ${folderWords(folder)}`
  if (written.failures.length > 0) {
    context.io.note(words())
    throwFailures(written.failures, written.done)
  }
  const removed = await inBulk(context.io, 'deleting secrets', surplus, async (place) => {
    await sendWrite(context, place, api.deleteLatest({ path: place }))
    counts.deleted += 1
    return true
  })
  if (removed.failures.length > 0) context.io.note(words())
  throwFailures(removed.failures, written.done + removed.done)
  return { done: words(), data: objectFrom(Object.entries(counts)) }
}

/** Writes all of them, a single one first: if the engine is of the wrong version, the others are not sent. */
async function writeAll(context: Context, secrets: Secrets, write: (place: string) => Promise<boolean>): Promise<Bulk> {
  const [first, ...others] = secrets.keys()
  const one = await inBulk(context.io, 'importing secrets', first === undefined ? [] : [first], write)
  const rest = await inBulk(context.io, 'importing secrets', others, write)
  return { done: one.done + rest.done, failures: [...one.failures, ...rest.failures] }
}
