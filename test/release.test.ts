import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { scratchFolder } from './support/folder.ts'
import { program, root, start } from './support/process.ts'
import { serve } from './support/serve.ts'

/** What a release consists of besides the program: install scripts, manifests of package managers, checksums. */

const { version, repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
  repository: { url: string }
}
const homePage = repository.url.replace(/^git\+|\.git$/g, '')
const [owner = ''] = new URL(homePage).pathname.slice(1).split('/')
const platform = `${process.platform}-${process.arch}`

/** A folder of release archives, whose `tug` is a script that prints its version. */
function release(): string {
  const folder = scratchFolder()
  for (const system of new Set([platform, 'linux-x64', 'linux-arm64', 'darwin-arm64'])) {
    const name = `tug-${version}-${system}`
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'tug'), `#!/bin/sh\necho ${version}\n`)
    chmodSync(join(folder, name, 'tug'), 0o755)
    execFileSync('tar', ['-czf', `${name}.tar.gz`, name], { cwd: folder })
    rmSync(join(folder, name), { recursive: true })
  }
  writeFileSync(join(folder, `tug-${version}-win32-x64.zip`), 'a zip')
  execFileSync(process.execPath, ['scripts/release-files.mjs', folder], { cwd: root })
  return folder
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

test('the manifests of Homebrew, Scoop and winget have the address and hash of each archive, and SHA256SUMS lists every file', () => {
  const folder = release()
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const address = (name: string) => `${homePage}/releases/download/v${version}/${name}`
  for (const system of ['linux-x64', 'linux-arm64', 'darwin-arm64']) {
    const name = `tug-${version}-${system}.tar.gz`
    expect(read('tug.rb')).toContain(`url "${address(name)}"\n      sha256 "${hashOf(join(folder, name))}"`)
  }
  // `brew audit` rejects others.
  expect(read('tug.rb')).toMatch(/^  desc "(?!(?:an?|the|tug) )[A-Z][^"]{1,79}(?<!\.)"$/im)
  const zip = `tug-${version}-win32-x64.zip`
  const hash = hashOf(join(folder, zip))
  expect(JSON.parse(read('tug.json'))).toMatchObject({
    version,
    architecture: { '64bit': { url: address(zip), hash, extract_dir: `tug-${version}-win32-x64` } },
    bin: 'tug.exe',
  })
  expect(parse(read(`${owner}.tug.installer.yaml`))).toMatchObject({
    PackageIdentifier: `${owner}.tug`,
    NestedInstallerFiles: [{ RelativeFilePath: `tug-${version}-win32-x64\\tug.exe`, PortableCommandAlias: 'tug' }],
    Installers: [{ Architecture: 'x64', InstallerUrl: address(zip), InstallerSha256: hash.toUpperCase() }],
  })
  for (const name of [`${owner}.tug.yaml`, `${owner}.tug.locale.en-US.yaml`])
    expect(parse(read(name))).toMatchObject({ PackageIdentifier: `${owner}.tug`, PackageVersion: version })
  const listed = read('SHA256SUMS').trimEnd().split('\n')
  const others = readdirSync(folder).filter((name) => name !== 'SHA256SUMS')
  expect(listed).toEqual(others.toSorted().map((name) => `${hashOf(join(folder, name))}  ${name}`))
})

/** Runs install.sh against a server with these files. */
async function install(folder: string, { path = process.env['PATH'] ?? '', env = {} } = {}) {
  const { origin } = await serve((request, response) => {
    const file = join(folder, request.url ?? '')
    if (existsSync(file)) response.end(readFileSync(file))
    else response.writeHead(404).end()
  })
  const home = scratchFolder()
  const { status, stderr, stdout } = await start([join(root, 'install.sh')], {
    command: 'sh',
    cwd: home,
    env: { PATH: path, HOME: home, TUG_DOWNLOAD_URL: origin, ...env },
  }).ended
  const installed = join(home, '.local/bin/tug')
  return { status, stderr, stdout: stdout.toString(), installed: existsSync(installed) ? installed : undefined }
}

test.each([version, `v${version}`])('install.sh installs the executable of this system: %s', async (asked) => {
  const { status, stdout, installed } = await install(release(), { env: { TUG_VERSION: asked } })
  expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining(`tug ${version}`) as string })
  expect(execFileSync(installed as string, { encoding: 'utf8' })).toBe(`${version}\n`)
})

const archive = `tug-${version}-${platform}.tar.gz`

