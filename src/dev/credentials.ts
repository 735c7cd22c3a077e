/** Who may talk to the local server. The values are public on purpose: it listens on loopback and holds demo data only. */
export const credentials = {
  explorer: { organization: 'acme', token: 'demo-explorer-token' },
  secrets: {
    /** May do everything. */
    token: 'demo-secrets-token',
    /** May read and list below `secret/app/`, nothing else. */
    limitedToken: 'demo-secrets-reader',
  },
  scheduler: {
    /** Secret id of the management token. */
    token: '5eed0000-0000-4000-8000-000000000001',
    /** Secret id of a token with `read` on the namespace `default` only. */
    limitedToken: '5eed0000-0000-4000-8000-000000000002',
  },
} as const
