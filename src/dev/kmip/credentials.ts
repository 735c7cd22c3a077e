import type { KeyObject } from 'node:crypto'
import { X509Certificate } from 'node:crypto'
import type { JsonObject } from '../../core/json.ts'
import { readText, Refusal } from '../secrets/fields.ts'
import { privateKeyDer, privateKeyPem } from './keys.ts'
import type { EngineRequest } from '../secrets/reply.ts'

/** A client certificate that was issued. */
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
      ...(key === undefined ? {} : { private_key: privateKeyDer(key).toString('base64') }),
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

/** A certificate's DER as PEM without a newline at the end. */
export function certificatePem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----'].join('\n')
}

/** Throws {@link Refusal} unless the text is a serial number in decimal; gives it without leading zeros. */
export function readSerial(text: string): string {
  if (!/^\d+$/.test(text)) throw new Refusal(400, `invalid serial number "${text}": decimal digits are expected`)
  return BigInt(text).toString()
}

/** The DER of the one certificate in a PEM text. Throws {@link Refusal} for anything else. */
export function readCertificate(pem: string): Buffer {
  const blocks = pem.match(/-----BEGIN [^-]+-----/g) ?? []
  if (blocks.length !== 1) throw new Refusal(400, 'certificate must be one certificate in PEM')
  try {
    return new X509Certificate(pem).raw
  } catch {
    throw new Refusal(400, 'certificate cannot be read: one certificate in PEM is expected')
  }
}
