import * as api from '../../api/kv.ts'
import { asJson } from '../../core/answer.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import { flag } from '../../core/param.ts'
import { firstNames, plural } from '../../core/words.ts'
import { digestOf } from '../../write/settings.ts'
import type { Applied, Decision, ItemRun, Work } from '../../write/work.ts'
import { stage, unseen } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { asFolder, asSecret, folderWords, secretOrFolder } from './data/paths.ts'
import { refuseMisplaced, refuseVersion1, secretsToWrite } from './mount/index.ts'
import { explainMissing, findMetadata, sendWrite } from './secret/index.ts'

export const metadataDelete = write({
  name: 'delete',
  summary: 'Permanently remove secrets: every version and all metadata',
  description: `Asks first. This cannot be undone. The metadata is read right before: a secret that somebody has changed since it was shown is kept. A moment remains between that read and the removal, which servers don't guard. --recursive removes every secret below a folder.`,
  endpoint: api.deleteMetadata,
  also: [api.readMetadata, api.readMount, api.readCapabilities, api.list],
  params: {
    path: secretOrFolder('path of the secret; with --recursive a folder (/ for the whole mount)'),
    recursive: flag.boolean('remove every secret below the folder'),
  },
  examples: [
    { line: 'kv metadata delete team/payments/old-gateway', note: 'asks, then removes all of it' },
    { line: 'kv metadata delete team/payments/ --recursive --plan', note: 'what would that remove?' },
  ],
  async open({ path: typed, recursive }, context): Promise<Work> {
    const path =
      recursive === true ? asFolder(typed) : asSecret(typed, 'pass --recursive for everything below a folder')
    await refuseMisplaced(context, path)
    const common = { action: 'metadata delete', target: 'path', noun: 'secret', progress: 'removing secrets' }
    if (recursive !== true) {
      const ask = () => `Permanently remove every version and all metadata of ${path}?`
      const only = stage<string>({
        targets: [path],
        nameOf: (one) => one,
        decide: (one) => decideRemoval(context, one, true),
        ask,
      })
      return { ...common, one: path, stages: [only] }
    }
    const where = `below ${folderWords(path)}`
    return {
      ...common,
      columns: ['versions'],
      where,
      data: { path },
      stages: [
        stage<string>({
          targets: secretsToWrite(context, [path]),
          nameOf: (one) => one,
          decide: (one) => decideRemoval(context, one),
          ask: (shown) => {
            const names = shown.filter(({ hasWork }) => hasWork).map(({ item }) => item)
            return `Permanently remove every version and all metadata of ${plural(names.length, 'secret')} ${where}: ${firstNames(names)}?`
          },
        }),
      ],
    }
  },
})

/** The removal of a secret as it is now: all of its metadata is the guard. Throws for a missing one if its path was typed. */
async function decideRemoval(context: Context, path: string, isTyped = false): Promise<Decision | undefined> {
  const apply = async ({ context: own }: ItemRun): Promise<Applied> => {
    await sendWrite(own, path, api.deleteMetadata({ path }))
    return { words: `removed every version and all metadata of ${path}` }
  }
  const found = await findMetadata(context, path).catch((error: unknown) => {
    if (!(error instanceof TugError) || error.code !== 'not_allowed') throw error
    return undefined
  })
  if (found?.state === 'missing') {
    if (!isTyped) return undefined
    throw await explainMissing(context, path, found.error)
  }
  if (found === undefined) {
    await refuseVersion1(context, `metadata/${path}`)
    const requested = {
      words: `requested removal of ${path}, which may not have existed`,
      facts: { confirmed: false },
    }
    return { ...unseen, apply: async (item) => ({ ...(await apply(item)), ...requested }) }
  }
  const versions = found.versions.length
  const words = `remove ${plural(versions, 'version')} and all metadata`
  return { action: 'remove', words, facts: { versions }, guard: digestOf(asJson(found.metadata)), apply }
}
