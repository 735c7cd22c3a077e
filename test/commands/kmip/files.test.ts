import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeParts } from '../../../src/commands/kmip/cred/files.ts'
import { scratchFolder } from '../../support/folder.ts'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { chainOf, issue } from './credentials.ts'
import { mentions, told } from '../../support/told.ts'

const credential = issue()
const csr = '-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----\n'

/** A server that issues and looks up one certificate, with the key only when generated. */
function issuing() {
  return serve(({ url }, response) => {
    const { private_key: _, ...public_ } = credential
    json(response, 200, JSON.stringify({ data: url.endsWith('/generate') ? credential : public_ }))
  })
}

test.each([
  ['kmip cred sign s r --csr - --out-dir out', csr],
  [`kmip cred lookup s r ${credential.serial_number} --out-dir out`, ''],
])('a certificate is stored beside its key: %s', async (line, stdin) => {
  const { env } = await issuing()
  const cwd = scratchFolder()
  mkdirSync(join(cwd, 'out'))
  writeFileSync(join(cwd, 'out/private-key.pem'), 'mine')
  const { exit, stderr } = await tug(line, { env, cwd, stdin })
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: 'wrote certificate.pem, ca-chain.pem to out/ (0600)\n' })
  expect(readFileSync(join(cwd, 'out/private-key.pem'), 'utf8')).toBe('mine')
  expect(readFileSync(join(cwd, 'out/ca-chain.pem'), 'utf8')).toBe(`${chainOf(credential)}\n`)
  expect((await tug(line, { env, cwd, stdin })).exit).toBe(2)
})

test.each([
  ['a folder in the place of a file', '… folder', (path: string) => mkdirSync(path)],
  ['a link that leads nowhere', '… exists', (path: string) => symlinkSync('nowhere', path)],
])('%s is found before any request', async (_, words, put) => {
  const { env, seen } = await issuing()
  const cwd = scratchFolder()
  mkdirSync(join(cwd, 'out'))
  put(join(cwd, 'out/private-key.pem'))
  const { exit, stderr } = await tug('kmip cred generate s r --out-dir out', { env, cwd })
  expect({ exit, requests: seen.length }).toEqual({ exit: 2, requests: 0 })
  expect(stderr).toMatch(mentions(`out/private-key.pem ${words}`))
})

test('files go into the target of a linked folder and the link stays', async () => {
  const { env } = await issuing()
  const cwd = scratchFolder()
  mkdirSync(join(cwd, 'real'))
  symlinkSync('real', join(cwd, 'out'))
  expect((await tug('kmip cred generate s r --out-dir out', { env, cwd })).exit).toBe(0)
  expect(lstatSync(join(cwd, 'out')).isSymbolicLink()).toBe(true)
  expect(readdirSync(join(cwd, 'real'))).toHaveLength(3)
})

test('if one part cannot be written, existing files stay unchanged and nothing else is left', async () => {
  const path = scratchFolder()
  const parts = { privateKey: Buffer.from('new'), chain: Buffer.from('new'), extension: 'pem' as const }
  for (const name of ['private-key.pem', 'certificate.pem']) writeFileSync(join(path, name), 'old')
  // Content that cannot be written acts like a disk that is full at the second file.
  const certificate = { length: 1 } as Buffer
  await expect(
    writeParts({ name: 'out', path, replace: true }, { ...parts, certificate }, () => () => undefined),
  ).rejects.toThrow(/ out: ./)
  expect(readdirSync(path).toSorted()).toEqual(['certificate.pem', 'private-key.pem'])
  expect(readFileSync(join(path, 'private-key.pem'), 'utf8')).toBe('old')
})

test.each(['certificate.pem', 'private-key.pem'])(
  'a %s created meanwhile is kept, files already written are removed, and the certificate is revoked',
  async (theirs) => {
    const cwd = scratchFolder()
    const { env, seen } = await serve(({ url }, response) => {
      if (url.endsWith('/revoke')) return void response.writeHead(204).end()
      writeFileSync(join(cwd, 'out', theirs), 'theirs')
      return json(response, 200, JSON.stringify({ data: credential }))
    })
    const { exit, stderr } = await tug('kmip cred generate s r --out-dir out', { env, cwd })
    expect(exit).toBe(1)
    expect(stderr).toMatch(mentions(`out/${theirs} …; … ${credential.serial_number} …`))
    expect(readdirSync(join(cwd, 'out'))).toEqual([theirs])
    expect(readFileSync(join(cwd, 'out', theirs), 'utf8')).toBe('theirs')
    expect(seen.at(-1)?.body).toBe(JSON.stringify({ serial_number: credential.serial_number }))
  },
)

test('a signed certificate whose files cannot be written is not revoked, as it can be looked up', async () => {
  const cwd = scratchFolder()
  const { env, seen } = await serve((_, response) => {
    rmSync(join(cwd, 'out'), { recursive: true })
    json(response, 200, JSON.stringify({ data: credential }))
  })
  const { exit, stderr } = await tug('kmip cred sign s r --csr - --out-dir out', { env, cwd, stdin: csr })
  expect({ exit, requests: seen.length }).toEqual({ exit: 1, requests: 1 })
  expect(stderr).toMatch(
    told(`tug: … out: …\nhint: tug kmip cred lookup s r ${credential.serial_number} --out-dir out\n`),
  )
})

