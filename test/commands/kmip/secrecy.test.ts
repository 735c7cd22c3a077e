import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../support/folder.ts'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { inFormat, issue } from './credentials.ts'

const credential = issue()
const token = 'Planted-Token-7f3a'
/** The lines of the key that contain private bytes; the rest is the public key, which a certificate contains too. */
const planted = [token, ...credential.private_key.split('\n').slice(1, 3)]
const der = Buffer.from(credential.private_key.replace(/-----[^-]*-----|\n/g, ''), 'base64')
const format = (url: string, body: string) =>
  (/"format":"(\w+)"/.exec(body)?.[1] ?? /format=(\w+)/.exec(url)?.[1] ?? 'pem') as 'pem' | 'pem_bundle' | 'der'

/** The parts of the engine that handle secrets. */
function engine(failure?: { on: RegExp; status: number; body: string }) {
  return serve(({ url, method, body }, response) => {
    if (failure?.on.test(url) === true) return json(response, failure.status, failure.body)
    const issued = inFormat(credential, format(url, body))
    if (url.endsWith('/generate')) return json(response, 200, JSON.stringify({ data: issued }))
    if (/sign|lookup/.test(url)) {
      const { private_key: _, ...open } = inFormat(credential, format(url, body) === 'der' ? 'der' : 'pem')
      return json(response, 200, JSON.stringify({ data: open }))
    }
    if (url.endsWith('list=true')) return json(response, 200, '{"data":{"keys":["42"]}}')
    if (method === 'GET') return json(response, 200, JSON.stringify({ data: { ca_pem: credential.certificate } }))
    return void response.writeHead(204).end()
  })
}

/** Command lines; those that print the key and those that write it to files are marked. */
const lines: readonly (readonly [line: string, place?: 'stdout' | 'files'])[] = [
  ...(['pem', 'pem_bundle', 'der'] as const).flatMap((one) => [
    [`kmip cred generate s r --format ${one}`] as const,
    [`kmip cred generate s r --format ${one} -o json`, 'stdout'] as const,
    [`kmip cred generate s r --format ${one} -o yaml`, 'stdout'] as const,
    [`kmip cred generate s r --format ${one} --raw`, 'stdout'] as const,
    [`kmip cred generate s r --format ${one} --out-dir ${one}`, 'files'] as const,
    [`kmip cred generate s r --format ${one} --out-dir ${one} --force -o json`, 'files'] as const,
    [`kmip cred generate s r --format ${one} --out-dir ${one} --force --raw`, 'files'] as const,
    [`kmip cred generate s r --format ${one} --out-dir ${one} --force --debug`] as const,
    [`kmip cred sign s r --format ${one} --csr client.csr`] as const,
    [`kmip cred sign s r --format ${one} --csr client.key`] as const,
    [`kmip cred sign s r --format ${one} --csr - --out-dir sign-${one}`] as const,
    [`kmip cred lookup s r 42 --format ${one} -o json`] as const,
    [`kmip cred lookup s r 42 --format ${one} --out-dir lookup-${one}`] as const,
  ]),
  ['kmip cred revoke s r --certificate client.key --yes'],
  ['kmip cred revoke s r --certificate both.pem --yes'],
  ['kmip cred revoke s r --certificate client.pem --yes'],
  ['kmip cred revoke s r --serial 42 --yes'],
  ['kmip cred list s r --details'],
  ['kmip ca'],
  ['kmip config get'],
  ['kmip config set --connection-timeout 1'],
  ['kmip scope list'],
  ['kmip scope create s'],
  ['kmip scope delete s --yes'],
  ['kmip role list s'],
  ['kmip role get s r'],
  ['kmip role set s r --operation get'],
  ['kmip role delete s r --yes'],
]

function workplace(): string {
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'client.key'), credential.private_key)
  writeFileSync(join(cwd, 'client.pem'), credential.certificate)
  writeFileSync(join(cwd, 'both.pem'), `${credential.private_key}\n${credential.certificate}\n`)
  execFileSync('openssl', ['req', '-new', '-key', 'client.key', '-subj', '/CN=c', '-out', 'client.csr'], { cwd })
  return cwd
}

function holds(text: string): boolean {
  return planted.some((piece) => text.includes(piece)) || text.includes(der.toString('base64').slice(20, 60))
}

test.each([
  ['as they are', ''],
  ['with a trace', '--trace'],
  ['as a dry run', '--dry-run'],
])('keys and tokens appear nowhere else: %s', async (_, more) => {
  const { env, seen } = await engine()
  const cwd = workplace()
  for (const [line, place] of lines) {
    const stdin = readFileSync(join(cwd, 'client.csr'), 'utf8')
    const { stdout, stderr } = await tug(`${line} ${more}`, { env: { ...env, TUG_SECRETS_TOKEN: token }, cwd, stdin })
    expect(holds(stderr), line).toBe(false)
    expect(holds(stdout), line).toBe(place === 'stdout' && more !== '--dry-run')
  }
  expect(seen.some(({ url, body }) => holds(url) || holds(body))).toBe(false)
  const made = readdirSync(cwd, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/'))
  expect(made.length > 0).toBe(more !== '--dry-run')
  for (const name of made) {
    const content = readFileSync(join(cwd, name))
    expect(statSync(join(cwd, name)).mode & 0o777, name).toBe(0o600)
    expect(name).toMatch(/\/(?:private-key|certificate|ca-chain|client)\.(?:pem|der)$/)
    expect(holds(content.toString()) || content.includes(der), name).toBe(/private-key|client/.test(name))
  }
})

test.each([
  ['an answer cut short in the key', 200, JSON.stringify({ data: credential }).slice(0, -120)],
  ['an answer that is no JSON', 200, credential.private_key],
])('keys and tokens are absent from the error for %s', async (_, status, body) => {
  const { env } = await engine({ on: /generate/, status, body })
  const cwd = workplace()
  for (const more of ['-o json', '-o yaml --trace', '--out-dir out']) {
    const { exit, stdout, stderr } = await tug(`kmip cred generate s r ${more}`, {
      env: { ...env, TUG_SECRETS_TOKEN: token },
      cwd,
    })
    expect(exit).not.toBe(0)
    expect(holds(stdout + stderr), `${more}: ${stderr}`).toBe(false)
  }
})

test.each(['pem', 'pem_bundle', 'der'] as const)(
  'a failure after issuing reveals nothing of the key: %s',
  async (one) => {
    const cwd = workplace()
    const issued = inFormat(credential, one)
    const { env } = await serve(({ url }, response) => {
      if (url.endsWith('/revoke')) return json(response, 400, JSON.stringify({ errors: [`no: ${issued.private_key}`] }))
      rmSync(join(cwd, 'out'), { recursive: true })
      return json(response, 200, JSON.stringify({ data: issued }))
    })
    for (const more of ['', '-o json', '--trace']) {
      const { exit, stdout, stderr } = await tug(`kmip cred generate s r --format ${one} --out-dir out ${more}`, {
        env,
        cwd,
      })
      expect(exit).toBe(1)
      expect(stderr).toContain('revoke it: tug kmip cred revoke s r --serial')
      expect(holds(stdout + stderr), stderr).toBe(false)
    }
  },
)
