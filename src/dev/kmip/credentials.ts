import { X509Certificate, generateKeyPair, type KeyObject } from 'node:crypto'
import type { JsonObject } from '../../core/json.ts'
import { readText, Refusal } from '../secrets/fields.ts'
import type { EngineRequest } from '../secrets/reply.ts'
import { promisify } from 'node:util'

export interface Credential {
  /** Decimal. */
  readonly serial: string
  /** DER. */
  readonly certificate: Buffer
  /** DER of the intermediate, then of the root, as they were when it was issued. */
  readonly chain: readonly Buffer[]
}

const formats = ['pem', 'pem_bundle', 'der'] as const
type Format = (typeof formats)[number]

/** The format asked for, else the dialect's own default. Throws {@link Refusal} for an unknown one. */
export function formatOf(fields: JsonObject, dialect: EngineRequest['dialect']): Format {
  const asked = readText(fields, 'format') ?? (dialect === 'neutral' ? 'pem' : 'pem_bundle')
  const format = formats.find((known) => known === asked)
  if (format === undefined) throw new Refusal(400, `unknown format "${asked}": use ${formats.join(', ')}`)
  return format
}

/** The credential as a reply's `data`. A bundle contains the private key too, if there is one. */
export function shownCredential(credential: Credential, format: Format, key?: KeyObject): JsonObject {
  const { serial, certificate, chain } = credential
  if (format === 'der') {
    return {
      ca_chain: chain.map((der) => der.toString('base64')),
      certificate: certificate.toString('base64'),
      ...(key === undefined
        ? {}
        : { private_key: key.export({ type: formOf(key), format: 'der' }).toString('base64') }),
      serial_number: serial,
    }
  }
  const keys = key === undefined ? [] : [privateKeyPem(key)]
  const certificates = [certificate, ...chain].map(certificatePem)
  return {
    ca_chain: certificates.slice(1),
    certificate: format === 'pem' ? certificatePem(certificate) : [...keys, ...certificates].join('\n'),
    ...(key === undefined ? {} : { private_key: privateKeyPem(key) }),
    serial_number: serial,
  }
}

export function certificatePem(der: Buffer): string {
  return new X509Certificate(der).toString().trimEnd()
}

/** Throws {@link Refusal} unless the text is a serial number in decimal; gives it without leading zeros. */
export function readSerial(text: string): string {
  if (!/^\d+$/.test(text)) throw new Refusal(400, `invalid serial number "${text}": decimal digits are expected`)
  return BigInt(text).toString()
}

/** The serial number of a certificate in PEM. Throws {@link Refusal} for anything else. */
export function serialOf(pem: string): string {
  try {
    return BigInt(`0x${new X509Certificate(pem).serialNumber}`).toString()
  } catch {
    throw new Refusal(400, 'certificate cannot be read: one certificate in PEM is expected')
  }
}

export interface KeyKind {
  readonly type: string
  readonly bits: number
}

export interface KeyPair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

const curves: Readonly<Record<number, string>> = {
  224: 'secp224r1',
  256: 'prime256v1',
  384: 'secp384r1',
  521: 'secp521r1',
}
const validBits = new Map([
  ['ec', Object.keys(curves).map(Number)],
  ['rsa', [2048, 3072, 4096]],
])

/** Throws {@link Refusal} unless the type is known and the bits belong to it. */
export function checkKind(kind: KeyKind): void {
  const bits = validBits.get(kind.type)
  if (bits === undefined) throw new Refusal(400, `unknown key type "${kind.type}": use ec or rsa`)
  if (!bits.includes(kind.bits)) {
    throw new Refusal(400, `${kind.bits} key bits are not valid for key type ${kind.type}: use ${bits.join(', ')}`)
  }
}

const generate = promisify(generateKeyPair)

/** A fresh key pair of a kind that {@link checkKind} accepts. */
export function generateKeys(kind: KeyKind): Promise<KeyPair> {
  if (kind.type === 'rsa') return generate('rsa', { modulusLength: kind.bits })
  return generate('ec', { namedCurve: curves[kind.bits] ?? '' })
}

/** What kind a public key is; the bits of a key that is neither EC nor RSA, or on another curve, are 0. */
export function kindOf(key: KeyObject): KeyKind {
  const { namedCurve, modulusLength } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType === 'rsa') return { type: 'rsa', bits: modulusLength ?? 0 }
  const bits = Object.entries(curves).find(([, curve]) => curve === namedCurve)?.[0]
  return { type: key.asymmetricKeyType ?? 'unknown', bits: Number(bits ?? 0) }
}

/** The private key in the form named after its type (`EC PRIVATE KEY`, `RSA PRIVATE KEY`), as PEM without a newline at the end. */
function privateKeyPem(key: KeyObject): string {
  return String(key.export({ type: formOf(key), format: 'pem' })).trimEnd()
}

function formOf(key: KeyObject): 'sec1' | 'pkcs1' {
  return key.asymmetricKeyType === 'rsa' ? 'pkcs1' : 'sec1'
}
