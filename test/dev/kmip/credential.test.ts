// The X.509 library needs it to be there first.
// oxlint-disable-next-line import/no-unassigned-import
import 'reflect-metadata'
import { createPrivateKey, createPublicKey, webcrypto, X509Certificate } from 'node:crypto'
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { createKmip } from '../../../src/dev/kmip/engine.ts'
import type { SecretsEngine } from '../../../src/dev/secrets/reply.ts'
import { compareBytes } from '../../../src/dev/go.ts'
import { call, dataOf, now, stoppedClock } from './calls.ts'

const role = 'scope/s/role/r'
const generate = `${role}/credential/generate`
const sign = `${role}/credential/sign`
const revoke = `${role}/credential/revoke`

describe('generating a credential', () => {
  it.each([
    [{ tls_client_key_bits: 256 }, 'EC', 'prime256v1'],
    [{}, 'EC', 'secp521r1'],
    [{ tls_client_key_type: 'rsa', tls_client_key_bits: 2048 }, 'RSA', 2048],
  ])('gives a certificate of the CA and its private key (%j)', async (settings, type, expected) => {
    const engine = await withRole({ ...settings, tls_client_ttl: '90m' })
    const reply = await call(engine, 'POST', generate, { format: 'pem' })
    const { certificate = '', private_key: key = '', ca_chain: chain, serial_number: serial } = dataOf(reply)
    expect(reply.status).toBe(200)
    expect(reply.warnings).toBeUndefined()
    const issued = verified(certificate, chain)
    expect(BigInt(`0x${issued.serialNumber}`).toString()).toBe(serial)
    expect(serial).toMatch(/^\d{48,49}$/)
    expect(key).toMatch(new RegExp(`^-----BEGIN ${type} PRIVATE KEY-----\n[^]*\n-----END ${type} PRIVATE KEY-----$`))
    expect(issued.checkPrivateKey(createPrivateKey(key))).toBe(true)
    const { namedCurve, modulusLength } = issued.publicKey.asymmetricKeyDetails ?? {}
    expect(namedCurve ?? modulusLength).toBe(expected)
    expect(issued.subject).toMatch(/^OU=\w{5}\nCN=\w{5}$/)
    expect(issued.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2'])
    expect(new Date(issued.validFrom)).toEqual(new Date('2026-11-21T07:12:34Z'))
    expect(new Date(issued.validTo)).toEqual(new Date('2026-11-21T08:42:34Z'))
    const ca = dataOf(await call(engine, 'GET', 'ca'))
    expect(chain.join('\n')).toBe(ca['ca_pem'])
  })

  it('takes the time to live from the configuration unless the role has its own', async () => {
    const engine = await withRole({})
    const absoluteTimes = async () => {
      const { certificate = '' } = dataOf(await call(engine, 'POST', generate))
      return (new Date(new X509Certificate(certificate).validTo).getTime() - now.getTime() + 567) / 1000
    }
    expect(await absoluteTimes()).toBe(86_400)
    await call(engine, 'POST', 'config', { default_tls_client_ttl: 60 })
    expect(await absoluteTimes()).toBe(60)
    await call(engine, 'POST', role, { tls_client_ttl: 3600 })
    expect(await absoluteTimes()).toBe(3600)
  })

  it('gives DER as base64', async () => {
    const engine = await withRole({})
    const data = dataOf(await call(engine, 'POST', generate, { format: 'der' }))
    const [certificate, key, ...chain] = [data['certificate'], data['private_key'], ...data.ca_chain].map((text) =>
      Buffer.from(text ?? '', 'base64'),
    )
    const issued = new X509Certificate(certificate as Buffer)
    expect(issued.checkPrivateKey(createPrivateKey({ key: key as Buffer, format: 'der', type: 'sec1' }))).toBe(true)
    expect(issued.verify(new X509Certificate(chain[0] as Buffer).publicKey)).toBe(true)
    expect(chain).toHaveLength(2)
  })

  it('gives a bundle of key, certificate and chain, the default of the current engine only', async () => {
    const engine = await withRole({})
    const data = dataOf(await call(engine, 'POST', generate, {}, 'hashicorp'))
    const blocks = (data['certificate'] ?? '').split(/\n(?=-----BEGIN)/)
    expect(blocks[0]).toBe(data['private_key'])
    expect(blocks.slice(2)).toEqual(data.ca_chain)
    verified(blocks[1] ?? '', data.ca_chain)
    expect(dataOf(await call(engine, 'POST', generate, {}))['certificate']).not.toContain('PRIVATE KEY')
  })

  it('warns of parameters it does not know', async () => {
    const engine = await withRole({})
    const reply = await call(engine, 'POST', generate, { cert_format: 'pem', format: 'pem', at: 1 })
    expect(reply.warnings).toEqual(['Endpoint ignored these unrecognized parameters: [at cert_format]'])
  })

  it('refuses what cannot be', async () => {
    const engine = await withRole({})
    const errors = async (path: string, body: JsonObject = {}) => {
      const reply = await call(engine, 'POST', path, body)
      return [reply.status, ...(reply.errors ?? [])]
    }
    expect(await errors(generate, { format: 'p12' })).toEqual([400, expect.stringContaining('unknown format "p12"')])
    expect(await errors('scope/x/role/r/credential/generate')).toEqual([404, 'scope "x" not found'])
    expect(await errors('scope/s/role/x/credential/generate')).toEqual([404, 'role "x" not found in scope "s"'])
    await call(engine, 'POST', role, { tls_client_key_bits: 384 })
    await call(engine, 'POST', 'config', { default_tls_client_key_type: 'rsa', default_tls_client_key_bits: 2048 })
    expect(await errors(generate)).toEqual([400, expect.stringContaining('384 key bits are not valid')])
  })
})

describe('signing a request', () => {
  it('certifies the key that signed it', async () => {
    const engine = await withRole({ tls_client_key_bits: 256 })
    const { csr, publicKey } = await request('P-256')
    const reply = await call(engine, 'POST', sign, { csr, format: 'pem' })
    const { certificate = '', ca_chain: chain, ...rest } = dataOf(reply)
    expect(Object.keys(rest)).toEqual(['serial_number'])
    expect(verified(certificate, chain).publicKey.export({ type: 'spki', format: 'pem' })).toBe(publicKey)
    const bundle = dataOf(await call(engine, 'POST', sign, { csr, format: 'pem_bundle' }))
    expect(bundle['certificate']?.match(/BEGIN \w+/g)).toEqual(Array(3).fill('BEGIN CERTIFICATE'))
  })

  it('refuses a key of another type or size than the role’s, or than the default', async () => {
    const engine = await withRole({})
    const refused = async (key: string | number) => {
      const reply = await call(engine, 'POST', sign, { csr: (await request(key)).csr })
      return [reply.status, ...(reply.errors ?? [])]
    }
    const wanted = 'role "r" takes ec keys of 521 bits; the key of the csr is'
    expect(await refused('P-256')).toEqual([400, `${wanted} ec, 256 bits`])
    expect(await refused(2048)).toEqual([400, `${wanted} rsa, 2048 bits`])
    expect((await call(engine, 'LIST', `${role}/credential`)).status).toBe(404)
  })

  it('refuses what is not a request', async () => {
    const engine = await withRole({ tls_client_key_bits: 256 })
    for (const [csr, text] of [
      ['hello', 'cannot be read'],
      ['-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----', 'cannot be read'],
      ['', 'cannot be read'],
    ] as const) {
      const reply = await call(engine, 'POST', sign, { csr })
      expect(reply).toEqual({ status: 400, errors: [expect.stringContaining(text)] })
    }
    expect((await call(engine, 'POST', sign, { csr: 5 })).errors).toEqual([expect.stringContaining('field "csr"')])
  })
})

describe('issued credentials', () => {
  it('are listed, looked up without their key, and gone when revoked', async () => {
    const engine = await withRole({})
    const list = () => call(engine, 'LIST', `${role}/credential`)
    const lookUp = (serial = '', format = 'pem') =>
      call(engine, 'GET', `${role}/credential/lookup?serial_number=${serial}&format=${format}`)
    expect(await list()).toEqual({ status: 404, errors: [] })
    const first = dataOf(await call(engine, 'POST', generate))
    const second = dataOf(await call(engine, 'POST', generate))
    const serials = [first, second].map((data) => data['serial_number'] ?? '')
    expect(dataOf(await list()).keys).toEqual(serials.toSorted(compareBytes))
    const { private_key: _, ...shown } = first
    expect((await lookUp(first['serial_number'])).data).toEqual(shown)
    expect(dataOf(await lookUp(first['serial_number'], 'pem_bundle'))['certificate']).not.toContain('PRIVATE')

    expect(await call(engine, 'POST', revoke, { serial_number: first['serial_number'] ?? '' })).toEqual({ status: 204 })
    expect(await lookUp(first['serial_number'])).toEqual({ status: 404, errors: [] })
    expect(dataOf(await list()).keys).toEqual([second['serial_number']])
    expect(await call(engine, 'POST', revoke, { certificate: second['certificate'] ?? '' })).toEqual({ status: 204 })
    expect(await list()).toEqual({ status: 404, errors: [] })
  })

  it('are revoked by exactly one of serial number and certificate, and by their own role', async () => {
    const engine = await withRole({})
    await call(engine, 'POST', 'scope/s/role/other')
    const { serial_number: serial = '', certificate = '' } = dataOf(await call(engine, 'POST', generate))
    const other = 'scope/s/role/other/credential/revoke'
    const forged = certificate.replace(/\n[^-]{64}\n/, `\n${'A'.repeat(64)}\n`)
    for (const [path, body, status, text] of [
      [revoke, {}, 400, 'exactly one'],
      [revoke, { serial_number: serial, certificate }, 400, 'exactly one'],
      [revoke, { serial_number: '55:f2:f2:0b' }, 400, 'invalid serial number'],
      [revoke, { serial_number: '12345' }, 404, 'has no credential with a certificate with serial number 12345'],
      [revoke, { certificate: forged }, 400, 'cannot be read'],
      [other, { serial_number: serial }, 404, 'role "other" has no credential'],
      [other, { certificate }, 404, 'role "other" has no credential'],
    ] as const) {
      const reply = await call(engine, 'POST', path, body)
      expect(reply).toEqual({ status, errors: [expect.stringContaining(text)] })
    }
    expect(dataOf(await call(engine, 'LIST', `${role}/credential`)).keys).toHaveLength(1)
  })
})

describe('the demo engine', () => {
  it('starts with credentials near and far from their end', async () => {
    const engine = createKmip({ clock: stoppedClock })
    const credentials = 'scope/storage/role/backup/credential'
    const [first, second] = await Promise.all([call(engine, 'LIST', credentials), call(engine, 'LIST', credentials)])
    const { keys } = dataOf(first)
    expect(dataOf(second).keys).toEqual(keys)
    const hours: number[] = []
    for (const serial of keys) {
      const data = dataOf(await call(engine, 'GET', `${credentials}/lookup?serial_number=${serial}`))
      const ends = new Date(verified(data['certificate'] ?? '', data.ca_chain).validTo).getTime()
      hours.push(Math.round((ends - now.getTime()) / 3_600_000))
    }
    expect(hours.toSorted((a, b) => a - b)).toEqual([6, 5 * 24, 363 * 24])
    expect(await call(engine, 'GET', 'config')).toMatchObject({ status: 200, data: { tls_ca_key_bits: 521 } })
  })
})

async function withRole(settings: JsonObject): Promise<SecretsEngine> {
  const engine = createKmip({ clock: stoppedClock, seed: false })
  await call(engine, 'POST', 'config', {})
  await call(engine, 'POST', 'scope/s')
  const reply = await call(engine, 'POST', role, { operation_all: true, ...settings })
  expect(reply).toEqual({ status: 204 })
  return engine
}

/** The client certificate, once each certificate of the chain is found to vouch for the one before. */
function verified(pem: string, chain: readonly string[]): X509Certificate {
  const [client, intermediate, root] = [pem, ...chain].map((text) => new X509Certificate(text)) as [
    X509Certificate,
    X509Certificate,
    X509Certificate,
  ]
  expect(chain).toHaveLength(2)
  expect(client.checkIssued(intermediate) && client.verify(intermediate.publicKey)).toBe(true)
  expect(intermediate.checkIssued(root) && intermediate.verify(root.publicKey)).toBe(true)
  expect(root.checkIssued(root) && root.verify(root.publicKey)).toBe(true)
  expect(client.ca).toBe(false)
  return client
}

/** A signing request of a fresh key: EC on a named curve, or RSA with so many bits. */
async function request(key: string | number): Promise<{ csr: string; publicKey: string }> {
  const algorithm =
    typeof key === 'string'
      ? { name: 'ECDSA', namedCurve: key }
      : { name: 'RSASSA-PKCS1-v1_5', modulusLength: key, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const signingAlgorithm = { ...algorithm, hash: 'SHA-256' }
  const made = await Pkcs10CertificateRequestGenerator.create({ name: 'CN=appliance', keys, signingAlgorithm })
  const spki = Buffer.from(await webcrypto.subtle.exportKey('spki', keys.publicKey))
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' }).export({ type: 'spki', format: 'pem' })
  return { csr: made.toString('pem'), publicKey: String(publicKey) }
}
