import { usageError } from '../../../core/errors.ts'
import type { Credential } from '../../../api/kmip.ts'

export const certificateFormats = ['pem', 'pem_bundle', 'der'] as const

export type CertificateFormat = (typeof certificateFormats)[number]

/** The facts in a certificate. */
export interface CertificateFacts {
  readonly serial_number: string
  readonly subject: string
  readonly not_before: string
  readonly not_after: string
}

/** The parts of an issued credential. A bundle is split, so its key is never written to a certificate file. */
export interface CredentialParts {
  readonly certificate: Buffer
  readonly chain: Buffer
  readonly privateKey: Buffer | undefined
}

/** A file of a credential. */
export interface CredentialFile {
  readonly file: string
  readonly content: Uint8Array
}

/** The names of a credential's files. A `pem_bundle` with its key is one file, as MongoDB and Percona expect. */
export function fileNames(format: CertificateFormat, hasKey: boolean): string[] {
  if (format === 'pem_bundle' && hasKey) return ['client.pem', 'ca-chain.pem']
  const extension = format === 'der' ? 'der' : 'pem'
  const names = hasKey ? ['certificate', 'ca-chain', 'private-key'] : ['certificate', 'ca-chain']
  return names.map((name) => `${name}.${extension}`)
}

/** The files of a credential, without empty ones. */
export function credentialFiles(parts: CredentialParts, format: CertificateFormat): CredentialFile[] {
  const { certificate, chain, privateKey = Buffer.alloc(0) } = parts
  const names = fileNames(format, privateKey.length > 0)
  const contents =
    names[0] === 'client.pem'
      ? [Buffer.concat([privateKey, certificate, chain]), chain]
      : [certificate, chain, privateKey]
  return names.flatMap((file, index) => {
    const content = contents[index] as Buffer
    return content.length === 0 ? [] : [{ file, content }]
  })
}

/** A certificate in a folder, and whether its private key is there too. */
export interface FiledCertificate extends CertificateFacts {
  readonly hasKey: boolean
}

/** Reads the certificate in a folder; undefined if it is missing or unreadable. */
export async function filedCertificate(
  format: CertificateFormat,
  read: (file: string) => Buffer | undefined,
): Promise<FiledCertificate | undefined> {
  const [first = '', , last = first] = fileNames(format, true)
  const bytes = read(first)
  if (bytes === undefined) return undefined
  const certificate =
    format === 'pem_bundle' ? Buffer.from((await clientCertificates(bytes.toString()))[0] ?? '') : bytes
  const facts = await certificateFacts({ certificate }, '')
  const key = read(last)
  return facts && { ...facts, hasKey: key !== undefined && (await isKeyOf(certificate, key, format)) }
}

async function isKeyOf(certificate: Buffer, key: Buffer, format: CertificateFormat): Promise<boolean> {
  const { X509Certificate, createPrivateKey } = await import('node:crypto')
  const kinds = format === 'der' ? (['pkcs8', 'pkcs1', 'sec1'] as const) : [undefined]
  return kinds.some((type) => {
    try {
      const form = type === undefined ? { key } : { key, format: 'der' as const, type }
      return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(form))
    } catch {
      return false
    }
  })
}

const block = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*(?:-(?!----)[^-]*)*-----END \1-----/g

/** The PEM blocks of a text with their labels. */
function blocks(pem: string): { label: string; pem: string }[] {
  return [...pem.matchAll(block)].map((found) => ({ label: found[1] as string, pem: found[0] }))
}

/** Splits a response of generate, sign or lookup. */
export function credentialParts(credential: Credential, format: CertificateFormat): CredentialParts {
  const { certificate, private_key: key } = credential
  const chain = credential.ca_chain ?? []
  if (format === 'der') {
    const bytes = (base64: string) => Buffer.from(base64, 'base64')
    return {
      certificate: bytes(certificate),
      chain: Buffer.concat(chain.map(bytes)),
      privateKey: typeof key === 'string' ? bytes(key) : undefined,
    }
  }
  const inside = blocks(certificate)
  const keys = [...blocks(key ?? ''), ...inside].filter(({ label }) => label.endsWith('PRIVATE KEY'))
  const [client, ...others] = inside.filter(({ label }) => label === 'CERTIFICATE')
  const chainBlocks = [...others, ...chain.flatMap(blocks)].map(({ pem }) => pem)
  return {
    certificate: lines(client === undefined ? [] : [client.pem]),
    chain: lines([...new Set(chainBlocks)]),
    privateKey: keys[0] === undefined ? undefined : lines([keys[0].pem]),
  }
}

