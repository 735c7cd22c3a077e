import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from './support/dev.ts'
import { credentials } from './support/credentials.ts'
import { scratchFolder } from './support/folder.ts'
import { program, root, start } from './support/process.ts'
import { serve } from './support/serve.ts'

/** Every script of docs/recipes.md does what the page says. */

const page = readFileSync(join(root, 'docs/recipes.md'), 'utf8')
const recipes = new Map(
  Array.from(page.matchAll(/^## (.*)\n[^]*?\n```bash\n([^]*?)```$/gm), ([, title, script]) => [title, script] as const),
)
const tried = new Set<string>()

/** Servers that accept nothing but what the products do; no recipe names a dialect. */
const product = { dialect: 'hashicorp', strict: true } as const

/** A folder with a recipe in it, and a `PATH` on which `tug` is the program and `stubs` are other programs, as lines of sh. */
async function kitchen(title: string, stubs: Readonly<Record<string, string>> = {}, env: Record<string, string> = {}) {
  const script = recipes.get(title)
  if (script === undefined) throw new Error(`docs/recipes.md has no recipe '${title}'`)
  tried.add(title)
  const folder = scratchFolder()
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const all = { ...stubs, 'bin/tug': `exec '${process.execPath}' '${program}' "$@"` }
  for (const [name, line] of Object.entries(all)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${line}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  writeFileSync(join(folder, 'recipe.sh'), script)
  const server = await startDevServer(product)
  const full = {
    ...server.env,
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: folder,
    TUG_CONFIG_DIR: join(folder, 'config'),
    ...env,
  }
  const bash = async (words: readonly string[], more: Record<string, string> = {}) => {
    const ended = await start(words, { command: 'bash', cwd: folder, env: { ...full, ...more } }).ended
    return { status: ended.status, stdout: ended.stdout.toString(), stderr: ended.stderr }
  }
  return {
    cook: (more?: Record<string, string>) => bash(['recipe.sh'], more),
    shell: (line: string) => bash(['-o', 'pipefail', '-c', line]),
    tug: async (line: string) => (await bash(['-c', `tug ${line}`])).stdout,
    path: (name: string) => join(folder, name),
    read: (name: string) => readFileSync(join(folder, name), 'utf8'),
  }
}

/** Keeps what `gh` was asked, and the file that it was given last. */
const gh = { 'bin/gh': 'echo "$*" >> gh.log; for file; do :; done; cat "$file" >> gh.log' }
const fine = expect.objectContaining({ status: 0 }) as unknown

test("a pipeline's token is exchanged for one of the store, which is revoked at the end", async () => {
  const { origin, seen } = await serve(({ url }, response) => {
    response.setHeader('content-type', 'application/json')
    if (url.endsWith('/login')) response.end('{"auth":{"client_token":"hvs.short-lived"}}')
    else if (url.includes('/data/')) response.end('{"data":{"data":{"password":"pw"},"metadata":{"version":1}}}')
    else response.writeHead(204).end()
  })
  const env = { TUG_SECRETS_ADDR: origin, TUG_SECRETS_TOKEN: '', STORE_JWT: 'ey.a.b' }
  const { cook, read } = await kitchen('Read secrets in a pipeline without storing a token', {}, env)
  expect(await cook()).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(read('password')).toBe('pw')
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ role: 'deploy', jwt: 'ey.a.b' })
  expect(seen.map(({ method, url, headers }) => [method, url, headers['x-vault-token']])).toEqual([
    ['POST', '/v1/auth/jwt/login', undefined],
    ['GET', '/v1/secret/data/app/db', 'hvs.short-lived'],
    ['POST', '/v1/auth/token/revoke-self', 'hvs.short-lived'],
  ])
})

test('an issue is opened for new drift, and for nothing else', async () => {
  const { cook, path, read } = await kitchen('Open an issue for new drift only', gh)
  expect(await cook()).toEqual(fine)
  const known = JSON.parse(read('drift.json')) as { workspace_name: string }[]
  expect(known.length).toBeGreaterThan(2)
  expect(await cook()).toEqual(fine)
  // One that has been repaired since.
  writeFileSync(path('drift.json'), JSON.stringify([...known, { ...known[0], id: 'ws-repaired' }]))
  expect(await cook()).toEqual(fine)
  expect(existsSync(path('gh.log'))).toBe(false)

  writeFileSync(path('drift.json'), JSON.stringify(known.slice(1)))
  expect(await cook()).toEqual(fine)
  expect(read('gh.log')).toMatch(/^issue create --title New drift, \d{4}-\d\d-\d\d --body-file drift\.md\n/)
  expect(read('gh.log')).toContain(`| ${known[0]?.workspace_name} |`)
  writeFileSync(path('gh.log'), '')
  expect(await cook()).toEqual(fine)
  expect(read('gh.log')).toBe('')
})

test('drift is reported again if the issue could not be opened, or the service not be asked', async () => {
  const { cook, path, read } = await kitchen('Open an issue for new drift only', { 'bin/gh': 'exit 4' })
  expect(await cook({ TUG_EXPLORER_TOKEN: 'wrong' })).toMatchObject({ status: 4 })
  expect(existsSync(path('drift.json'))).toBe(false)
  expect(await cook()).toEqual(fine)
  const less = JSON.stringify((JSON.parse(read('drift.json')) as object[]).slice(1))
  writeFileSync(path('drift.json'), less)
  expect(await cook()).toMatchObject({ status: 4 })
  expect(read('drift.json')).toBe(less)
})

test('a secret is rotated, and rolled back if the check fails', async () => {
  const title = 'Rotate a secret, and roll back if that breaks something'
  const { cook, tug, path } = await kitchen(title, { 'restart-and-check': 'test ! -e broken' })
  const old = await tug('kv get app/db --field password')
  expect(await cook()).toEqual(fine)
  const rotated = await tug('kv get app/db -o json --query "[data.password, metadata.version]"')
  expect(rotated).toMatch(/^\["[^"]{32}",5\]\n$/)
  expect(rotated).not.toContain(old)

  writeFileSync(path('broken'), '')
  const { status, stdout, stderr } = await cook()
  expect(status).toBe(1)
  expect(await tug('kv get app/db -o json --query "[data.password, metadata.version]"')).toBe(
    rotated.replace('5]', '7]'),
  )
  expect(stdout + stderr).not.toContain(JSON.parse(rotated)[0])
})

test('a pull request gets the plan, if there are changes', async () => {
  const { cook, tug, path, read } = await kitchen('Comment on a pull request with the plan', gh, { PR_NUMBER: '7' })
  cpSync(join(root, 'examples/web-2.hcl'), path('web.hcl'))
  expect(await cook()).toEqual(fine)
  expect(read('gh.log')).toMatch(/^pr comment 7 --edit-last --create-if-none --body-file plan\.md\n### Plan: job web\n/)
  expect(read('gh.log')).toContain('tug job run --check-index')

  writeFileSync(path('gh.log'), '')
  expect(await cook({ TUG_SCHEDULER_TOKEN: 'wrong' })).toMatchObject({ status: 4 })
  await tug('job get web -o json > web.hcl')
  expect(await cook()).toMatchObject({ status: 0, stdout: 'no changes\n' })
  expect(read('gh.log')).toBe('')
})

test('a pipeline applies the plan that was reviewed, once', async () => {
  const { cook, tug, path, read } = await kitchen('Deploy what has changed', { review: 'cat "$1" >> reviewed' })
  mkdirSync(path('jobs'))
  cpSync(join(root, 'examples/web.hcl'), path('jobs/web.hcl'))
  expect(await cook()).toMatchObject({ status: 0 })
  expect(read('reviewed')).toContain('### Plan: 1 changed job, 0 unchanged')
  expect(await tug('job plan jobs/web.hcl')).toBe('no changes to job web\n')
  expect(await cook()).toMatchObject({ status: 0, stdout: 'no changes\n' })
})

test('the services that match are restarted one after the other, and a failure is gone on from', async () => {
  const { cook, tug, path } = await kitchen('Restart services that must read a new certificate')
  const version = async (job: string) => (await tug(`job get ${job} -o json --query Version`)).trim()
  const FILTER = 'Type == "service" and (Name == "web" or Name == "api")'
  // café's only allocation would be down.
  expect(await cook({ FILTER: 'Name == "café"' })).toMatchObject({ status: 2 })
  expect(await cook({ TUG_SCHEDULER_TOKEN: 'wrong' })).toMatchObject({ status: 4 })
  expect(await cook({ FILTER })).toEqual(fine)
  expect(await Promise.all(['web', 'api', 'café'].map(version))).toEqual(['4', '1', '0'])
  expect(await tug('job get web -o json --query Meta.restarted_at')).toMatch(/^"\d{4}-/)
  expect(existsSync(path('restart.run'))).toBe(false)
})

test('a team stops for maintenance and starts again, and nobody else does', async () => {
  const title = "Stop a team's jobs for maintenance, and start them again"
  const { cook, tug, read } = await kitchen(title, {
    maintenance: `tug job list -o json --query "[?Stop].ID" > during`,
  })
  const running = `job list --filter 'Status == "running"' -o name`
  const before = await tug(running)
  expect(await cook()).toEqual(fine)
  expect(JSON.parse(read('during'))).toEqual(['api', 'legacy'])
  expect(await tug(running)).toBe(before)
})

test('an issue names the jobs that differ from their files', async () => {
  const { cook, tug, path, read } = await kitchen('Find jobs that differ from their files', gh)
  expect(await cook()).toMatchObject({ status: 0, stdout: 'every job runs as its file says\n' })
  expect(existsSync(path('gh.log'))).toBe(false)
  await tug('job scale web 5')
  expect(await cook()).toEqual(fine)
  expect(read('gh.log')).toMatch(/^issue create --title Jobs that differ from their files/)
  expect(read('gh.log')).toMatch(/\bweb\b/)
  expect(read('gh.log')).not.toMatch(/\bapi\b/)
})

test('each row of a file starts one job, however often the script runs', async () => {
  const { cook, tug, path } = await kitchen('Start a job for each row of a file')
  const children = async () => (await tug('job list --prefix nightly/ -o name')).trim().split('\n')
  const before = await children()
  writeFileSync(path('orders.csv'), 'meta.source,payload\norders,a\nbills,b\norders,c\n')
  expect(await cook({ TUG_SCHEDULER_TOKEN: 'wrong' })).toMatchObject({ status: 4 })
  expect(await cook()).toEqual(fine)
  expect(await cook()).toEqual(fine)
  expect(await children()).toHaveLength(before.length + 3)
})

/** The public keys of a private key and of a certificate, as openssl reads them, and what it says of the certificate's chain. */
function proof(folder: string, key: string, certificate: string, form = 'PEM') {
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, encoding: 'utf8' })
  const ofKey = openssl('pkey', '-inform', form, '-in', key, '-pubout')
  const ofCertificate = openssl('x509', '-inform', form, '-in', certificate, '-pubkey', '-noout')
  expect(ofKey).toBe(ofCertificate)
  if (form === 'PEM') expect(openssl('verify', '-CAfile', 'ca-chain.pem', certificate)).toContain(': OK')
}

test('MongoDB gets one file with key, certificate and chain', async () => {
  const mongod = { 'bin/mongod': 'echo "$*" > mongod.log' }
  const { cook, read, path } = await kitchen('One file for MongoDB or Percona', mongod, {
    KMIP_SERVER: 'kmip.example.com',
  })
  expect(await cook()).toEqual(fine)
  expect(read('mongod.log')).toContain('--kmipClientCertificateFile ./mongodb/client.pem')
  proof(path('mongodb'), 'client.pem', 'client.pem')
})

test('other clients get three files', async () => {
  const { cook, read, path } = await kitchen(
    'Three files for other KMIP clients',
    { 'bin/openssl': 'echo "$*" > openssl.log' },
    { KMIP_SERVER: 'a:5696' },
  )
  expect(await cook()).toEqual(fine)
  expect(read('openssl.log')).toContain('-key ./client/private-key.pem')
  proof(path('client'), 'private-key.pem', 'certificate.pem')
})

test('Java and appliances get DER or PKCS #12', async () => {
  const { cook, path } = await kitchen('DER files for Java and appliances', {}, { STORE_PASSWORD: 'changeit' })
  expect(await cook()).toEqual(fine)
  proof(path('appliance'), 'private-key.der', 'certificate.der', 'DER')
  const store = execFileSync(
    'openssl',
    ['pkcs12', '-in', path('java/client.p12'), '-passin', 'pass:changeit', '-nodes'],
    { encoding: 'utf8' },
  )
  writeFileSync(path('java/all.pem'), store)
  proof(path('java'), 'all.pem', 'all.pem')
})

test('a certificate is issued once, and renewed when it ends soon', async () => {
  const { cook, tug, read, path } = await kitchen('Certificates that renew themselves', {
    'reload-client': 'echo reloaded >> reloads',
  })
  const serials = async () => (await tug('kmip cred list storage backup -o name')).split('\n')
  const before = await serials()
  expect(await cook()).toEqual(fine)
  const first = read('kmip-client/certificate.pem')
  const [serial] = (await serials()).filter((each) => !before.includes(each))
  expect(await cook()).toEqual(fine)
  expect(read('kmip-client/certificate.pem')).toBe(first)
  expect(read('reloads')).toBe('reloaded\n')

  // What cannot be renewed stays as it is.
  expect(await cook({ RENEW_BEFORE: '30d', TUG_SECRETS_TOKEN: 'wrong' })).toMatchObject({ status: 4 })
  expect(read('kmip-client/certificate.pem')).toBe(first)
  expect(await cook({ RENEW_BEFORE: '30d' })).toEqual(fine)
  expect(read('kmip-client/certificate.pem')).not.toBe(first)
  expect(read('reloads')).toBe('reloaded\nreloaded\n')
  expect(await serials()).not.toContain(serial)
  expect(await serials()).toHaveLength(before.length + 1)
  expect(existsSync(path('kmip-client/private-key.pem'))).toBe(true)
})

test('a team moves to another store with its history', async () => {
  const [from, to] = [await startDevServer(product), await startDevServer({ ...product, empty: true })]
  const title = 'Move a team from Vault to OpenBao with its history'
  const { cook, tug, path } = await kitchen(title, {}, { OLD_ADDR: from.origin, NEW_ADDR: to.origin })
  for (const name of ['old-token', 'new-token']) writeFileSync(path(name), credentials.secrets.token)
  expect(await cook()).toEqual(fine)
  await tug('-p vault kv put team/payments/ledger key=second')
  expect(await cook()).toEqual(fine)
  const versions = 'kv history team/payments/ledger -o json --query "[].[version,state]"'
  expect(await tug(`-p bao ${versions}`)).toBe(await tug(`-p vault ${versions}`))
  expect(readFileSync(path('move.ndjson'), 'utf8').match(/"outcome":"done"/g)).toHaveLength(5)
})

test('what a script has done is taken back', async () => {
  const { cook, tug, path } = await kitchen('Undo what a script did to thousands of secrets')
  const before = await tug('kv get team/payments/ledger -o json --query data')
  await tug('kv put team/payments/ledger password=broken')
  await tug('kv delete team/search/index')
  expect(await cook({ MOMENT: '30m' })).toEqual(fine)
  expect(await tug('kv get team/payments/ledger -o json --query data')).toBe(before)
  expect(await tug('kv get team/search/index -o name')).not.toBe('')
  expect(readFileSync(path('rollback.ndjson'), 'utf8').match(/"outcome":"done"/g)).toHaveLength(2)
})

test('secrets move to another store, all of them, and again', async () => {
  const [from, to] = [await startDevServer(product), await startDevServer({ ...product, empty: true })]
  const title = 'Move secrets to another store'
  const { cook, tug, path } = await kitchen(title, {}, { OLD_ADDR: from.origin, NEW_ADDR: to.origin })
  for (const name of ['old-token', 'new-token']) writeFileSync(path(name), credentials.secrets.token)
  const first = await cook()
  expect(first).toEqual(fine)
  expect(await tug('-p new kv get app/db --field password')).toBe(await tug('-p old kv get app/db --field password'))
  expect(await tug('-p new kv list app')).toBe(await tug('-p old kv list app'))
  const password = await tug('-p new kv get app/db --field password')
  expect(first.stdout + first.stderr).not.toContain(password)
  expect(await cook()).toEqual(fine)
  expect(await tug('-p new kv history app/db -o json --query "[].version"')).toBe('[1]\n')
})

test('a backup replaces the old one once its restore was compared', async () => {
  const { cook, tug, read } = await kitchen('Prove that a restore works')
  expect(await cook()).toEqual(fine)
  expect(read('team.tugkv')).toContain('payments/ledger')
  const left = JSON.parse(await tug('kv tree -o json')) as string[]
  expect(left.filter((path) => path.startsWith('restore-test'))).toEqual([])
  expect(await cook()).toEqual(fine)
})

/** For machines without age: not encryption, but the same files and flags. */
const standIn = {
  'bin/age-keygen': 'if [ "$1" = -y ]; then echo age1-stand-in; else echo AGE-SECRET-KEY-1 > "$2"; fi',
  'bin/age':
    'case "$*" in *--decrypt*) for file; do :; done; tail -n +2 "$file" | base64 -d ;; *) echo age-encryption.org/v1; base64 ;; esac',
}

test('a backup is encrypted before it is written, and restored through a pipe', async () => {
  const isInstalled = spawnSync('age', ['--version']).status === 0
  const { cook, shell, read, tug } = await kitchen('Keep encrypted backups', isInstalled ? {} : standIn)
  expect(await shell('age-keygen -o backup.key && age-keygen -y backup.key > backup.pub')).toEqual(fine)
  const before = await tug('kv export team')
  expect(await cook()).toEqual(fine)
  const encrypted = read('team.tugkv.age')
  expect(encrypted).toMatch(/^age-encryption\.org\/v1\n/)
  expect(encrypted).not.toContain('ledger')
  expect((await cook({ TUG_SECRETS_TOKEN: 'wrong' })).status).not.toBe(0)
  expect(read('team.tugkv.age')).toBe(encrypted)
  const [, lines = ''] = /^## Keep encrypted backups\n[^]*?\n```sh\n([^]*?)```$/m.exec(page) ?? []
  const [verify = '', plan = '', restore = ''] = lines.split('\n')
  await tug('kv metadata delete team --recursive --yes')
  expect(await shell(verify)).toMatchObject({ status: 9 })
  expect((await shell(plan)).stdout).toContain('+ team/payments/ledger')
  expect(await shell(restore)).toEqual(fine)
  expect(await shell(verify)).toEqual(fine)
  expect(await tug('kv export team')).toBe(before)
})

test('a script decides by exit status and reads JSON', async () => {
  const { cook } = await kitchen('Exit codes and JSON in scripts')
  const { status, stdout } = await cook()
  expect(status).toBe(0)
  const lines = stdout.split('\n')
  expect(lines[0]).toBe('pool size 10')
  expect(lines).toContain('look at stuck (exit status 9)')
  expect(stdout).toMatch(/\[\{"job":"stuck","submitted":\d{19}\}\]\n"code":"not_found"\n$/)
})

test('a value is told from a missing one, and from a store that does not answer', async () => {
  const { cook, tug } = await kitchen('Exit codes and JSON in scripts')
  await tug('kv set app/db pool_size=25')
  expect((await cook()).stdout).toMatch(/^pool size 25\n/)
  await tug('profile set main secrets.retries=0')
  expect(await cook({ TUG_SECRETS_ADDR: 'http://127.0.0.1:9' })).toMatchObject({ status: 75 })
  expect(await cook({ TUG_SECRETS_TOKEN: 'wrong' })).toMatchObject({ status: 4 })
})

test('every recipe has been tried', () => {
  expect([...tried].toSorted()).toEqual([...recipes.keys()].map(String).toSorted())
  expect(recipes.size).toBe(page.match(/^## /gm)?.length)
})
