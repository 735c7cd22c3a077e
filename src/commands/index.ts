import type { RootEntry } from '../core/group.ts'
import { globalFlags, groupFlags } from '../config/settings.ts'
import type { Tree } from '../cli/route.ts'

/** The words that may follow `tug`; a group's commands load when it is named. */
const entries: readonly RootEntry[] = [
  {
    name: 'explorer',
    summary: 'Query HCP Terraform: workspaces, versions, providers, modules',
    service: 'explorer',
    load: async () => (await import('./explorer/index.ts')).explorer,
  },
  {
    name: 'kv',
    summary: 'Read and write versioned secrets of Vault or OpenBao',
    service: 'secrets',
    mount: 'kv',
    load: async () => (await import('./kv/index.ts')).kv,
  },
  {
    name: 'kmip',
    summary: 'Manage the KMIP engine of Vault: scopes, roles, certificates',
    service: 'secrets',
    mount: 'kmip',
    load: async () => (await import('./kmip/index.ts')).kmip,
  },
  {
    name: 'job',
    summary: 'Plan, run, scale, follow and stop the jobs of Nomad',
    service: 'scheduler',
    load: async () => (await import('./job/index.ts')).job,
  },
  {
    name: 'profile',
    summary: 'Manage saved profiles: addresses, namespaces, TLS, tokens',
    load: async () => (await import('./tug/profile.ts')).profile,
  },
  {
    name: 'login',
    summary: 'Store a token for a service in the current profile',
    load: async () => (await import('./tug/login.ts')).login,
  },
  {
    name: 'logout',
    summary: 'Remove a stored token of the current profile',
    load: async () => (await import('./tug/login.ts')).logout,
  },
  {
    name: 'status',
    summary: 'Check each configured service and show how to fix what is wrong',
    load: async () => (await import('./tug/status.ts')).status,
  },
  {
    name: 'api',
    summary: 'Send any request to a service',
    load: async () => (await import('./tug/api.ts')).api,
  },
  {
    name: 'endpoints',
    summary: 'List the API endpoints with their commands',
    load: async () => (await import('./tug/endpoints.ts')).endpoints,
  },
  {
    name: 'completion',
    summary: 'Print the completion script of a shell',
    load: async () => (await import('./tug/completion.ts')).completion,
  },
  {
    name: 'help',
    summary: 'Explain a topic or a command',
    load: async () => (await import('./tug/help.ts')).help,
  },
  {
    name: 'dev',
    summary: 'Run a local server with demo data, or a command against it',
    load: async () => (await import('./tug/dev.ts')).dev,
  },
]

/** Set by the build to the version of package.json. */
declare const TUG_VERSION: string | undefined

export const version = typeof TUG_VERSION === 'string' ? TUG_VERSION : '0.0.0-source'

/** The whole command line: its entries, the flags of all commands, the flags of a group's commands. */
export const tree: Tree = {
  summary: 'tug: one command line for HCP Terraform, Vault or OpenBao, and Nomad.',
  entries,
  globals: globalFlags,
  groupParams: groupFlags,
}