test.each<[string, (folder: string) => void]>([
  ['an archive that was changed', (folder) => writeFileSync(join(folder, archive), 'something else')],
  ['no SHA256SUMS', (folder) => rmSync(join(folder, 'SHA256SUMS'))],
  ['SHA256SUMS without the archive', (folder) => writeFileSync(join(folder, 'SHA256SUMS'), '')],
  [
    'an executable that does not run',
    (folder) => {
      const name = archive.replace('.tar.gz', '')
      mkdirSync(join(folder, name))
      writeFileSync(join(folder, name, 'tug'), 'exit 1\n')
      chmodSync(join(folder, name, 'tug'), 0o755)
      execFileSync('tar', ['-czf', archive, name], { cwd: folder })
      writeFileSync(join(folder, 'SHA256SUMS'), `${hashOf(join(folder, archive))}  ${archive}\n`)
    },
  ],
])('install.sh installs nothing from a release with %s', async (_, damage) => {
  const folder = release()
  damage(folder)
  const { status, stderr, installed } = await install(folder)
  expect({ status, stderr, installed }).toEqual({
    status: 1,
    stderr: expect.stringContaining('install.sh: ') as string,
    installed: undefined,
  })
})

test('install.sh installs nothing if it cannot verify the archive, or from an address without TLS', async () => {
  const bin = scratchFolder()
  for (const name of [
    'sh',
    'curl',
    'uname',
    'mktemp',
    'grep',
    'cut',
    'rm',
    'tar',
    'gzip',
    'mkdir',
    'cp',
    'chmod',
    'mv',
  ]) {
    const path = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
    symlinkSync(path, join(bin, name))
  }
  expect(await install(release(), { path: bin })).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('sha256sum') as string,
    installed: undefined,
  })
  const env = { TUG_DOWNLOAD_URL: 'http://192.0.2.1/release' }
  expect(await install(release(), { env })).toMatchObject({ status: 1, installed: undefined })
})

/** Runs a script of the repository in a folder. */
const script = (name: string, cwd: string, env: Record<string, string> = {}) =>
  start([join(root, 'scripts', name)], { command: process.execPath, cwd, env }).ended

/** The files that `scripts/repository.mjs` reads or writes. */
const ofRepository = [
  'package.json',
  'CHANGELOG.md',
  'action.yml',
  'logout/action.yml',
  'install.sh',
  'install.ps1',
  'README.md',
  'docs/recipes.md',
  '.github/CODEOWNERS',
]

function copyOfRepository(): string {
  const folder = scratchFolder()
  for (const file of ofRepository) cpSync(join(root, file), join(folder, file), { recursive: true })
  return folder
}

test('the files that name the repository are what `npm run generate` writes', async () => {
  const folder = copyOfRepository()
  expect((await script('repository.mjs', folder)).status).toBe(0)
  for (const file of ofRepository)
    expect(readFileSync(join(folder, file), 'utf8'), file).toBe(readFileSync(join(root, file), 'utf8'))
})

test('a release needs a matching tag and repository, a date in the changelog, and generated files', async () => {
  const folder = copyOfRepository()
  const check = async (changes: Record<string, string> = {}) => {
    const env = { GITHUB_REF_NAME: `v${version}`, GITHUB_REPOSITORY: 'someone/tool', ...changes }
    const { status, stderr } = await script('check-release.mjs', folder, env)
    return { status, problems: stderr.split('\n').length - 1 }
  }
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  expect((await check()).status).toBe(1)

  // What CONTRIBUTING.md has a person do: one place for the repository, a date, and the generator.
  const manifest = {
    ...(JSON.parse(read('package.json')) as object),
    repository: { type: 'git', url: 'git+https://github.com/someone/tool.git' },
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  if (read('CHANGELOG.md').includes(`## [${version}] - unreleased`))
    expect((await script('date-changelog.mjs', folder)).status).toBe(0)
  expect((await check()).problems).toBeGreaterThan(0)
  expect((await script('repository.mjs', folder)).status).toBe(0)
  expect(await check()).toEqual({ status: 0, problems: 0 })

  expect(read('README.md')).toContain('npm install --global tug')
  expect(read('README.md')).toContain(`gh attestation verify tug-${version}-linux-x64.tar.gz --repo someone/tool`)
  for (const [file, text] of [
    ['install.sh', 'releases=https://github.com/someone/tool/releases\n'],
    ['install.ps1', "'https://github.com/someone/tool/releases'"],
    ['action.yml', 'uses: someone/tool@v1\n'],
    ['action.yml', 'uses: someone/tool/logout@v1\n'],
    ['.github/CODEOWNERS', '* @someone\n'],
    ['package.json', '"homepage": "https://github.com/someone/tool#readme"'],
  ] as const)
    expect(read(file)).toContain(text)
  for (const file of ofRepository) expect(read(file), file).not.toMatch(/\b(?:github\.com\/|uses: |@)OWNER\b/)

  expect(await check({ GITHUB_REF_NAME: 'v9.9.9' })).toEqual({ status: 1, problems: 1 })
  expect(await check({ GITHUB_REPOSITORY: 'another/tool' })).toEqual({ status: 1, problems: 1 })
  writeFileSync(join(folder, 'action.yml'), read('action.yml').replace('someone/tool@v1', 'OWNER/tug@v1'))
  expect(await check()).toEqual({ status: 1, problems: 1 })
})

/** The script of a step of an action. */
function stepOf(file: string, id?: string): string {
  const action = parse(readFileSync(join(root, file), 'utf8')) as { runs: { steps: { id?: string; run: string }[] } }
  return action.runs.steps.find((step) => step.id === id)?.run ?? ''
}

/** Runs a step of an action, where `tug` is the program and each `curl` notes its arguments. */
async function runStep(step: string, env: Record<string, string>) {
  const folder = scratchFolder()
  const curl = execFileSync('sh', ['-c', 'command -v curl'], { encoding: 'utf8' }).trim()
  const programs = {
    tug: `#!/bin/sh\necho "tug $*" >> '${folder}/arguments'\nexec '${process.execPath}' '${program}' "$@"\n`,
    curl: `#!/bin/sh\necho "curl $*" >> '${folder}/arguments'\nexec '${curl}' "$@"\n`,
  }
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, name), text, { mode: 0o755 })
  const { status, stdout, stderr } = await start(['-c', step], {
    command: 'bash',
    cwd: folder,
    env: {
      PATH: `${folder}:${process.env['PATH']}`,
      HOME: folder,
      GITHUB_ACTIONS: 'true',
      GITHUB_ENV: join(folder, 'env'),
      ...env,
    },
  }).ended
  const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '')
  return { status, log: stdout.toString() + stderr, exported: read('env'), typed: read('arguments') }
}

