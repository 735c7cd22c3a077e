import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../../core/json.ts'
import type { SecretsEngine } from './reply.ts'

interface Mount {
  /** `team/nested/kv/`: below the namespace, with a slash at its end. */
  readonly path: string
  readonly engine: SecretsEngine
  /** `kv`, `kmip`. */
  readonly type: string
  readonly description: string
  /** `version`, or nothing at all. */
  readonly options: JsonObject
  readonly accessor: string
  readonly uuid: string
}

type MountSettings = Pick<Mount, 'engine' | 'type' | 'description' | 'options'>

export class Namespace {
  private readonly byPath = new Map<string, Mount>()

  /** Mounts an engine. Returns the mount in the way, if any. */
  mount(path: string, settings: MountSettings): Mount | undefined {
    const inTheWay = this.mounts().find((mount) => mount.path.startsWith(path) || path.startsWith(mount.path))
    if (inTheWay !== undefined) return inTheWay
    const uuid = randomUUID()
    this.byPath.set(path, { path, ...settings, uuid, accessor: `${settings.type}_${uuid.slice(0, 8)}` })
    return undefined
  }

  unmount(path: string): void {
    this.byPath.delete(path)
  }

  mounts(): Mount[] {
    return [...this.byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1))
  }

  /** The mount that a path (below the namespace) belongs to, and the rest of the path. */
  find(segments: readonly string[]): { readonly mount: Mount; readonly rest: readonly string[] } | undefined {
    for (let length = segments.length; length > 0; length -= 1) {
      const mount = this.byPath.get(`${segments.slice(0, length).join('/')}/`)
      if (mount !== undefined) return { mount, rest: segments.slice(length) }
    }
    return undefined
  }
}

export function describeMount({ accessor, description, options, type, uuid }: Mount): JsonObject {
  return {
    accessor,
    config: { default_lease_ttl: 0, force_no_cache: false, max_lease_ttl: 0 },
    deprecation_status: 'supported',
    description,
    external_entropy_access: false,
    local: false,
    options,
    plugin_version: '',
    running_plugin_version: '',
    running_sha256: '',
    seal_wrap: false,
    type,
    uuid,
  }
}
