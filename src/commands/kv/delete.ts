import * as api from '../../api/kv.ts'
import type { Result } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { usageError } from '../../core/errors.ts'
import { objectFrom } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import { plural } from '../../core/words.ts'
import { bulkResult, inBulk } from './bulk/bulk.ts'
import { asFolder, asSecret, folderWords, hintMisplaced, secretOrFolder } from './place.ts'
import { askedResult, verified, verifyFlag } from './verify.ts'
import { ifVersion1Removed } from './version1.ts'
import { versionsFlag, versionWords } from './versions.ts'
import { secretsBelow } from './walk.ts'
import { sendWrite } from './write.ts'

export const remove = command({
  name: 'delete',
  summary: 'Delete the latest version of a secret, or other versions; kv undelete undoes it',
  description: `Asks the server to mark versions as deleted. Their data is kept, and kv undelete undoes it. Servers also confirm versions that don't exist; --verify reads the metadata before and after and reports what changed. --recursive deletes the latest version of every secret below a folder, and asks first. kv destroy removes data permanently, kv metadata delete the whole secret.`,
  endpoint: [api.deleteLatest, api.deleteVersions],
  also: [api.list, api.readMetadata],
  params: {
    path: secretOrFolder('path of the secret; with --recursive a folder (/ for the whole mount)'),
    versions: versionsFlag('versions to delete (default the latest)', { required: false }),
    recursive: flag.boolean('work on every secret below the folder'),
    verify: verifyFlag,
  },
  examples: [
    { line: 'kv delete app/db', note: 'the latest version' },
    { line: 'kv delete app/db --versions 2..3 --verify', note: 'two older ones, and see what changed' },
    { line: 'kv delete team/search/ --recursive', note: 'the latest version of everything below a folder' },
  ],
  async run({ path, versions, recursive, verify }, context): Promise<Result | undefined> {
    if (recursive === true) {
      if (versions !== undefined || verify === true)
        throw usageError('--recursive deletes latest versions and cannot be combined with --versions or --verify')
      return deleteBelow(context, asFolder(path))
    }
    const secret = asSecret(path, 'pass --recursive for everything below a folder')
    hintMisplaced(context, secret)
    const request =
      versions === undefined
        ? api.deleteLatest({ path: secret })
        : api.deleteVersions({ path: secret }, { body: { versions } })
    const send = () => sendWrite(context, secret, request)
    if (verify === true) return verified(context, secret, { versions, wanted: 'deleted', send })
    await send()
    if (versions === undefined) return latestResult(context, secret)
    return askedResult(context, {
      path: secret,
      action: `delete ${versionWords(versions)}`,
      place: 'delete',
      versions,
      undo: context.commandLine('kv undelete', secret, '--versions', versions.join(',')),
    })
  },
})

/** The undo is part of the hint, because a version 1 engine, which answers the same, has none. */
function latestResult(context: Context, path: string): Result {
  const action = 'delete the latest version'
  return {
    done: `asked to ${action} of ${path}`,
    hint: ifVersion1Removed(`data/${path}`, context.commandLine('kv undelete', path)),
    data: objectFrom([
      ['path', path],
      ['asked', action],
    ]),
  }
}

async function deleteBelow(context: Context, folder: string): Promise<Result> {
  const found = await secretsBelow(context, folder)
  const start = folderWords(folder)
  await context.io.confirm(`Delete the latest version of ${plural(found.paths.length, 'secret')} below ${start}?`)
  const bulk = await inBulk(context.io, 'deleting secrets', found.paths, async (path) => {
    await sendWrite(context, path, api.deleteLatest({ path }))
    return true
  })
  return bulkResult(context, `asked to delete the latest version of {} below ${start}`, bulk, found.failures)
}
