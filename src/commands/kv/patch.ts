import * as api from '../../api/kv.ts'
import { usageError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { entriesOf, objectFrom } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import type { Work } from '../../write/work.ts'
import { onlyTarget } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { dataArguments, dataDescription, literalFlag, readData } from './data/arguments.ts'
import { secretPath } from './data/paths.ts'
import { keyColumns } from './data/values.ts'
import { refuseMisplaced } from './mount/misplaced.ts'
import { decidePatch } from './secret/index.ts'

export const patch = write({
  name: 'patch',
  summary: 'Change or remove keys of a secret on the server',
  description: `Sends a merge patch: maps are merged into maps, --remove (or key:=null) removes a key, and all others are kept. Needs the capability patch and a secret that is not deleted. If the secret may be read, a patch that changes nothing is not sent. kv set does the same with a read and a write.

${dataDescription}`,
  endpoint: api.patchData,
  also: [api.readData, api.readMetadata, api.readConfig, api.list, api.readMount],
  params: {
    path: secretPath,
    data: dataArguments,
    remove: flag.texts('remove this key', { placeholder: 'key' }),
    cas: flag.integer('write only if this is the current version', { min: 1 }),
    literal: literalFlag,
  },
  examples: [
    { line: 'kv patch app/db password', note: 'asks for the new password' },
    {
      line: 'kv patch app/db host=db2.internal --remove port --cas 4',
      note: 'change one key and remove another, only on version 4',
    },
  ],
  async open({ path, data: words, remove, plan, ...flags }, context): Promise<Work> {
    if (words.length === 0 && remove.length === 0)
      throw usageError('nothing to change', 'give key=value or --remove <key>')
    const { data: given, cas } = await readData(context, path, words, flags)
    const twice = remove.find((key, index) => Object.hasOwn(given, key) || remove.indexOf(key) !== index)
    if (twice !== undefined) throw usageError(`the key '${twice}' is repeated`)
    const data = objectFrom([...entriesOf(given), ...remove.map((key): [string, Json] => [key, null])])
    await refuseMisplaced(context, path)
    return {
      action: 'patch',
      target: 'path',
      noun: 'secret',
      columns: keyColumns,
      ...onlyTarget(path, { decide: () => decidePatch(context, path, data, { cas, isPlan: plan === true }) }),
    }
  },
})
