import * as api from '../../api/kv.ts'
import { command } from '../../core/command.ts'
import type { Result } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { usageError } from '../../core/errors.ts'
import { flag } from '../../core/param.ts'
import { plural } from '../../core/words.ts'
import { finishBulk, inBulk } from './bulk/bulk.ts'
import { asFolder, asSecret, secretOrFolder } from './place.ts'
import { verified } from './verify.ts'
import { versionsFlag, versionWords } from './versions.ts'
import { secretsBelow } from './walk.ts'
import { sendWrite } from './write.ts'

export const remove = command({
  name: 'delete',
  summary: 'Delete the latest version of a secret, or the given versions; undelete restores them',
  description: `Asks the server to mark versions as deleted; their data is kept and kv undelete brings it back. Servers answer yes for versions that are not there too: --verify reads the metadata before and after and reports what changed. --recursive deletes the latest version of every secret below a folder, and asks first. kv destroy removes data for good, kv metadata delete everything.`,
  endpoint: [api.deleteLatest, api.deleteVersions],
  also: [api.list, api.readMetadata],
  params: {
    path: secretOrFolder('path of the secret; with --recursive a folder (/: all of the mount)'),
    versions: versionsFlag('the versions to delete instead of the latest', { required: false }),
    recursive: flag.boolean('delete every secret below the folder'),
    verify: flag.boolean('read the metadata before and after, and report what changed'),
  },
  examples: [
    { line: 'kv delete app/db', note: 'the latest version' },
    { line: 'kv delete app/db --versions 2..3 --verify', note: 'some older ones, and see what changed' },
    { line: 'kv delete team/search/ --recursive', note: 'the latest version of every secret below a folder' },
  ],
  async run({ path, versions, recursive, verify }, context): Promise<Result | undefined> {
    if (recursive === true) {
      if (versions !== undefined || verify === true)
        throw usageError('--recursive deletes latest versions; it goes with neither --versions nor --verify')
      return deleteBelow(context, asFolder(path))
    }
    const secret = asSecret(path)
    const request =
      versions === undefined
        ? api.deleteLatest({ path: secret })
        : api.deleteVersions({ path: secret }, { body: { versions } })
    const send = async () => {
      await sendWrite(context, secret, request)
      const what = versions === undefined ? 'the latest version' : versionWords(versions)
      context.io.note(`${secret}: asked to delete ${what}; tug kv undelete brings data back`)
    }
    return verify === true
      ? verified(context, secret, { versions, wanted: 'deleted', send })
      : send().then(() => undefined)
  },
})

async function deleteBelow(context: Context, folder: string): Promise<undefined> {
  const found = await secretsBelow(context, folder)
  const start = folder === '' ? 'the root' : folder
  await context.io.confirm(`Delete the latest version of ${plural(found.paths.length, 'secret')} below ${start}?`)
  const done = await inBulk(context.io, 'deleting secrets', found.paths, async (path) => {
    await context.http.send(api.deleteLatest({ path }))
    return true
  })
  finishBulk(context, `asked to delete the latest version of {} below ${start}`, done, found.failures)
}
