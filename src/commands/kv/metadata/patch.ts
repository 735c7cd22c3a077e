import * as api from '../../../api/kv.ts'
import { command } from '../../../core/command.ts'
import { mergePatch } from '../../../core/endpoint.ts'
import { usageError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { objectFrom } from '../../../core/json.ts'
import { flag } from '../../../core/param.ts'
import { literalPathFlag, refuseMisplaced, secretPath } from '../place.ts'
import { customMetadataFlag, secretSettings, settingEntries } from '../settings.ts'
import { isPatchRefused } from '../write.ts'
import { casEntries, clearCustomMetadata, metadataCas, settingFlags, sendMetadata } from './flags.ts'

export const patch = command({
  name: 'patch',
  summary: "Change some of a secret's settings and custom metadata",
  description: `Only the given settings change; --custom-metadata adds to the map. The secret must exist. Servers ignore a patch that resets --delete-version-after; kv metadata put does that.`,
  endpoint: api.patchMetadata,
  also: [api.readMount, api.list],
  params: {
    path: secretPath,
    ...secretSettings,
    customMetadata: customMetadataFlag('add to the custom metadata'),
    removeCustomMetadata: flag.texts('remove this key of the custom metadata', { placeholder: 'key' }),
    clearCustomMetadata,
    metadataCas,
    literalPath: literalPathFlag,
  },
  examples: [
    { line: 'kv metadata patch app/db --custom-metadata owner=platform', note: 'add a key and keep the others' },
    { line: 'kv metadata patch app/api --remove-custom-metadata rotation', note: 'remove a key' },
  ],
  async run(
    {
      path,
      customMetadata,
      removeCustomMetadata,
      clearCustomMetadata: clear,
      metadataCas: cas,
      literalPath,
      ...settings
    },
    context,
  ) {
    if (settings.deleteVersionAfter === '0s') {
      throw usageError(
        '--delete-version-after 0 has no effect in a patch, servers ignore it',
        `use: ${context.commandLine('kv metadata put', path, '--delete-version-after', '0')}`,
      )
    }
    const entries = settingEntries(settings)
    const changes = changesOf(customMetadata, removeCustomMetadata)
    if (clear === true && changes.length > 0)
      throw usageError(
        '--clear-custom-metadata cannot be combined with --custom-metadata or --remove-custom-metadata',
        `to replace the whole map: ${context.commandLine('kv metadata put', path)} --custom-metadata k=v`,
      )
    if (clear === true) entries.push(['custom_metadata', null])
    else if (changes.length > 0) entries.push(['custom_metadata', objectFrom(changes)])
    if (entries.length === 0) throw usageError('nothing to change', settingFlags('--remove-custom-metadata <key>'))
    entries.push(...casEntries(cas))
    await refuseMisplaced(context, path, literalPath)
    const request = api.patchMetadata(
      { path },
      { ...mergePatch(objectFrom(entries)), allow: [404], policy: { guarded: cas !== undefined } },
    )
    const line = context.commandLine('kv metadata put', path)
    return sendMetadata(context, path, request, entries, (error) =>
      isPatchRefused(error)
        ? [`kv metadata put needs update instead of patch, and replaces the custom metadata: ${line} …`]
        : [],
    )
  },
})

function changesOf(added: readonly (readonly [string, string])[], removed: readonly string[]): [string, Json][] {
  const changes = [...added, ...removed.map((key) => [key, null] as const)]
  const keys = changes.map(([key]) => key)
  const twice = keys.find((key, index) => keys.indexOf(key) !== index)
  if (twice !== undefined) throw usageError(`the custom metadata '${twice}' is both set and removed`)
  return changes.map(([key, value]) => [key, value])
}
