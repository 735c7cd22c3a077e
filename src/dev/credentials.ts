import { randomBytes, randomUUID } from 'node:crypto'
import { changedEnvironment } from '../core/environment.ts'
import type { Dialect } from './http.ts'

export interface Credentials {
  readonly explorer: { readonly token: string }
  readonly secrets: {
    /** May do everything. */
    readonly token: string
    /** May read and list below `secret/app/`, nothing else. */
    readonly limitedToken: string
  }
  readonly scheduler: {
    /** Secret id of the management token. */
    readonly token: string
    /** Secret id of a token with `read` on the namespace `default` only. */
    readonly limitedToken: string
  }
}

export const demoOrganization = 'acme'

/**
 * Random tokens, so that nobody else who can reach the port can use the server: it runs commands.
 * `token` replaces those that may do everything.
 */
export function newCredentials(token?: string): Credentials {
  return {
    explorer: { token: token ?? randomToken() },
    secrets: { token: token ?? randomToken(), limitedToken: randomToken() },
    scheduler: { token: token ?? randomUUID(), limitedToken: randomUUID() },
  }
}

function randomToken(): string {
  return `dev-${randomBytes(18).toString('base64url')}`
}

/** Variables of the three services, tug's and the vendors'. A child of `tug dev` gets none of those that were set before. */
const replaced =
  /^(?:TUG_(?:EXPLORER|SECRETS|SCHEDULER|KV|KMIP)_|TUG_(?:PROFILE|DIALECT|CONFIG_DIR)$|(?:VAULT|BAO|NOMAD|TFE)_|TF_TOKEN_)/

interface RunningServer {
  readonly origin: string
  readonly credentials: Credentials
}

/** The variables that point at the local server, for us and for the vendors' tools. */
export function serverVariables(
  { origin, credentials }: RunningServer,
  dialect: Dialect = 'neutral',
): Record<string, string> {
  const { explorer, secrets, scheduler } = credentials
  return {
    ...(dialect === 'neutral' ? {} : { TUG_DIALECT: dialect }),
    TUG_EXPLORER_ADDR: `${origin}/api/v2`,
    TUG_EXPLORER_TOKEN: explorer.token,
    TUG_EXPLORER_ORG: demoOrganization,
    TUG_SECRETS_ADDR: origin,
    TUG_SECRETS_TOKEN: secrets.token,
    TUG_SCHEDULER_ADDR: origin,
    TUG_SCHEDULER_TOKEN: scheduler.token,
    TFE_ADDRESS: origin,
    TFE_TOKEN: explorer.token,
    TFE_ORG: demoOrganization,
    TFE_ORGANIZATION: demoOrganization,
    VAULT_ADDR: origin,
    VAULT_TOKEN: secrets.token,
    BAO_ADDR: origin,
    BAO_TOKEN: secrets.token,
    NOMAD_ADDR: origin,
    NOMAD_TOKEN: scheduler.token,
  }
}

/** The environment of a child: `env` with the local server in place of all others, and without a proxy to it. */
export function childEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  server: RunningServer & { readonly dialect: Dialect; readonly platform: string },
  more: Readonly<Record<string, string>>,
): Record<string, string | undefined> {
  const exempt = [env['NO_PROXY'] ?? env['no_proxy'], '127.0.0.1'].filter(Boolean).join(',')
  const proxies = server.platform === 'win32' ? { NO_PROXY: exempt } : { NO_PROXY: exempt, no_proxy: exempt }
  const added = { ...proxies, ...serverVariables(server, server.dialect), ...more }
  return changedEnvironment(env, server.platform, { drop: replaced, added })
}
