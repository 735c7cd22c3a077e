import { group } from '../../core/group.ts'

export const kmip = group('kmip', 'Manage the KMIP engine of Vault: scopes, roles, certificates', {
  config: async () =>
    group('config', "The engine's configuration", {
      get: async () => (await import('./config.ts')).configGet,
      set: async () => (await import('./config.ts')).configSet,
    }),
  ca: async () => (await import('./config.ts')).ca,
  scope: async () =>
    group('scope', 'Scopes: namespaces of managed objects', {
      list: async () => (await import('./scope.ts')).scopeList,
      create: async () => (await import('./scope.ts')).scopeCreate,
      delete: async () => (await import('./scope.ts')).scopeDelete,
    }),
  role: async () =>
    group('role', 'Roles: which operations the certificates of a scope may perform', {
      list: async () => (await import('./role.ts')).roleList,
      get: async () => (await import('./role.ts')).roleGet,
      set: async () => (await import('./role/set.ts')).roleSet,
      delete: async () => (await import('./role/delete.ts')).roleDelete,
    }),
  cred: async () =>
    group('cred', 'Client certificates: issue, renew, look up, list, revoke', {
      generate: async () => (await import('./cred/generate.ts')).generate,
      sign: async () => (await import('./cred/generate.ts')).sign,
      lookup: async () => (await import('./cred/lookup.ts')).lookup,
      list: async () => (await import('./cred/list.ts')).credList,
      renew: async () => (await import('./cred/renew.ts')).renew,
      revoke: async () => (await import('./cred/revoke.ts')).revoke,
    }),
})
