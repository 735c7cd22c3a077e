import { group } from '../../core/group.ts'

export const kv = group(
  'kv',
  'Read and write versioned secrets of Vault or OpenBao',
  {
    get: async () => (await import('./get.ts')).get,
    set: async () => (await import('./set.ts')).set,
    put: async () => (await import('./put.ts')).put,
    patch: async () => (await import('./patch.ts')).patch,
    edit: async () => (await import('./edit.ts')).edit,
    list: async () => (await import('./list.ts')).list,
    tree: async () => (await import('./tree.ts')).tree,
    find: async () => (await import('./find.ts')).find,
    subkeys: async () => (await import('./subkeys.ts')).subkeys,
    history: async () => (await import('./history.ts')).history,
    diff: async () => (await import('./diff/diff.ts')).diff,
    rollback: async () => (await import('./rollback.ts')).rollback,
    delete: async () => (await import('./delete.ts')).remove,
    undelete: async () => (await import('./undelete.ts')).undelete,
    destroy: async () => (await import('./destroy.ts')).destroy,
    copy: async () => (await import('./copy/copy.ts')).copy,
    move: async () => (await import('./copy/copy.ts')).move,
    export: async () => (await import('./export.ts')).exportCommand,
    import: async () => (await import('./import.ts')).importCommand,
    audit: async () => (await import('./audit.ts')).audit,
    backup: async () => (await import('./backup/backup.ts')).backup,
    restore: async () => (await import('./backup/restore.ts')).restore,
    verify: async () => (await import('./backup/verify.ts')).verify,
    exec: async () => (await import('./exec.ts')).exec,
    metadata: async () =>
      group('metadata', "A secret's settings and custom metadata", {
        get: async () => (await import('./metadata.ts')).metadataGet,
        put: async () => (await import('./metadata.ts')).metadataPut,
        patch: async () => (await import('./metadata.ts')).metadataPatch,
        delete: async () => (await import('./metadata-delete.ts')).metadataDelete,
      }),
    config: async () =>
      group('config', 'Settings of the whole engine', {
        get: async () => (await import('./config.ts')).configGet,
        set: async () => (await import('./config.ts')).configSet,
      }),
  },
  {
    sections: {
      Read: ['get', 'list', 'tree', 'find', 'history', 'diff', 'exec'],
      Write: ['set', 'put', 'patch', 'edit', 'delete', 'undelete', 'rollback'],
      'Many secrets': ['copy', 'move', 'export', 'import', 'backup', 'restore'],
    },
  },
)
