import { describe, expect, test } from 'vitest'
import { credentialParts, checkCertificate, checkCsr } from '../../../src/commands/kmip/cred/certificate.ts'
import {
  bodyOf,
  checkKeyPair,
  readSeconds,
  readSerial,
  readSpan,
  shownSpan,
} from '../../../src/commands/kmip/params.ts'
import { json, serve } from '../../support/serve.ts'
import { tug } from '../../support/run.ts'
import { startDevServer } from '../../support/dev.ts'

const sizes = { ec: [224, 256, 384, 521], rsa: [2048, 3072, 4096] } as const

test.each(Object.entries(sizes))('keys of type %s have the sizes %j', (type, own) => {
  for (const bits of Object.values(sizes).flat()) {
    const isOwn = (own as readonly number[]).includes(bits)
    const check = () => checkKeyPair(type as 'ec', bits, '--bits')
    if (isOwn) expect(check).not.toThrow()
    else expect(check).toThrow(`--bits: ${type} keys have ${own.join(', ')} bits, not ${bits}`)
  }
  checkKeyPair(type as 'ec', undefined, '--bits')
})

test('without a type a key may have a size of any', () => {
  for (const bits of Object.values(sizes).flat()) checkKeyPair(undefined, bits, '--bits')
  const known = 'ec keys have 224, 256, 384, 521 bits, rsa keys have 2048, 3072, 4096 bits'
  expect(() => checkKeyPair(undefined, 1024, '--bits')).toThrow(`--bits: ${known}, not 1024`)
})

test.each([
  ['1', 1, 1],
  ['36h', 129_600, 129_600],
  ['0', 0, undefined],
  ['1ms', undefined, '1ms'],
  ['999ms', undefined, '999ms'],
  ['1s1ms', undefined, '1001ms'],
])('%s is %s whole seconds, and the span %s', (typed, seconds, span) => {
  if (seconds === undefined) expect(() => readSeconds(typed)).toThrow(`'${typed}'`)
  else expect(readSeconds(typed)).toBe(seconds)
  if (span === undefined) expect(() => readSpan(typed)).toThrow(`'${typed}'`)
  else expect(readSpan(typed)).toBe(span)
})

test.each([
  [90, '1m 30s'],
  ['1s', '1s'],
  [null, ''],
])('the span %j of an answer is shown as %j', (ttl, shown) => {
  expect(shownSpan({ ttl }, 'ttl')).toBe(shown)
})

test.each([
  ['007', '7'],
  ['728181095563584845125173905844944137943705466376', '728181095563584845125173905844944137943705466376'],
  ['55F2F20B35166B6BF35915ACCC7BD4812130D583', '490682080844937785548122295884161753381667394947'],
  [' 7 ', '7'],
  ['0x5', '5'],
  ['5:f2', '1522'],
  ['0x05:f2', '1522'],
  ['00000000000000ff', '255'],
  ['000000000000000f1', '241'],
  ['0000000000000ff', undefined],
  ['05:f', undefined],
  ['105:f2', undefined],
  ['05:f2x', undefined],
  ['x05:f2', undefined],
  ['7x', undefined],
  ['x7', undefined],
  ['x0000000000000ff0', undefined],
  ['0x', undefined],
  ['', undefined],
])('the serial number %j is %s', (typed, serial) => {
  if (serial === undefined) expect(() => readSerial(typed)).toThrow(`'${typed}'`)
  else expect(readSerial(typed)).toBe(serial)
})

test('flags are fields of a body by their names in snake case', () => {
  expect(bodyOf({ tlsCaKeyBits: 2048, serverIps: [], noneGiven: undefined })).toEqual({
    tls_ca_key_bits: 2048,
    server_ips: [],
  })
})

const block = (label: string, content: string) => `-----BEGIN ${label}-----\n${content}\n-----END ${label}-----`
const [client, issuer, root] = ['Y2xp', 'aXNz', 'cm9v'].map((content) => block('CERTIFICATE', content)) as [
  string,
  string,
  string,
]
const key = block('EC PRIVATE KEY', 'a2V5')

