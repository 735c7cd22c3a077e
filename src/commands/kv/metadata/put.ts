import * as api from '../../../api/kv.ts'
import { command } from '../../../core/command.ts'
import { usageError } from '../../../core/errors.ts'
import { objectFrom } from '../../../core/json.ts'
import { literalPathFlag, refuseMisplaced, secretPath } from '../place.ts'
import { customMetadataFlag, secretSettings, settingEntries } from '../settings.ts'
import { casEntries, clearCustomMetadata, metadataCas, settingFlags, sendMetadata } from './flags.ts'

export const put = command({
  name: 'put',
  summary: "Set a secret's settings and custom metadata",
  description: `Settings that are not given keep their values; --custom-metadata replaces the whole map. A missing secret is created, without a version.`,
  endpoint: api.writeMetadata,
  also: [api.readMount, api.list],
  params: {
    path: secretPath,
    ...secretSettings,
    customMetadata: customMetadataFlag('the custom metadata, replacing the present one'),
    clearCustomMetadata,
    metadataCas,
    literalPath: literalPathFlag,
  },
  examples: [
    {
      line: 'kv metadata put app/db --max-versions 5 --cas-required',
      note: 'keep five versions, require check-and-set',
    },
    { line: 'kv metadata put app/db --delete-version-after 0', note: 'versions no longer expire' },
    {
      line: 'kv metadata put app/db --custom-metadata owner=platform --custom-metadata rotation=90d',
      note: 'facts about the secret',
    },
  ],
  async run({ path, customMetadata, clearCustomMetadata: clear, metadataCas: cas, literalPath, ...settings }, context) {
    const entries = settingEntries(settings)
    if (clear === true && customMetadata.length > 0)
      throw usageError(
        '--clear-custom-metadata and --custom-metadata cannot be combined',
        '--custom-metadata replaces the whole map anyway',
      )
    if (clear === true || customMetadata.length > 0) entries.push(['custom_metadata', objectFrom(customMetadata)])
    if (entries.length === 0) throw usageError('nothing to set', settingFlags())
    entries.push(...casEntries(cas))
    await refuseMisplaced(context, path, literalPath)
    const request = api.writeMetadata({ path }, { body: objectFrom(entries), policy: { guarded: cas !== undefined } })
    return sendMetadata(context, path, request, entries)
  },
})