test("a job's own token is exchanged for one of the store, which is masked, handed on and revoked", async () => {
  const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJyZXBvOmEvYiJ9.c2lnbmF0dXJl'
  const token = 'hvs.CAESIJzZ0hpZ2hlbnRyb3B5dG9rZW4'
  const { origin, seen } = await serve(({ url }, response) => {
    response.setHeader('content-type', 'application/json')
    if (url.startsWith('/oidc')) response.end(JSON.stringify({ value: jwt }))
    else if (url.endsWith('/login')) response.end(JSON.stringify({ auth: { client_token: token } }))
    else response.writeHead(204).end()
  })
  const login = await runStep(stepOf('action.yml', 'login'), {
    AUTH: 'jwt',
    ADDRESS: origin,
    ROLE: 'deploy',
    MOUNT: 'github/jwt',
    AUDIENCE: 'https://store.example',
    ACTIONS_ID_TOKEN_REQUEST_URL: `${origin}/oidc?v=1`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request-token-Zx81Qw',
  })
  expect(login.status, login.log).toBe(0)
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /oidc?v=1&audience=https%3A%2F%2Fstore.example',
    'POST /v1/auth/github/jwt/login',
  ])
  expect(seen[0]?.headers.authorization).toBe('bearer request-token-Zx81Qw')
  expect(JSON.parse(seen[1]?.body ?? '')).toEqual({ role: 'deploy', jwt })
  expect(login.exported).toBe(`TUG_SECRETS_ADDR=${origin}\nTUG_SECRETS_TOKEN=${token}\n`)
  for (const secret of [jwt, token, 'request-token-Zx81Qw']) {
    expect(login.typed).not.toContain(secret)
    const shown = login.log.split('\n').filter((line) => line.includes(secret) && !line.startsWith('::add-mask::'))
    expect(shown).toEqual([])
  }
  expect(login.log).toContain(`::add-mask::${token}\n`)

  const logout = await runStep(stepOf('logout/action.yml'), { TUG_SECRETS_ADDR: origin, TUG_SECRETS_TOKEN: token })
  expect(logout.status, logout.log).toBe(0)
  expect(seen.at(-1)).toMatchObject({ method: 'POST', url: '/v1/auth/token/revoke-self' })
  expect(seen.at(-1)?.headers['x-vault-token']).toBe(token)
  expect(logout.exported).toBe('TUG_SECRETS_TOKEN=\n')
  expect((await runStep(stepOf('logout/action.yml'), { TUG_SECRETS_TOKEN: '' })).status).toBe(0)
})

test.each([
  ['an unknown method', { AUTH: 'approle' }],
  ['no role', { ROLE: '' }],
  ['no address', { ADDRESS: '' }],
  ['no permission', { ACTIONS_ID_TOKEN_REQUEST_URL: '' }],
])('a login with %s is refused before anything is sent', async (_, env) => {
  const { origin, seen } = await serve((__, response) => response.end('{}'))
  const given = {
    AUTH: 'jwt',
    ADDRESS: origin,
    ROLE: 'r',
    MOUNT: 'jwt',
    ACTIONS_ID_TOKEN_REQUEST_URL: `${origin}/oidc`,
  }
  const { status, exported } = await runStep(stepOf('action.yml', 'login'), { ...given, ...env })
  expect({ status, exported, requests: seen.length }).toEqual({ status: 2, exported: '', requests: 0 })
})

