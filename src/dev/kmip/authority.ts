// The X.509 library needs it to be there first.
// oxlint-disable-next-line import/no-unassigned-import
import 'reflect-metadata'
import type { KeyObject } from 'node:crypto'
import { createPublicKey, randomBytes, webcrypto } from 'node:crypto'
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
import type { Extension, X509Certificate } from '@peculiar/x509'
import { Refusal } from '../secrets/fields.ts'
import type { KeyKind } from './keys.ts'

/** The certificate authority of the KMIP engine: a root, an intermediate, and the client certificates that the latter signs. */

export interface Authority {
  /** DER of the intermediate, then of the root. */
  readonly chain: readonly Buffer[]
  /** Signs a client certificate. Times are cut to whole seconds. Throws {@link Refusal} 400 when it would outlive the authority. */
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

/**
 * Makes a root and an intermediate with keys of the kind given, valid for ten years from `since`.
 * The kind is one that the engine's configuration accepts for its CA.
 */
export async function createAuthority(kind: KeyKind, since: Date): Promise<Authority> {
  const [root, intermediate] = await Promise.all([authorityKeys(kind), authorityKeys(kind)])
  const signing = { name: 'ECDSA', hash: kind.type === 'ec' ? (hashes[kind.bits] ?? '') : 'SHA-256' }
  const notBefore = wholeSeconds(since)
  const notAfter = new Date(notBefore.getTime() + lifetime)
  const validity = { notBefore, notAfter, signingAlgorithm: signing }
  const rootName = 'CN=kmip-default'
  const intermediateName = 'CN=kmip-default-intermediate'

  const rootCertificate = await X509CertificateGenerator.create({
    ...validity,
    serialNumber: newSerial(),
    subject: rootName,
    issuer: rootName,
    publicKey: root.publicKey,
    signingKey: root.privateKey,
    extensions: [...authorityUses(10), await SubjectKeyIdentifierExtension.create(root.publicKey)],
  })
  const intermediateCertificate = await X509CertificateGenerator.create({
    ...validity,
    serialNumber: newSerial(),
    subject: intermediateName,
    issuer: rootName,
    publicKey: intermediate.publicKey,
    signingKey: root.privateKey,
    extensions: [
      ...authorityUses(9),
      await SubjectKeyIdentifierExtension.create(intermediate.publicKey),
      await AuthorityKeyIdentifierExtension.create(root.publicKey),
    ],
  })

  return {
    chain: [der(intermediateCertificate), der(rootCertificate)],
    async issue(client) {
      const ends = wholeSeconds(client.notAfter)
      if (ends > notAfter)
        throw new Refusal(400, `the certificate would outlive its CA, which ends ${notAfter.toISOString()}`)
      const serial = newSerial()
      const publicKey = client.publicKey.export({ type: 'spki', format: 'der' })
      const certificate = await X509CertificateGenerator.create({
        serialNumber: serial,
        subject: `OU=${client.organizationalUnit}, CN=${client.commonName}`,
        issuer: intermediateName,
        notBefore: wholeSeconds(client.notBefore),
        notAfter: ends,
        signingAlgorithm: signing,
        publicKey,
        signingKey: intermediate.privateKey,
        extensions: [
          new KeyUsagesExtension(
            KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment | KeyUsageFlags.keyAgreement,
            true,
          ),
          new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
          await SubjectKeyIdentifierExtension.create(publicKey),
          await AuthorityKeyIdentifierExtension.create(intermediate.publicKey),
        ],
      })
      return { serial: BigInt(`0x${serial}`).toString(), certificate: der(certificate) }
    },
  }
}

/** The public key of a signing request (PEM). Throws {@link Refusal} 400 when it cannot be read or did not sign the request. */
export async function publicKeyOfRequest(pem: string): Promise<KeyObject> {
  let verified: boolean
  let key: KeyObject
  try {
    const request = new Pkcs10CertificateRequest(pem)
    key = createPublicKey({ key: Buffer.from(request.publicKey.rawData), format: 'der', type: 'spki' })
    verified = await request.verify()
  } catch {
    throw new Refusal(
      400,
      'csr cannot be read: a PEM certificate request with an RSA key, or an EC key of 256, 384 or 521 bits, is expected',
    )
  }
  if (!verified) throw new Refusal(400, 'csr is not signed by the key it holds')
  return key
}

function authorityKeys(kind: KeyKind): Promise<webcrypto.CryptoKeyPair> {
  const uses = ['sign', 'verify'] as const
  if (kind.type === 'ec') {
    return webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: `P-${kind.bits}` }, false, uses)
  }
  const exponent = new Uint8Array([1, 0, 1])
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', modulusLength: kind.bits, publicExponent: exponent, hash: 'SHA-256' }
  return webcrypto.subtle.generateKey(algorithm, false, uses)
}

function authorityUses(pathLength: number): Extension[] {
  return [
    new BasicConstraintsExtension(true, pathLength, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
  ]
}

/** 20 random bytes as hexadecimal; the first is never 0 and its sign bit is clear, so that nobody pads or cuts it. */
function newSerial(): string {
  const bytes = randomBytes(20)
  bytes[0] = (bytes.readUInt8(0) & 0x3f) | 0x40
  return bytes.toString('hex')
}

function wholeSeconds(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000)
}

function der(certificate: X509Certificate): Buffer {
  return Buffer.from(certificate.rawData)
}
