import { randomBytes, randomUUID } from 'node:crypto'

/** The tokens of one run of the local server. */
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

/** The organization with demo data. */
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