const workflows = readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`)

test.each([...workflows, 'action.yml', 'logout/action.yml'])('%s pins every action to a commit', (file) => {
  const used = Array.from(
    readFileSync(join(root, file), 'utf8').matchAll(/^\s*(?:- )?uses: (.*)$/gm),
    ([, name]) => name,
  )
  // It is YAML.
  expect(parse(readFileSync(join(root, file), 'utf8'))).toMatchObject({ name: expect.any(String) as string })
  for (const name of used) expect(name).toMatch(/^[\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})

type Step = { readonly name?: string; readonly run?: string }

const steps = Object.values(
  (
    parse(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')) as {
      jobs: Record<string, { steps: Step[] }>
    }
  ).jobs,
).flatMap((job) => job.steps)

/** `gh` and `npm` as a release finds them, which note what they are asked. */
const stubs = {
  gh: `echo "gh $*" >> asked
case "$*" in
  'release view'*) [ -n "$DRAFT" ] ;;
  'release download'*) printf formula > tug.rb ;;
  'api --method PATCH'*) [ -n "$MAJOR" ] ;;
  'api repos/someone/homebrew-tap/'*) printf '%s' "$PRESENT"; [ -n "$PRESENT" ] ;;
esac`,
  npm: 'echo "npm $*" >> asked; case "$1" in view) printf "%s" "$PUBLISHED" ;; esac',
}

/** What a step of the workflow asks of `gh` and `npm`. */
async function askedBy(name: string, env: Record<string, string>) {
  const step = steps.find((one) => one.name?.startsWith(name) === true)?.run ?? ''
  const folder = scratchFolder()
  for (const [stub, text] of Object.entries(stubs))
    writeFileSync(join(folder, stub), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  const { status, stderr } = await start(['-e', '-c', step], {
    command: 'bash',
    cwd: folder,
    env: {
      PATH: `${folder}:${process.env['PATH']}`,
      GITHUB_REF_NAME: 'v1.2.3',
      GITHUB_SHA: 'c0ffee',
      GITHUB_REPOSITORY: 'someone/tool',
      GITHUB_REPOSITORY_OWNER: 'someone',
      GH_REPO: 'someone/tool',
      ...env,
    },
  }).ended
  expect(status, stderr).toBe(0)
  const asked = existsSync(join(folder, 'asked')) ? readFileSync(join(folder, 'asked'), 'utf8') : ''
  return asked
    .split('\n')
    .map((line) => line.split(' ').slice(0, 3).join(' '))
    .filter((line) => /^(?:gh|npm) /.test(line))
}

const publish = 'npm publish --provenance'
const tap = 'gh api repos/someone/homebrew-tap/contents/Formula/tug.rb'
const same = `abc123 ${Buffer.from('formula').toString('base64')}`

test.each([
  ['Draft the release', {}, ['gh release view', 'gh release create', 'gh release upload']],
  ['Draft the release', { DRAFT: 'yes' }, ['gh release view', 'gh release upload']],
  ['Publish to npm', {}, ['npm view tug@1.2.3', publish]],
  ['Publish to npm', { PUBLISHED: '1.2.3' }, ['npm view tug@1.2.3']],
  ['Publish to npm', { GITHUB_REF_NAME: 'v1.3.0-rc.1' }, ['npm view tug@1.3.0-rc.1', publish]],
  ['Move the tag', { MAJOR: 'yes' }, ['gh api --method']],
  ['Move the tag', {}, ['gh api --method', 'gh api --method']],
  ['Update the formula', {}, []],
  ['Update the formula', { TAP_TOKEN: 't' }, ['gh release download', tap, 'gh api --method']],
  ['Update the formula', { TAP_TOKEN: 't', PRESENT: 'abc123 b2xk' }, ['gh release download', tap, 'gh api --method']],
  ['Update the formula', { TAP_TOKEN: 't', PRESENT: same }, ['gh release download', tap]],
])('a step of the release that runs again does what is left: %s %j', async (name, env, asked) => {
  expect(await askedBy(name, env)).toEqual(asked)
})

test('the steps of the release workflow are valid shell, and nothing of an event is pasted into them', () => {
  const scripts = steps.flatMap(({ run }) => run ?? [])
  expect(scripts.length).toBeGreaterThan(10)
  for (const text of scripts) {
    expect(text).not.toContain('${{')
    execFileSync('bash', ['-n', '-c', text])
  }
})
