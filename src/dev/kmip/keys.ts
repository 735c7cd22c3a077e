import type { KeyObject } from 'node:crypto'
import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { Refusal } from '../secrets/fields.ts'

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
export function privateKeyPem(key: KeyObject): string {
  return String(key.export({ type: formOf(key), format: 'pem' })).trimEnd()
}

/** The same as DER. */
export function privateKeyDer(key: KeyObject): Buffer {
  return key.export({ type: formOf(key), format: 'der' })
}

function formOf(key: KeyObject): 'sec1' | 'pkcs1' {
  return key.asymmetricKeyType === 'rsa' ? 'pkcs1' : 'sec1'
}