describe('the parts of a credential', () => {
  const text = (bytes: Buffer | undefined) => bytes?.toString()
  const parts = (credential: object, format: 'pem' | 'pem_bundle' | 'der' = 'pem') => {
    const { certificate, chain, privateKey } = credentialParts(credential as never, format)
    return [text(certificate), text(chain), text(privateKey)]
  }

  test.each([
    [{ certificate: client }, [`${client}\n`, '', undefined]],
    [{ certificate: client, private_key: null, ca_chain: null }, [`${client}\n`, '', undefined]],
    [
      { certificate: client, private_key: `${key}\n`, ca_chain: [issuer, `${root}\n`] },
      [`${client}\n`, `${issuer}\n${root}\n`, `${key}\n`],
    ],
    [{ certificate: 'odd', private_key: 'odd' }, ['', '', undefined]],
  ])('%j', (credential, expected) => {
    expect(parts(credential)).toEqual(expected)
  })

  test('of a bundle, whose chain is there once', () => {
    const bundle = [key, client, issuer, root].join('\n')
    const expected = [`${client}\n`, `${issuer}\n${root}\n`, `${key}\n`]
    expect(parts({ certificate: bundle, ca_chain: [issuer, root] }, 'pem_bundle')).toEqual(expected)
  })

  test('in DER', () => {
    const bare = { certificate: 'Y2xp', ca_chain: ['aXNz', 'cm9v'], private_key: 'a2V5' }
    expect(parts(bare, 'der')).toEqual(['cli', 'issroo', 'key'])
    expect(parts({ certificate: 'Y2xp' }, 'der')).toEqual(['cli', '', undefined])
  })

  test('that are sent are exactly what is expected, without a key', async () => {
    const [csr, newer] = ['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST'].map((label) => block(label, 'Y3Ny')) as [
      string,
      string,
    ]
    for (const request of [csr, newer, `${client}\n${csr}`]) expect(checkCsr(request, 'f')).toBe(request)
    expect(() => checkCsr(client, 'f')).toThrow('f ')
    expect(() => checkCsr(block('CERTIFICATE REQUESTS', 'Y3Ny'), 'f')).toThrow('f ')
    expect(() => checkCsr(block('OLD NEW CERTIFICATE REQUEST', 'Y3Ny'), 'f')).toThrow('f ')
    expect(() => checkCsr(`${csr}\n${key}`, 'f')).toThrow('private key')
    expect(await checkCertificate(`text\n${client}\ntext`, 'f')).toBe(`${client}\n`)
    expect(await checkCertificate(`${client}\n${key}`, 'f')).toBe(`${client}\n`)
    await expect(checkCertificate(key, 'f')).rejects.toThrow('f ')
    await expect(checkCertificate(`${client}\n${issuer}`, 'f')).rejects.toThrow('f contains 2 certificates')
    await expect(checkCertificate(csr, 'f')).rejects.toThrow('f ')
  })
})

test.each([
  ['db1', true],
  ['db1.example_2-x:5696', true],
  ['0.0.0.0:1', true],
  [':5696', true],
  ['[::1]', true],
  ['[::1]:65535', true],
  ['0.0.0.0:65535', true],
  ['0.0.0.0:0', false],
  ['0.0.0.0:65536', false],
  ['0.0.0.0:', false],
  ['[::1]:65536', false],
  ['[]:5696', false],
  ['x[::1]:5696', false],
  ['db1:5696x', false],
])('the address %s can be listened on: %s', async (address, isFine) => {
  const { env } = await startDevServer()
  const { exit, stdout } = await tug(['kmip', 'config', 'set', '--listen-addrs', address, '--dry-run'], { env })
  expect([exit, stdout.includes(address)]).toEqual(isFine ? [0, true] : [2, false])
})

const [a28, b28] = ['a', 'b'].map((letter) => letter.repeat(28)) as [string, string]

test.each([
  [[a28, b28], [`${a28}, ${b28}`]],
  [
    [a28, `${b28}b`],
    [`${a28},`, `${b28}b`],
  ],
  [
    [a28, b28, 'c'],
    [`${a28}, ${b28},`, 'c'],
  ],
  [
    [a28, `${b28}b`, 'c'],
    [`${a28},`, `${b28}b, c`],
  ],
])('the operations %j of a role are shown in these lines: %j', async (names, lines) => {
  const data = Object.fromEntries(names.map((name) => [`operation_${name}`, true]))
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify({ data })))
  const { stdout } = await tug('kmip role get s r', { env })
  const [shown = ''] = stdout.split('tls_client_key_type')
  expect(
    shown
      .trim()
      .replace(/^operations\s+/, '')
      .split(/\n */),
  ).toEqual(lines)
})

test('a role has the overrides of the engine, and operations only where they are true', async () => {
  const data = {
    operation_get: 'true',
    tls_client_key_type: 'rsa',
    tls_client_key_bits: 2048,
    tls_client_ttl: 90,
    zone: 1,
  }
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify({ data })))
  const { stdout } = await tug('kmip role get s r', { env })
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['operations', 'none'],
    ['tls_client_key_type', 'rsa'],
    ['tls_client_key_bits', '2048'],
    ['tls_client_ttl', '1m 30s'],
    ['zone', '1'],
    [''],
  ])
})

test.each(['', 0, '0', null])('a role whose lifetime is %j has that of the engine', async (ttl) => {
  const data = { tls_client_ttl: ttl }
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify({ data })))
  expect((await tug('kmip role get s r', { env })).stdout).toMatch(/^tls_client_ttl +engine default$/m)
})

test('a configuration has its fields in one order, and then those of newer servers', async () => {
  const fields = [
    'listen_addrs',
    'connection_timeout',
    'server_hostnames',
    'server_ips',
    'tls_ca_key_type',
    'tls_ca_key_bits',
    'tls_min_version',
    'default_tls_client_key_type',
    'default_tls_client_key_bits',
    'default_tls_client_ttl',
  ]
  const valueOf = (name: string) =>
    name.endsWith('s') && !name.endsWith('bits') ? ['90'] : /type|version/.test(name) ? '90' : 90
  const data = Object.fromEntries(['zone', ...fields.toReversed()].map((name) => [name, valueOf(name)]))
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify({ data })))
  const { stdout } = await tug('kmip config get', { env })
  const shown = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(/ {2,}/))
  const spans = ['connection_timeout', 'default_tls_client_ttl']
  expect(shown).toEqual([...fields, 'zone'].map((name) => [name, spans.includes(name) ? '1m 30s' : '90']))
  expect((await tug('kmip config get -o name', { env })).stdout).toBe('config\n')
})
