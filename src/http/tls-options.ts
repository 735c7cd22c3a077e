import { isIP } from 'node:net'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import type { TlsOptions } from '../core/context.ts'

/** The options for Node's TLS. Verification is off by --insecure alone: Node's own NODE_TLS_REJECT_UNAUTHORIZED has no effect. */
export function secureOptions({ ca, cert, key, serverName, insecure }: TlsOptions) {
  return {
    // A certificate given as trusted is trusted, even if it is not a root: some people have only the server's own.
    ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : nameOptions(serverName)),
    rejectUnauthorized: insecure !== true,
  }
}

/** A name is sent and verified; an address is only verified, because SNI takes names only and Node warns about addresses. */
function nameOptions(serverName: string) {
  if (isIP(serverName) === 0) return { servername: serverName }
  return {
    servername: '',
    checkServerIdentity: (_: string, certificate: PeerCertificate) => checkServerIdentity(serverName, certificate),
  }
}
