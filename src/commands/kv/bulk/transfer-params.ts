import * as api from '../../../api/kv.ts'
import { bulkFlags, planFlags } from '../../../bulk/flags.ts'
import type { EndpointFacts } from '../../../core/endpoint.ts'
import type { Param } from '../../../core/param.ts'
import { flag, readSegments } from '../../../core/param.ts'
import { literalPathFlag, secretOrFolder } from '../place.ts'

const anyPath = secretOrFolder('new path (default: the same, with --to-mount, --to-profile or --to-namespace)', {
  placeholder: 'to',
  required: false,
})

/** Undefined if it isn't given; the root is ''. */
const newPath: Param<string | undefined> = {
  ...anyPath,
  read: (texts, label) => (texts.length === 0 ? undefined : anyPath.read(texts, label)),
}

/** The flags that say where else to write. */
const sideFlags = {
  toMount: flag.of('mount to write to', readSegments, { placeholder: 'path' }),
  toProfile: flag.text('profile of the server to write to', { placeholder: 'name', complete: 'profile' }),
  toNamespace: flag.text('namespace to write to', { placeholder: 'ns' }),
}

/** The arguments and flags of both commands. */
export const transferParams = {
  from: secretOrFolder('secret to read; with --recursive a folder', { placeholder: 'from' }),
  to: newPath,
  recursive: flag.boolean('work on every secret below the folder'),
  ...sideFlags,
  versions: flag.choice('the current version, or all with settings and custom metadata', ['current', 'all']),
  force: flag.boolean('write a new version of an existing secret'),
  update: flag.boolean('write a new version of an existing secret if it differs'),
  literalPath: literalPathFlag,
  prune: flag.boolean('with --recursive, delete secrets below the new folder that the old one does not have'),
  ...planFlags,
  ...bulkFlags,
}

/** The endpoints that both commands call. */
export const transferEndpoints: readonly EndpointFacts[] = [
  api.readData,
  api.writeData,
  api.list,
  api.deleteLatest,
  api.readMetadata,
  api.writeMetadata,
  api.deleteVersions,
  api.destroyVersions,
  api.readMount,
]
