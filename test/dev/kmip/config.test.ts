import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createKmip } from '../../../src/dev/kmip/engine.ts'
import { call, dataOf, stoppedClock } from './calls.ts'

const bare = () => createKmip({ clock: stoppedClock, seed: false })

describe('the configuration of the KMIP engine', () => {
  it('is not found before it is written', async () => {
    expect(await call(bare(), 'GET', 'config')).toEqual({ status: 404, errors: [] })
  })

  it('has the documented defaults after an empty write', async () => {
    const engine = bare()
    expect(await call(engine, 'POST', 'config')).toEqual({ status: 204 })
    expect(await call(engine, 'GET', 'config')).toEqual({
      status: 200,
      data: {
        listen_addrs: ['127.0.0.1:5696'],
        connection_timeout: 1,
        server_hostnames: ['localhost'],
        server_ips: [],
        tls_ca_key_type: 'ec',
        tls_ca_key_bits: 521,
        tls_min_version: 'tls12',
        default_tls_client_key_type: 'ec',
        default_tls_client_key_bits: 521,
        default_tls_client_ttl: 86_400,
      },
    })
  })

  it('has no connection_timeout in the dialect of the product', async () => {
    const engine = bare()
    await call(engine, 'PUT', 'config', {}, 'hashicorp')
    const { data } = await call(engine, 'GET', 'config', undefined, 'hashicorp')
    expect(data).toMatchObject({ server_ips: ['127.0.0.1', '::1'] })
    expect(data).not.toHaveProperty('connection_timeout')
  })

  it('keeps what a later write does not name', async () => {
    const engine = bare()
    await call(engine, 'POST', 'config', { listen_addrs: '0.0.0.0:5696, [::1]', server_ips: ['192.0.2.1'] })
    await call(engine, 'POST', 'config', {
      default_tls_client_ttl: '1h30m',
      connection_timeout: '5',
      tls_min_version: null,
    })
    expect(dataOf(await call(engine, 'GET', 'config'))).toMatchObject({
      listen_addrs: ['0.0.0.0:5696', '[::1]'],
      server_ips: ['192.0.2.1'],
      default_tls_client_ttl: 5400,
      connection_timeout: 5,
      tls_min_version: 'tls12',
    })
  })

  it.each([
    ['an unknown key type', { tls_ca_key_type: 'dsa' }, 'unknown key type "dsa"'],
    [
      'bits of another type',
      { tls_ca_key_type: 'rsa' },
      '521 key bits are not valid for key type rsa: use 2048, 3072, 4096',
    ],
    ['unknown client bits', { default_tls_client_key_bits: 255 }, '255 key bits are not valid for key type ec'],
    ['bits that are no number', { tls_ca_key_bits: 'many' }, 'field "tls_ca_key_bits"'],
    ['an unknown TLS version', { tls_min_version: 'ssl3' }, 'unknown tls_min_version "ssl3"'],
    ['an invalid time', { default_tls_client_ttl: 'soon' }, 'expected a duration'],
    ['a negative time', { connection_timeout: -1 }, 'field "connection_timeout"'],
    ['an address without a host', { listen_addrs: [':5696', 5] }, 'expected a list of strings'],
  ])('refuses %s and changes nothing', async (_, body, text) => {
    const engine = bare()
    const reply = await call(engine, 'POST', 'config', body)
    expect(reply.status).toBe(400)
    expect(reply.errors).toEqual([expect.stringContaining(text)])
    expect((await call(engine, 'GET', 'config')).status).toBe(404)
  })
})

describe('the CA of the KMIP engine', () => {
  it('is an error before the engine is configured', async () => {
    const reply = await call(bare(), 'GET', 'ca')
    expect(reply).toEqual({ status: 400, errors: [expect.stringContaining('has not been configured')] })
  })

  it.each([
    [{ tls_ca_key_bits: 256 }, 'prime256v1'],
    [{ tls_ca_key_bits: 384 }, 'secp384r1'],
    [{}, 'secp521r1'],
  ])('is an intermediate that a self-signed root vouches for (%j)', async (body, expected) => {
    const engine = bare()
    await call(engine, 'POST', 'config', body)
    const pem = dataOf(await call(engine, 'GET', 'ca'))['ca_pem'] ?? ''
    const [intermediate, root] = certificates(pem)
    expect(pem).toMatch(/-----END CERTIFICATE-----$/)
    expect(certificates(pem)).toHaveLength(2)
    expect(root?.verify(root.publicKey)).toBe(true)
    expect(root?.ca).toBe(true)
    expect(intermediate?.ca).toBe(true)
    expect(intermediate?.verify((root as X509Certificate).publicKey)).toBe(true)
    expect(intermediate?.checkIssued(root as X509Certificate)).toBe(true)
    expect(root?.publicKey.asymmetricKeyDetails?.namedCurve).toBe(expected)
    expect(root?.validFrom).toBe('Nov 21 07:12:34 2026 GMT')
  })

  it('stays when a client setting changes, and begins anew with another kind of CA key', async () => {
    const engine = bare()
    const ca = async () => dataOf(await call(engine, 'GET', 'ca'))['ca_pem']
    await call(engine, 'POST', 'config', { tls_ca_key_bits: 256 })
    const first = await ca()
    await call(engine, 'POST', 'config', { default_tls_client_ttl: 60, tls_ca_key_bits: 256 })
    expect(await ca()).toBe(first)
    await call(engine, 'POST', 'config', { tls_ca_key_bits: 384 })
    expect(await ca()).not.toBe(first)
  })
})

function certificates(pem: string): X509Certificate[] {
  return pem.split(/\n(?=-----BEGIN)/).map((text) => new X509Certificate(text))
}