function lines(pems: readonly string[]): Buffer {
  return Buffer.from(pems.map((pem) => `${pem}\n`).join(''))
}

/** Parses a certificate; undefined if that fails. Times are RFC 3339 in UTC. */
export async function certificateFacts(
  { certificate }: Pick<CredentialParts, 'certificate'>,
  serial: string,
): Promise<CertificateFacts | undefined> {
  const { X509Certificate } = await import('node:crypto')
  try {
    const parsed = new X509Certificate(certificate)
    return {
      serial_number: serial === '' ? BigInt(`0x${parsed.serialNumber}`).toString() : serial,
      subject: parsed.subject.replaceAll('\n', ', '),
      not_before: instant(parsed.validFrom),
      not_after: instant(parsed.validTo),
    }
  } catch {
    return undefined
  }
}

function instant(openssl: string): string {
  return new Date(openssl).toISOString().replace('.000Z', 'Z')
}

/** Returns a CSR in PEM. Throws a usage error for anything else, and if there is a private key in it. */
export function checkCsr(pem: string, name: string): string {
  if (blocks(pem).some(({ label }) => label.endsWith('PRIVATE KEY')))
    throw usageError(`${name} contains a private key; it was not sent`, 'pass only the signing request')
  if (!blocks(pem).some(({ label }) => /^(?:NEW )?CERTIFICATE REQUEST$/.test(label)))
    throw notInside(name, 'certificate signing request', 'CERTIFICATE REQUEST')
  return pem
}

/** DER in hexadecimal: SHA-1 with RSA, ECDSA or DSA, followed by a bit string (the signature). */
const sha1Signature = /(?:06092a864886f70d010105(?:0500)?|06072a8648ce3d0401|06072a8648ce380403)03/

/** True for a CSR that is signed with SHA-1; false also for an unreadable one. */
export function isSignedWithSha1(pem: string): boolean {
  const request = blocks(pem).find(({ label }) => label.endsWith('CERTIFICATE REQUEST'))
  const base64 = request?.pem.replaceAll(/-----[^-]*-----/g, '') ?? ''
  return sha1Signature.test(Buffer.from(base64, 'base64').toString('hex'))
}

/**
 * The client's certificate in a PEM file, which may contain its key and chain too. Throws a usage error if there are several or
 * none.
 */
export async function checkCertificate(pem: string, name: string): Promise<string> {
  const found = await clientCertificates(pem)
  if (found.length === 1) return `${found[0]}\n`
  throw found.length === 0
    ? notInside(name, 'certificate', 'CERTIFICATE')
    : usageError(`${name} contains ${found.length} certificates that may be the client's`, 'pass only that one')
}

/** The only certificate of a PEM text, the one that its key belongs to, or those that are no certificate authority's. */
async function clientCertificates(pem: string): Promise<string[]> {
  const inside = blocks(pem)
  const found = inside.filter(({ label }) => label === 'CERTIFICATE').map((one) => one.pem)
  if (found.length < 2) return found
  const key = inside.find(({ label }) => label.endsWith('PRIVATE KEY'))?.pem
  if (key !== undefined)
    for (const one of found) if (await isKeyOf(Buffer.from(one), Buffer.from(key), 'pem')) return [one]
  const { X509Certificate } = await import('node:crypto')
  const clients = found.filter((one) => {
    try {
      return !new X509Certificate(one).ca
    } catch {
      return true
    }
  })
  return clients.length === 0 ? found : clients
}

function notInside(file: string, what: string, label: string) {
  return usageError(`${file} doesn't contain a ${what} in PEM`, `its first line is -----BEGIN ${label}-----`)
}
