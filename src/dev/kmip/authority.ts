// The X.509 library needs this first.
// oxlint-disable-next-line import/no-unassigned-import
import 'reflect-metadata'
import { createPublicKey, randomBytes, webcrypto, type KeyObject } from 'node:crypto'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Pkcs10CertificateRequest,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import type { Extension } from '@peculiar/x509'
import { Refusal } from '../secrets/fields.ts'

/** A root, an intermediate, and the client certificates that the latter signs. */
export interface Authority {
  /** DER of the intermediate, then of the root. */
  readonly chain: readonly Buffer[]
  /** Signs a client certificate. Times are cut to whole seconds. */
  issue(client: ClientCertificate): Promise<IssuedCertificate>
}

interface ClientCertificate {
  readonly publicKey: KeyObject
  readonly organizationalUnit: string
  readonly commonName: string
  readonly notBefore: Date
  readonly notAfter: Date
}

interface IssuedCertificate {
  /** Decimal. */
  readonly serial: string
  /** DER. */
  readonly certificate: Buffer
}

const lifetime = 10 * 365 * 86_400_000
const hashes: Readonly<Record<number, string>> = { 256: 'SHA-256', 384: 'SHA-384', 521: 'SHA-512' }
const rootName = 'CN=kmip-default'
const intermediateName = 'CN=kmip-default-intermediate'

/** Makes a root and an intermediate with EC keys of so many bits (256 if there is no such curve), valid for ten years from `since`. */
export async function createAuthority(bits: number, since: Date): Promise<Authority> {
  const [root, intermediate] = await Promise.all([authorityKeys(bits), authorityKeys(bits)])
  const signingAlgorithm = { name: 'ECDSA', hash: hashes[bits] ?? 'SHA-256' }
  const notBefore = wholeSeconds(since)
  const notAfter = new Date(notBefore.getTime() + lifetime)

  async function certificate(fields: {
    readonly subject: string
    readonly publicKey: webcrypto.CryptoKey | Buffer
    readonly issuer: string
    readonly signer: webcrypto.CryptoKeyPair
    readonly uses: readonly Extension[]
    readonly from?: Date
    readonly until?: Date
  }): Promise<IssuedCertificate> {
    const { subject, publicKey, issuer, signer, uses, from = notBefore, until = notAfter } = fields
    // The first byte is never 0 and its sign bit is clear, so nobody pads or cuts it.
    const bytes = randomBytes(20)
    bytes[0] = (bytes.readUInt8(0) & 0x3f) | 0x40
    const serial = bytes.toString('hex')
    const isOwn = subject === issuer
    const made = await X509CertificateGenerator.create({
      serialNumber: serial,
      subject,
      issuer,
      notBefore: from,
      notAfter: until,
      signingAlgorithm,
      publicKey,
      signingKey: signer.privateKey,
      extensions: [
        ...uses,
        await SubjectKeyIdentifierExtension.create(publicKey),
        ...(isOwn ? [] : [await AuthorityKeyIdentifierExtension.create(signer.publicKey)]),
      ],
    })
    return { serial: BigInt(`0x${serial}`).toString(), certificate: Buffer.from(made.rawData) }
  }

  const issuer = { issuer: rootName, signer: root }
  const top = await certificate({ ...issuer, subject: rootName, publicKey: root.publicKey, uses: authorityUses(10) })
  const below = await certificate({
    ...issuer,
    subject: intermediateName,
    publicKey: intermediate.publicKey,
    uses: authorityUses(9),
  })

  return {
    chain: [below.certificate, top.certificate],
    async issue(client) {
      return certificate({
        subject: `OU=${client.organizationalUnit}, CN=${client.commonName}`,
        publicKey: client.publicKey.export({ type: 'spki', format: 'der' }),
        issuer: intermediateName,
        signer: intermediate,
        uses: [
          new KeyUsagesExtension(
            KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment | KeyUsageFlags.keyAgreement,
            true,
          ),
          new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
        ],
        from: wholeSeconds(client.notBefore),
        until: wholeSeconds(client.notAfter),
      })
    },
  }
}

/** The public key of a signing request (PEM). Throws {@link Refusal} if it cannot be read. */
export function publicKeyOfRequest(pem: string): KeyObject {
  try {
    const { publicKey } = new Pkcs10CertificateRequest(pem)
    return createPublicKey({ key: Buffer.from(publicKey.rawData), format: 'der', type: 'spki' })
  } catch {
    throw new Refusal(400, 'csr cannot be read: expected a PEM certificate request')
  }
}

function authorityKeys(bits: number): Promise<webcrypto.CryptoKeyPair> {
  const namedCurve = `P-${bits in hashes ? bits : 256}`
  return webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve }, false, ['sign', 'verify'])
}

function authorityUses(pathLength: number): Extension[] {
  return [
    new BasicConstraintsExtension(true, pathLength, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
  ]
}

function wholeSeconds(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000)
}
