import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The answer of `generate`. */
export interface Issued {
  readonly ca_chain: string[]
  readonly certificate: string
  readonly private_key: string
  readonly serial_number: string
}

/** A fresh key with a certificate; keys are made at test time because none belongs in a repository. */
export function issue(): Issued {
  const cwd = mkdtempSync(join(tmpdir(), 'tug-test-'))
  const words =
    'req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -subj /CN=client -keyout key -out certificate'
  execFileSync('openssl', words.split(' '), { cwd, stdio: 'pipe' })
  const certificate = readFileSync(join(cwd, 'certificate'), 'utf8').trim()
  const privateKey = readFileSync(join(cwd, 'key'), 'utf8').trim()
  rmSync(cwd, { recursive: true })
  const serial = BigInt(`0x${new X509Certificate(certificate).serialNumber}`).toString()
  return { ca_chain: [certificate], certificate, private_key: privateKey, serial_number: serial }
}

/** A credential's chain as one text. */
export function chainOf({ ca_chain: chain }: Issued): string {
  return chain.join('\n')
}

/** The same credential in another format, as the engine sends it (docs/servers.md, KMIP credentials). */
export function inFormat(issued: Issued, format: 'pem' | 'pem_bundle' | 'der'): Issued {
  if (format === 'pem') return issued
  if (format === 'pem_bundle') {
    return { ...issued, certificate: [issued.private_key, issued.certificate, ...issued.ca_chain].join('\n') }
  }
  const bare = (pem: string) => pem.replace(/-----[^-]*-----|\n/g, '')
  return {
    ...issued,
    ca_chain: issued.ca_chain.map(bare),
    certificate: bare(issued.certificate),
    private_key: bare(issued.private_key),
  }
}
