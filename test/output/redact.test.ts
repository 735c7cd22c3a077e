import { expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { createMasks } from '../../src/output/masks.ts'
import { isKnownToken } from '../../src/core/secret-names.ts'
import { createRedactor, isSecret, looksSecret } from '../../src/output/redact.ts'

test.each([
  ['sixsix', true],
  ['fivef', false],
  ['  five5 ', false],
  ['Password', false],
  ['LOCALHOST', false],
  ['default', false],
  ['secret', false],
  ['postgres', false],
  ['example', false],
  ['changeme', false],
  ['unchanged', false],
  ['(masked, differs)', false],
  ['passwords', true],
  ['12345678', false],
  ['123456789', true],
  ['a12345678', true],
  ['12345678a', true],
])('%j is masked wherever it occurs: %s', (text, expected) => {
  expect(isSecret(text)).toBe(expected)
  const redactor = createRedactor()
  redactor.add(text)
  expect(redactor.redact(`<${text.trim()}>`)).toBe(expected ? '<<redacted>>' : `<${text.trim()}>`)
})

test('tokens of a known form are masked wherever they come from', () => {
  expect(createRedactor().redact("'profiles/hvs.CAESIplanted' is not an object")).toBe(
    "'profiles/<redacted>' is not an object",
  )
})

test.each(['a.', 'a/', '1.'])('a value of millions of characters like %s is looked at', (piece) => {
  expect(looksSecret(piece.repeat(4e6))).toBe(/[a-z]/.test(piece) && /\d/.test(piece))
})

test('a secret is masked in each form in which it is written', () => {
  const redactor = createRedactor()
  redactor.add(' pass/word "é"\n')
  for (const form of ['pass/word "é"', 'pass/word \\"é\\"', 'pass%2Fword%20%22%C3%A9%22', 'cGFzcy93b3JkICLDqSI='])
    expect(redactor.redact(`a ${form} b ${form}`)).toBe('a <redacted> b <redacted>')
})

const awkward = `p&a/s~s"<w>'ö+1 %*!`
const bytes = Buffer.from(awkward)
const strict = encodeURIComponent(awkward)
  .replace('~', '%7E')
  .replace("'", '%27')
  .replace('*', '%2A')
  .replace('!', '%21')
const html = (double: string, single: string) => {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': double, "'": single }
  return awkward.replace(/[&<>"']/g, (one) => entities[one] ?? one)
}

/** Every encoding of docs/promises.md, Masking. */
test.each([
  ['as it is', awkward],
  ['JSON', JSON.stringify(awkward).slice(1, -1)],
  [
    'JSON of Go',
    JSON.stringify(awkward).slice(1, -1).replace('<', '\\u003c').replace('>', '\\u003e').replace('&', '\\u0026'),
  ],
  ['JSON with escaped slashes', JSON.stringify(awkward).slice(1, -1).replaceAll('/', '\\/')],
  ['percent encoding', encodeURIComponent(awkward)],
  ['percent encoding of all punctuation', strict],
  ['percent encoding of Go', strict.replace('%7E', '~')],
  ['percent encoding, small letters', encodeURIComponent(awkward).replace(/%../g, (code) => code.toLowerCase())],
  ['form encoding', new URLSearchParams({ a: awkward }).toString().slice(2)],
  ['form encoding of JavaScript', encodeURIComponent(awkward).replace('%20', '+')],
  ['form encoding of Go', strict.replace('%7E', '~').replace('%20', '+')],
  ['form encoding of all punctuation', strict.replace('%20', '+')],
  ['HTML', html('&quot;', '&#39;')],
  ['HTML of Go', html('&#34;', '&#39;')],
  ['HTML of Python', html('&quot;', '&#x27;')],
  ['HTML of PHP', html('&quot;', '&#039;')],
  ['hex', bytes.toString('hex')],
  ['hex, capitals', bytes.toString('hex').toUpperCase()],
  ['base64', bytes.toString('base64')],
  ['base64url', bytes.toString('base64url')],
])('a secret is masked in %s', (_, form) => {
  const redactor = createRedactor()
  redactor.add(awkward)
  expect(redactor.redact(`a ${form} b`)).toMatch(/^a <redacted>=* b$/)
})

test('a secret with half a surrogate pair is masked like any other', () => {
  const redactor = createRedactor()
  redactor.add('\ud800abcdefgh')
  expect(redactor.redact('|\ud800abcdefgh|%EF%BF%BDabcdefgh|')).toBe('|<redacted>|<redacted>|')
})

test.each(['u:', 'us:', 'use:', 'user:'])('a secret is masked in the base64 of %j and itself', (prefix) => {
  const redactor = createRedactor()
  redactor.add(awkward)
  for (const encoding of ['base64', 'base64url'] as const) {
    const text = Buffer.from(`${prefix}${awkward}~~`).toString(encoding)
    // Only characters that have a bit of a neighbour remain.
    const [start, end] = [prefix.length, prefix.length + bytes.length]
    const [first, last] = [Math.ceil((8 * start) / 6), Math.floor((8 * end) / 6)]
    expect(redactor.redact(text)).toBe(`${text.slice(0, first)}<redacted>${text.slice(last)}`)
  }
})

test.each(['a-secret', 'a-secret1', 'a-secret12'])('%s is masked to the last character in base64', (secret) => {
  const redactor = createRedactor()
  redactor.add(secret)
  for (const encoding of ['base64', 'base64url'] as const)
    expect(redactor.redact(`|${Buffer.from(secret).toString(encoding)}|`)).toBe('|<redacted>|')
})

test('a part of seven characters in base64 is not masked, one of eight is', () => {
  const redactor = createRedactor()
  redactor.add('sixsix')
  expect(redactor.redact(Buffer.from('sixsix').toString('base64'))).toBe('<redacted>')
  expect(redactor.redact(Buffer.from('usixsix').toString('base64'))).not.toContain('<redacted>')
  redactor.add('sevenab')
  expect(redactor.redact(Buffer.from('usevenab').toString('base64'))).toContain('<redacted>')
})

test('lines of twenty characters are masked by themselves, shorter ones are not', () => {
  const redactor = createRedactor()
  redactor.add(`${'x'.repeat(19)}\n  ${'y'.repeat(18)}\n${'z'.repeat(20)}`)
  expect(redactor.redact('x'.repeat(19))).toBe('x'.repeat(19))
  expect(redactor.redact('z'.repeat(20))).toBe('<redacted>')
  expect(redactor.redact(`|${'y'.repeat(18)}|`)).toBe('|<redacted>|')
})

test('a blank line of a secret masks nothing', () => {
  const redactor = createRedactor()
  redactor.add(`first-line\n${' '.repeat(20)}\nother-line`)
  expect(redactor.redact('a b')).toBe('a b')
})

test('secrets that were added together are all masked in each form', () => {
  const redactor = createRedactor()
  for (const secret of ['first-secret', 'other-secret', 'third-secret']) redactor.add(secret)
  for (const secret of ['first-secret', 'other-secret', 'third-secret'])
    expect(redactor.redact(Buffer.from(secret).toString('hex'))).toBe('<redacted>')
})

test('a word of many millions of characters, and as many words, are looked through', () => {
  const redactor = createRedactor()
  redactor.add('first-secret')
  for (const piece of ['a', 'a-long-word ']) {
    const text = piece.repeat(2e7 / piece.length)
    expect(redactor.redact(`${text} first-secret`) === `${text} <redacted>`).toBe(true)
  }
})

test.each(['ab?ab?ab?', 'ab>ab>ab>', '?>?>?>?>?>'])('%s is masked in both alphabets of base64', (secret) => {
  const redactor = createRedactor()
  redactor.add(secret)
  for (const encoding of ['base64', 'base64url'] as const)
    expect(redactor.redact(`|${Buffer.from(secret).toString(encoding)}|`)).toBe('|<redacted>|')
})

test.each([
  ['hvs.CAES', true],
  [' ghp_xy\n', true],
  ['word', false],
  ['a'.repeat(8e6), false],
  [`eyJ${'a'.repeat(8e6)}`, false],
])('%.20j is a known token: %s', (text, expected) => {
  expect(isKnownToken(text)).toBe(expected)
})

test('a workflow learns of each line of a secret once, but not of frames and short lines', () => {
  const written: string[] = []
  const stderr = { write: (text: string) => written.push(text) }
  const masks = createMasks({ stderr } as never, createRedactor())
  masks.announce()
  masks.add('short\n')
  masks.announce()
  expect(written).toEqual([])
  masks.add(
    'first-line\r\n  other-line \n-----BEGIN A KEY-----\n-----END A KEY-----\n=-----BEGIN KEY-----\n-----END KEY-----=\nshort\n100%-line',
  )
  masks.add('first-line')
  masks.announce()
  const lines = ['first-line', 'other-line', '=-----BEGIN KEY-----', '-----END KEY-----=', '100%25-line']
  expect(written.splice(0).join('')).toBe(lines.map((line) => `::add-mask::${line}\n`).join(''))
  masks.announce()
  masks.add('first-line')
  masks.announce()
  expect(written).toEqual([])
})

/** What is announced for a result. */
function announced(shown: Json | Uint8Array, redactor = createRedactor()): string[] {
  const written: string[] = []
  const masks = createMasks({ stderr: { write: (text: string) => written.push(text) } } as never, redactor)
  if (shown instanceof Uint8Array) masks.seeText(shown)
  else masks.see(shown)
  masks.announce()
  return written
    .join('')
    .split('\n')
    .flatMap((line) => /^::add-mask::(.*)$/.exec(line)?.[1] ?? [])
}

test.each<[Json | Uint8Array, string[]]>([
  [{ auth: { client_token: 'not-generated', token_type: 'service', policies: ['default'] } }, ['not-generated']],
  [{ tokens: ['first-one', 'other-one'] }, ['first-one', 'other-one']],
  [{ token: '<redacted>', error: '{"x-vault-token":"<redacted>"}' }, []],
  [{ ID: 'web/dispatch-1763709321-ab12cd34', NodeID: 'a1b2c3d4e5f6g7h8i9', SecretsNamespace: 'finance' }, []],
  [{ id: 'hvs.CAESabcdefgh', name: 'ghp_abcdefghijkl' }, ['hvs.CAESabcdefgh', 'ghp_abcdefghijkl']],
  [{ Env: { DB_PASSWORD: 'payments' }, ID: 'payments' }, []],
  [{ Env: { DB_PASSWORD: 'one-two-three', HOST: 'db.internal' } }, ['one-two-three']],
  [
    { Fields: [{ Name: 'Env[DB_PASSWORD]', Old: 'one-two-three', New: 'four-five-six' }] },
    ['one-two-three', 'four-five-six'],
  ],
  [{ data: 'a1b2c3d4e5f6g7h8' }, ['a1b2c3d4e5f6g7h8']],
  [{ url: 'https://app:hunter22@db.internal/x' }, ['hunter22']],
  [{ Source: 'env {\n  DB_PASSWORD = "one-two-three"\n}' }, ['one-two-three']],
  [Buffer.from('env {\n  DB_PASSWORD = "one-two-three"\n}'), ['one-two-three']],
  [Buffer.from('{"a":1}\n{"tokens":["first-one"]}\n'), ['first-one']],
  [Buffer.from('{"password":"one \\"two\\""}'), ['one "two"']],
  [Buffer.from('export TOKEN=one-two-three\nHOST=db.internal'), ['one-two-three']],
  [Buffer.from('id,name\nws-a1b2c3d4e5f6g7h8,web\n'), []],
  [Buffer.from('-----BEGIN PRIVATE KEY-----\nMIIEabc+def\n-----END PRIVATE KEY-----\n'), ['MIIEabc+def']],
])('a workflow learns what looks secret in %j: %j', (shown, expected) => {
  expect(announced(shown)).toEqual(expected)
})

test('a value that is known as a secret is masked under any name, and a secret inside a name is not', () => {
  const redactor = createRedactor()
  redactor.add('my-own-token', 'credential')
  redactor.keep('my-own-token')
  redactor.keep('payments.hcl')
  expect(announced({ id: 'my-own-token', password: 'payments' }, redactor)).toEqual(['my-own-token'])
})

test.each([
  ['tug job run --check-index 0 payments.hcl', undefined],
  ["web: cannot parse 'payments.hcl'", undefined],
  ['password = "payments"', 'password = "<redacted>"'],
  ['{"token":"payments.hcl"}', '{"token":"<redacted>.hcl"}'],
  ['invalid: payments', 'invalid: <redacted>'],
  ['payments.hcl2 xpayments.hcl', '<redacted>.hcl2 x<redacted>.hcl'],
  ['cGF5bWVudHM=', '<redacted>'],
])('a secret in a name stays readable where the name stands: %s', (text, expected = text) => {
  const redactor = createRedactor()
  redactor.add('payments')
  redactor.keep('payments.hcl')
  expect(redactor.redact(text)).toBe(expected)
})

test.each(['hvs.abcdefgh', 'a/ghp_abcdefgh'])('a name with a token stays hidden: %s', (name) => {
  const redactor = createRedactor()
  redactor.add(name)
  redactor.keep(name)
  expect(redactor.redact(`tug job get ${name}`)).toBe('tug job get <redacted>')
})

test('the longest secret is masked first, also if it was added last', () => {
  const redactor = createRedactor()
  redactor.add('secret1')
  expect(redactor.redact('secret1-longer')).toBe('<redacted>-longer')
  redactor.add('secret1-longer')
  expect(redactor.redact('secret1-longer')).toBe('<redacted>')
})

test.each([
  ['a1b2c3d4e5f6g7h8', '', true],
  ['a1b2c3d4e5f6g7h', '', false],
  [' a1b2c3d4e5f6g7h8\n', '', true],
  ['abcdefghijklmnopqrst', '', false],
  ['12345678901234567890', '', false],
  ['a1b2c3d4 e5f6g7h8i9', '', false],
  ['https://db-1.internal:5432/app', '', false],
  ['db-1.internal.example.com:5432', '', false],
  ['someone@host-1.example.com', '', false],
  ['registry.example:5000/team/api:2.4.0-rc.1', '', false],
  ['registry.example/api2:S3cret/x', '', true],
  ['/var/lib/app-1/data.sock', '', false],
  ['../lib/app-1/data.sock', '', false],
  ['123e4567-e89b-12d3-a456-426614174000', '', false],
  ['123e4567-e89b-12d3-a456-4266141740001', '', true],
  // What is public must be the whole text.
  ['?a1https://db-1.internal:5432/app', '', true],
  ['a b1 someone@host-1.example.com', '', false],
  ['a@b1 someone@host-1.example.com', '', false],
  ['a@1@someone@host-1.example.com', '', true],
  ['someone@host-1.example.com/1', '', true],
  ['S3cret/lib/app-1/data.sock', '', true],
  ['/lib/app-1/data.sock?a1', '', true],
  ['S_1.internal.example.com', '', true],
  ['db-1.internal.example.com:x', '', true],
  ['0123e4567-e89b-12d3-a456-426614174000', '', true],
  ['postgres://app:word@db/app', '', true],
  ['postgres://app@db/app', '', false],
  ['hvs.CAES', '', true],
  ['hvs', '', false],
  ['see hvs.CAES', '', false],
  ['see postgres://app:word@db', '', false],
  ['${NOMAD_TASK_DIR}a1b2c3d4e5', '', false],
  ['${NOMAD_TASK_DIR}a1b2c3d4e5f6g7h8', '', true],
  ['ghp_xy', '', true],
  ['github_pat_xy', '', true],
  ['glpat-xy', '', true],
  ['xoxb-xy', '', true],
  ['AKIAABCDEFGHIJKL', '', true],
  ['ASIAABCDEFGHIJKL', '', true],
  ['sk-abcdefghijklmnop', '', true],
  ['sk-web', '', false],
  ['sk_abcdefghijklmnop', '', true],
  ['pk_live_abcdefghijklmnop', '', true],
  ['npm_abcdefghijklmnop', '', true],
  ['npm_config_cache', '', false],
  ['eyJhbGciOi.x', '', true],
  ['eyJhbGciOi', '', false],
  ['-----BEGIN RSA PRIVATE KEY-----', '', true],
  ['x', 'DB_PASSWORD', true],
  ['x', 'passphrase', true],
  ['x', 'passcode', true],
  ['x', 'PWD', true],
  ['x', 'client-secret', true],
  ['x', 'apiToken', true],
  ['x', 'credentials', true],
  ['x', 'private', true],
  ['x', 'signature', true],
  ['x', 'Cookie', true],
  ['x', 'salt', true],
  ['x', 'pass', true],
  ['x', 'db-pin', true],
  ['x', 'auth', true],
  ['x', 'tls_cert', true],
  ['x', 'SENTRY_DSN', true],
  ['x', 'signing_key', true],
  ['x', 'key', true],
  ['x', 'apiKey', true],
  ['x', 'APIKEY', true],
  ['x', 'api_key', true],
  ['x', 'sshkey', true],
  ['x', 'keyboard', false],
  ['x', 'compass', false],
  ['x', 'author', false],
  ['x', 'pinned', false],
  ['x', 'host', false],
  ['x', 'user', false],
])('%j under the name %j is masked in CI logs: %s', (text, name, expected) => {
  expect(looksSecret(text, name)).toBe(expected)
})
