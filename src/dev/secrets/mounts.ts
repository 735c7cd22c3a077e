import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../../core/json.ts'
import type { SecretsEngine } from './engine.ts'

/** Namespaces of the demo secrets store and the engines mounted in them. */

export interface Mount {
  /** `team/nested/kv/`: below the namespace, with the slash at its end. */
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

export class Namespace {
  private readonly byPath = new Map<string, Mount>()

  /** Mounts an engine. Returns the mount in the way, if any. */
  mount(
    path: string,
    engine: SecretsEngine,
    about: Pick<Mount, 'type' | 'description' | 'options'>,
  ): Mount | undefined {
    const inTheWay = this.mounts().find((mount) => mount.path.startsWith(path) || path.startsWith(mount.path))
    if (inTheWay !== undefined) return inTheWay
    const uuid = randomUUID()
    this.byPath.set(path, { path, engine, ...about, uuid, accessor: `${about.type}_${uuid.slice(0, 8)}` })
    return undefined
  }

  /** Takes the mount and what it holds away. */
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

/** A mount as the `sys/` routes describe it. */
export function describeMount(mount: Mount): JsonObject {
  return {
    accessor: mount.accessor,
    config: { default_lease_ttl: 0, force_no_cache: false, max_lease_ttl: 0 },
    deprecation_status: 'supported',
    description: mount.description,
    external_entropy_access: false,
    local: false,
    options: mount.options,
    plugin_version: '',
    running_plugin_version: '',
    running_sha256: '',
    seal_wrap: false,
    type: mount.type,
    uuid: mount.uuid,
  }
}
