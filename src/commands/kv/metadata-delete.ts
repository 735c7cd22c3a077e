import * as api from '../../api/kv.ts'
import { asJson } from '../../core/answer.ts'
import type { Context } from '../../core/context.ts'
import { unlessForbidden } from '../../core/errors.ts'
import { flag } from '../../core/param.ts'
import { plural } from '../../core/words.ts'
import { digestOf } from '../../write/settings.ts'
import type { Applied, Decision, ItemRun, Work } from '../../write/work.ts'
import { onlyTarget, unseen } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { asFolder, asSecret, secretOrFolder } from './data/paths.ts'
import { refuseVersion1 } from './mount/engine.ts'
import { refuseMisplaced } from './mount/misplaced.ts'
import { workBelow } from './mount/targets.ts'
import { findMetadata, sendWrite } from './secret/index.ts'

export const metadataDelete = write({
  name: 'delete',
  summary: 'Permanently remove secrets: every version and all metadata',
  description: `Asks first; this cannot be undone. The metadata is read right before: a secret that somebody has changed since it was shown is kept. A moment remains between that read and the removal, which servers don't guard.`,
  endpoint: api.deleteMetadata,
  also: [api.readMetadata, api.readMount, api.readCapabilities, api.list],
  params: {
    path: secretOrFolder('path of the secret; with --recursive a folder (/ for the whole mount)'),
    recursive: flag.boolean('remove every secret below the folder', { short: 'r' }),
  },
  examples: [
    { line: 'kv metadata delete team/payments/old-gateway', note: 'asks, then removes all of it' },
    { line: 'kv metadata delete team/payments/ --recursive --plan', note: 'what would that remove?' },
  ],
  async open({ path: typed, recursive }, context): Promise<Work> {
    if (recursive !== true) asSecret(typed, 'pass --recursive for everything below a folder')
    const path = asFolder(typed)
    await refuseMisplaced(context, path)
    if (recursive === true)
      return workBelow(context, [typed], {
        action: 'metadata delete',
        progress: 'removing secrets',
        decide: (one) => decideRemoval(context, one),
        question: (secrets) => `Permanently remove every version and all metadata of ${secrets}?`,
      })
    return {
      action: 'metadata delete',
      target: 'path',
      noun: 'secret',
      ...onlyTarget(path, {
        decide: (one) => decideRemoval(context, one, true),
        ask: () => `Permanently remove every version and all metadata of ${path}?`,
      }),
    }
  },
})

/** Decides to remove a secret, guarded by all of its metadata. A missing secret is an error if its path was typed. */
async function decideRemoval(context: Context, path: string, isTyped = false): Promise<Decision | undefined> {
  const apply = async (item: ItemRun): Promise<Applied> => {
    await sendWrite(item.context, path, api.deleteMetadata({ path }))
    return { words: `removed every version and all metadata of ${path}` }
  }
  const found = await findMetadata(context, path).catch(unlessForbidden)
  if (found?.state === 'missing') {
    if (!isTyped) return undefined
    throw await found.explain()
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