test.each([
  ['without a key', { ...credential, private_key: undefined }, /no private\w* key;/],
  ['without a certificate', { ...credential, certificate: '' }, /no certificate/],
])('an answer %s is an error and the issued certificate is revoked', async (_, data, words) => {
  const cwd = scratchFolder()
  const { env, seen } = await serve(({ url }, response) => {
    if (url.endsWith('/revoke')) return void response.writeHead(204).end()
    return json(response, 200, JSON.stringify({ data }))
  })
  const { exit, stderr } = await tug('kmip cred generate s r --out-dir out', { env, cwd })
  expect({ exit, requests: seen.length }).toEqual({ exit: 1, requests: 2 })
  expect(stderr).toMatch(words)
  expect(readdirSync(join(cwd, 'out'))).toEqual([])
})

test('an interruption after a certificate was issued says that its key is lost', async () => {
  const signals = new Map<string, () => void>()
  const cwd = scratchFolder()
  const { env } = await serve(({ url }, response) => {
    if (url.endsWith('/scope/s/role/r/credential/revoke') || url.includes('/scope/early/')) signals.get('SIGINT')?.()
    else json(response, 200, JSON.stringify({ data: { ...credential, certificate: '' } }))
  })
  const issued = await tug('kmip cred generate s r --out-dir out', { env, cwd, signals })
  const line = `tug kmip cred revoke s r --serial ${credential.serial_number}`
  expect(issued.stderr).toMatch(
    told(
      `warning: …; … ${credential.serial_number} …: ${line}\ntug: …; POST /v1/kmip/scope/s/role/r/credential/revoke …\n`,
    ),
  )
  const asked = await tug('kmip cred generate early r --out-dir out', { env, cwd, signals })
  expect(asked.stderr).toMatch(
    told(
      'warning: …: tug kmip cred list early r --details …\ntug: …; POST /v1/kmip/scope/early/role/r/credential/generate …\n',
    ),
  )
  expect([issued.exit, asked.exit]).toEqual([130, 130])
})

const once = /: tug kmip cred list s r --details /

test.each([
  [500, 1],
  [502, 1],
  [503, 1],
  [504, 1],
])('generate is never retried after %d', async (status, exit) => {
  const { env, seen } = await serve((_, response) => json(response, status, '{"errors":["no"]}'))
  const { exit: code, stderr } = await tug('kmip cred generate s r -o yaml', { env })
  expect({ code, requests: seen.length, hint: once.test(stderr) }).toEqual({
    code: exit,
    requests: 1,
    hint: true,
  })
})

test('generate is sent once if the connection breaks, and the error says that the outcome is unknown', async () => {
  const { env, seen } = await serve((_, response) => void response.destroy())
  const { exit, stderr } = await tug('kmip cred generate s r -o yaml', { env })
  expect({ exit, requests: seen.length }).toEqual({ exit: 7, requests: 1 })
  expect(stderr).toMatch(once)
})

test('generate is retried after 429', async () => {
  const { env, seen } = await serve((_, response, count) =>
    json(response, count === 1 ? 429 : 200, JSON.stringify({ data: credential })),
  )
  const { exit, stdout } = await tug('kmip cred generate s r -o json', { env })
  expect({ exit, requests: seen.length }).toEqual({ exit: 0, requests: 2 })
  expect(JSON.parse(stdout)).toEqual(credential)
})

test('Ctrl-C while the server issues says that the outcome is unknown', async () => {
  const signals = new Map<string, () => void>()
  const { env } = await serve(() => signals.get('SIGINT')?.())
  const { exit, stderr } = await tug('kmip cred generate s r -o json -q', { env, signals })
  expect(exit).toBe(130)
  expect(stderr).toMatch(once)
})

test('Ctrl-C while a lost key is being revoked says what remains to be done', async () => {
  const cwd = scratchFolder()
  const signals = new Map<string, () => void>()
  const { env } = await serve(({ url }, response) => {
    if (url.endsWith('/revoke')) return signals.get('SIGINT')?.()
    rmSync(join(cwd, 'out'), { recursive: true })
    return json(response, 200, JSON.stringify({ data: credential }))
  })
  const { exit, stderr } = await tug('kmip cred generate s r --out-dir out', { env, cwd, signals })
  expect(exit).toBe(130)
  expect(stderr).toContain(`: tug kmip cred revoke s r --serial ${credential.serial_number}`)
})

test('a way out of the program right after the first file was created leaves no part of a credential', async () => {
  const folder = scratchFolder()
  const parts = { certificate: Buffer.from('c'), chain: Buffer.from('h'), privateKey: Buffer.from('k') }
  const onExit = (call: () => void) => {
    process.nextTick(call)
    return () => undefined
  }
  const out = { name: 'out', path: folder, replace: false }
  await expect(writeParts(out, { ...parts, extension: 'pem' }, onExit)).rejects.toMatchObject({ code: 'failed' })
  expect(readdirSync(folder)).toEqual([])
})
