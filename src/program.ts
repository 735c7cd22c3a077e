import { entries } from './commands/index.ts'
import { globalFlags, groupFlags } from './config/settings.ts'
import type { Tree } from './cli/route.ts'

/** Set by the build to the version of package.json. */
declare const TUG_VERSION: string | undefined

export const version = typeof TUG_VERSION === 'string' ? TUG_VERSION : '0.0.0-source'

export const summary = 'tug: one command line for HCP Terraform, Vault or OpenBao, and Nomad.'

/** The whole command line: its entries, the flags of all commands, the flags of a group's commands. */
export const tree: Tree = { summary, entries, globals: globalFlags, groupParams: groupFlags }
