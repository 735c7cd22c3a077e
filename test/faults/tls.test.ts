import { writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { createServer as createPlainServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import type { SecureVersion } from 'node:tls'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Certificate } from '../support/certificate.ts'
import { certificate, issuedCertificate } from '../support/certificate.ts'
import { scratchFolder } from '../support/folder.ts'
import { tug } from '../support/run.ts'
import type { Fault } from './kinds.ts'
import { environment, runs, writeFiles } from './lines.ts'
import { problemsOf } from './rules.ts'
import { mentions } from '../support/told.ts'

/** The way of TLS to fail before anything was sent, and what must be said of it. */
interface TlsFault {
  readonly name: string
  readonly words: string
  /** The hint's words. */
  readonly hint: string
  readonly flags?: string
  readonly start: (heard: () => void) => Promise<{ origin: string; trusted?: string }>
}

/**
 * Some reads and writes of each service: a command cannot tell why its connection failed. The action's connection is a WebSocket from
 * the start if nothing has to be looked up.
 */
const lines = [
  ...runs.filter((_, index) => index % 8 === 0),
  ['job action', 'job action web migrate --alloc 9c0f11aa-1111-2222-3333-444455556666 --task srv'],
] as const

function listening(server: Server | ReturnType<typeof createTcpServer>): Promise<string> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return new Promise((done) => {
    server.listen(0, '127.0.0.1', () => done(`https://127.0.0.1:${(server.address() as AddressInfo).port}`))
  })
}

/** A server with the certificate; `trusted`: whether it is passed with --ca-cert. */
function serverWith(make: () => Promise<Certificate>, isTrusted: boolean): TlsFault['start'] {
  return async (heard) => {
    const { cert, key } = await make()
    const origin = await listening(createServer({ cert, key }, heard))
    return { origin, ...(isTrusted ? { trusted: cert } : {}) }
  }
}

/** A server that serves only those who show a certificate. */
function demandingServer(maxVersion: SecureVersion): TlsFault['start'] {
  return async (heard) => {
    const { cert, key } = await certificate()
    const options = { cert, key, ca: cert, requestCert: true, rejectUnauthorized: true, maxVersion }
    return { origin: await listening(createServer(options, heard)), trusted: cert }
  }
}

const authority = '--ca-cert <file>'
const name = '--tls-server-name'

const faults: readonly TlsFault[] = [
  {
    name: 'a certificate for another name',
    words: 'TLS certificate… (ERR_TLS_CERT_ALTNAME_INVALID)',
    hint: name,
    start: serverWith(() => certificate({ address: '127.0.0.2' }), true),
  },
  {
    name: 'an expired certificate',
    words: 'TLS certificate… (CERT_HAS_EXPIRED)',
    hint: 'certificate…, … clock',
    start: serverWith(() => certificate({ hours: [-2, -1] }), true),
  },
  {
    name: 'a certificate that is not valid yet',
    words: 'TLS certificate… (CERT_NOT_YET_VALID)',
    hint: 'certificate…, … clock',
    start: serverWith(() => certificate({ hours: [1, 2] }), true),
  },
  {
    name: 'a self-signed certificate',
    words: 'TLS certificate… (DEPTH_ZERO_SELF_SIGNED_CERT)',
    hint: authority,
    start: serverWith(() => certificate(), false),
  },
  {
    name: 'a certificate of an unknown authority',
    words: 'TLS certificate… (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
    hint: authority,
    start: serverWith(issuedCertificate, false),
  },
  {
    name: 'a server that demands a client certificate',
    words: ': the server … client certificate… (',
    hint: '--client-cert <file> … --client-key <file>, … client_cert … client_key',
    start: demandingServer('TLSv1.3'),
  },
  {
    name: 'an older server that demands a client certificate',
    words: 'TLS handshake…, … client certificate… (',
    hint: '--client-cert <file> … --client-key <file>, … client_cert … client_key',
    start: demandingServer('TLSv1.2'),
  },
  {
    name: 'a handshake that stalls',
    words: 'no connection… time limit',
    hint: '--timeout',
    flags: '--timeout 20ms',
    start: async () => ({ origin: await listening(createTcpServer()) }),
  },
  {
    name: 'a connection that closes in the handshake',
    words: 'closed … TLS handshake',
    hint: '(see tug status',
    start: async () => ({
      origin: await listening(createTcpServer((socket) => socket.once('data', () => socket.end()))),
    }),
  },
  {
    name: 'a server without TLS',
    words: ' TLS',
    hint: 'http://127.0.0.1:',
    start: async (heard) => ({ origin: await listening(createPlainServer(heard)) }),
  },
]

/** No request was sent, so nothing is in doubt. */
const unreachable: Fault = { name: 'TLS', exit: 7 }

describe(`${lines.length * faults.length} cases: ${lines.length} command lines × ${faults.length} TLS faults`, () => {
  test.each(faults)('$name', async ({ start, words, hint, flags = '' }) => {
    const folder = scratchFolder()
    writeFiles(folder)
    const heard = vi.fn<() => void>()
    const { origin, trusted } = await start(heard)
    const file = join(folder, 'ca.pem')
    if (trusted !== undefined) writeFileSync(file, trusted)
    const more = `${trusted === undefined ? '' : `--ca-cert ${file}`} ${flags} --retries 0`
    const env = { ...environment(origin), TUG_CONFIG_DIR: `${folder}/config` }
    const problems: string[] = []
    for (const [path, line] of lines) {
      const outcome = await tug(line.includes(' -- ') ? line.replace(' -- ', ` ${more} -- `) : `${line} ${more}`, {
        env,
        cwd: folder,
      })
      const found = problemsOf(unreachable, outcome, { path, writes: true, exit: 7 })
      if (!mentions(words).test(outcome.stderr)) found.push(`not '${words}'`)
      if (!mentions(`hint: …${hint}`).test(outcome.stderr)) found.push(`no hint '${hint}'`)
      problems.push(...found.map((problem) => `${line}: ${problem}: ${outcome.exit} ${outcome.stderr}`))
    }
    expect(problems.join('\n')).toBe('')
    expect(heard).not.toHaveBeenCalled()
  })
})
