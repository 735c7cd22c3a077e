import { X509Certificate, createPrivateKey } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CertificateFormat, CredentialFile } from '../../../src/commands/kmip/cred/certificate.ts'
import { prepareOutDir, readFiled, writeParts } from '../../../src/commands/kmip/cred/files.ts'
import type { Io } from '../../../src/core/context.ts'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { start } from '../../support/process.ts'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { chainOf, issue } from './credentials.ts'
import { mentions, says, told } from '../../support/told.ts'

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
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: says('… certificate.pem, ca-chain.pem … out/ …\n') })
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

test('folders that were created are removed if nothing was issued', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  const ended = (role: string) =>
    start(['kmip', 'cred', 'generate', 'storage', role, '--out-dir', 'a/b'], { env, cwd }).ended
  expect((await ended('none')).status).toBe(3)
  expect(readdirSync(cwd)).toEqual([])
  expect((await ended('backup')).status).toBe(0)
  expect(readdirSync(join(cwd, 'a/b'))).toHaveLength(3)
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

const uid = process.getuid?.()

/** What files are written with; the lock is free. */
const machine = { now: () => new Date(), sleep: async () => undefined, onExit: () => () => undefined }

/** A folder that was checked, for files that may replace those that were there then. */
function checked(cwd: string, more: object = {}) {
  const io = { cwd, uid, warnAlways: () => undefined } as unknown as Io
  const context = { ...machine, io, ...more }
  const prepare = (format: CertificateFormat = 'pem') =>
    prepareOutDir('out', { replace: true, format, key: true }, context)
  return { context, prepare }
}

function filesOf(content: string): CredentialFile[] {
  return ['certificate.pem', 'ca-chain.pem', 'private-key.pem'].map((file) => ({ file, content: Buffer.from(content) }))
}

function contents(path: string): Record<string, string> {
  return Object.fromEntries(readdirSync(path).map((file) => [file, readFileSync(join(path, file), 'utf8')]))
}

const whole = (content: string) => ({ 'certificate.pem': content, 'ca-chain.pem': content, 'private-key.pem': content })

test('if one part cannot be written, existing files stay unchanged and nothing else is left', async () => {
  const cwd = scratchFolder()
  const { context, prepare } = checked(cwd)
  await writeParts(await prepare(), filesOf('old'), context)
  // Content that cannot be written acts like a disk that is full at the second file.
  const [first, ...others] = filesOf('new') as [CredentialFile, ...CredentialFile[]]
  const files = [first, { file: 'ca-chain.pem', content: { length: 1 } as Buffer }, ...others]
  await expect(writeParts(await prepare(), files, context)).rejects.toThrow(/ out: ./)
  expect(contents(join(cwd, 'out'))).toEqual(whole('old'))
})

test('of two writers at once one writes all of its files, and the other none', async () => {
  const cwd = scratchFolder()
  const { context, prepare } = checked(cwd)
  await writeParts(await prepare(), filesOf('old'), context)
  const folders = [await prepare(), await prepare()]
  const ended = await Promise.allSettled(
    folders.map((folder, index) => writeParts(folder, filesOf(`new ${index}`), context)),
  )
  const winner = ended.findIndex(({ status }) => status === 'fulfilled')
  expect(ended[1 - winner]).toMatchObject({ status: 'rejected', reason: { code: 'failed' } })
  expect(contents(join(cwd, 'out'))).toEqual(whole(`new ${winner}`))
})

test('a set that was committed counts at once, and the next run puts it in its place', async () => {
  const cwd = scratchFolder()
  const { context, prepare } = checked(cwd)
  const path = join(cwd, 'out')
  await writeParts(await prepare(), filesOf('old'), context)
  mkdirSync(join(path, '.tug-replacing'))
  // The first file is in its place already.
  writeFileSync(join(path, 'certificate.pem'), 'new')
  for (const file of ['ca-chain.pem', 'private-key.pem']) writeFileSync(join(path, '.tug-replacing', file), 'new')
  for (const file of Object.keys(whole(''))) expect(readFiled(path, file, uid)?.toString()).toBe('new')
  await prepare()
  expect(contents(path)).toEqual(whole('new'))
})

test('a folder that a killed run left behind is named, and one of a run under way is not', async () => {
  const { env } = await issuing()
  const cwd = scratchFolder()
  mkdirSync(join(cwd, 'out/.tug-old.part'), { recursive: true })
  mkdirSync(join(cwd, 'out/.tug-recent.part'))
  const made = new Date(Date.now() - 7_200_000)
  utimesSync(join(cwd, 'out/.tug-old.part'), made, made)
  // A server's clock, or this machine's, says nothing about the disk's.
  const now = new Date('2038-11-21T07:30:00Z')
  const { exit, stderr } = await tug('kmip cred generate s r --out-dir out', { env, cwd, now })
  expect(exit).toBe(0)
  expect(stderr).toMatch(mentions('warning: out … .tug-old.part …'))
  expect(stderr).not.toContain('recent')
})

test.each(['.tug-new', '.tug-replacing'])(
  'a %s that is not of tug is refused before any request, and nothing is moved',
  async (set) => {
    const { env, seen } = await issuing()
    const fill = (folder: string, file = 'private-key.pem') => {
      mkdirSync(folder, { mode: 0o700 })
      writeFileSync(join(folder, file), 'foreign')
    }
    const plants: ((place: string, foreign: string) => void)[] = [
      (place, foreign) => symlinkSync(foreign, place),
      (place) => fill(place, 'notes.txt'),
      (place) => (fill(place), chmodSync(place, 0o777)),
      (place, foreign) => (
        mkdirSync(place),
        symlinkSync(join(foreign, 'private-key.pem'), join(place, 'private-key.pem'))
      ),
      (place) => writeFileSync(place, ''),
    ]
    const lines = [
      'kmip cred generate s r --out-dir out',
      'kmip cred sign s r --csr - --out-dir out',
      `kmip cred lookup s r ${credential.serial_number} --out-dir out`,
      `kmip cred renew s r --serial ${credential.serial_number} --out-dir out --force`,
      'kmip cred generate s r --out-dir out --plan',
    ]
    for (const line of lines)
      for (const plant of plants) {
        const cwd = scratchFolder()
        const foreign = join(cwd, 'foreign')
        fill(foreign)
        mkdirSync(join(cwd, 'out'))
        plant(join(cwd, 'out', set), foreign)
        const { exit, stderr } = await tug(line, { env, cwd, stdin: csr })
        expect([line, exit, stderr]).toEqual([line, 1, expect.stringContaining(set)])
        expect(readdirSync(foreign)).toEqual(['private-key.pem'])
        expect(readdirSync(join(cwd, 'out'))).toEqual([set])
      }
    expect(seen.filter(({ method }) => method !== 'GET')).toEqual([])
  },
)

test('a file that was created beside a set that replaces nothing is kept', async () => {
  const cwd = scratchFolder()
  const { prepare } = checked(cwd)
  const path = join(cwd, 'out')
  mkdirSync(join(path, '.tug-new'), { recursive: true })
  writeFileSync(join(path, '.tug-new', 'certificate.pem'), 'new')
  writeFileSync(join(path, 'certificate.pem'), 'theirs')
  await expect(prepare()).rejects.toMatchObject({ code: 'usage' })
  expect(readFileSync(join(path, 'certificate.pem'), 'utf8')).toBe('theirs')
})

test('a renewal that is killed at any rename leaves a key and a certificate that fit, and the next one knows it', async () => {
  const { env } = await startDevServer()
  const format = { '': 'private-key.pem certificate.pem', ' --format pem_bundle': 'client.pem client.pem' }
  for (const [flags, names] of Object.entries(format)) {
    for (let nth = 1; nth <= 4; nth += 1) {
      const cwd = scratchFolder()
      const [key = '', certificate = ''] = names.split(' ')
      const fits = (path: string) => {
        const [held, shown] = [readFiled(path, key, uid), readFiled(path, certificate, uid)]
        return new X509Certificate(shown as Buffer).checkPrivateKey(createPrivateKey(held as Buffer))
      }
      expect((await tug(`kmip cred generate storage backup --out-dir out${flags}`, { cwd, env })).exit).toBe(0)
      const preload = join(cwd, 'preload.cjs')
      writeFileSync(
        preload,
        `const fs = require('node:fs'); const { renameSync } = fs; let left = ${nth}
        fs.renameSync = (from, to) => {
          if (to.includes('out') && --left === 0) process.kill(process.pid, 'SIGKILL')
          renameSync(from, to)
        }`,
      )
      const line = `kmip cred renew storage backup --if-expiring 9999d --out-dir out --force${flags}`
      await start(line.split(' '), { cwd, env: { ...env, NODE_OPTIONS: `--require=${preload}` } }).ended
      // The lock of a program that was killed is waited for until it is stale.
      const lock = join(cwd, 'out/.tug-lock')
      if (existsSync(lock)) utimesSync(lock, 1, 1)
      expect(fits(join(cwd, 'out')), `${line}, killed at rename ${nth}`).toBe(true)
      expect((await tug(line, { cwd, env })).exit).toBe(0)
      expect(fits(join(cwd, 'out'))).toBe(true)
      expect(readdirSync(join(cwd, 'out')).filter((name) => /^\.tug-(?:new|replacing|lock)/.test(name))).toEqual([])
    }
  }
}, 120_000)

test('a certificate whose key does not fit is renewed, however long it is valid', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  const line =
    'kmip cred renew storage backup --certificate out/certificate.pem --if-expiring 1s --out-dir out --force -o json --query changed'
  const changed = async () => (await tug(line, { env, cwd })).stdout.trim()
  for (const folder of ['out', 'other'])
    expect((await tug(`kmip cred generate storage backup --out-dir ${folder}`, { env, cwd })).exit).toBe(0)
  expect(await changed()).toBe('false')
  writeFileSync(join(cwd, 'out/private-key.pem'), readFileSync(join(cwd, 'other/private-key.pem')))
  expect(await changed()).toBe('true')
  expect(await changed()).toBe('false')
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

test('a way out of the program while files are written finds them complete', async () => {
  const cwd = scratchFolder()
  const onExit = (call: () => void) => {
    process.nextTick(call)
    return () => undefined
  }
  const { context, prepare } = checked(cwd, { onExit })
  const names = await writeParts(await prepare(), filesOf('new'), context)
  expect(readdirSync(join(cwd, 'out'))).toEqual(names.toSorted())
})
