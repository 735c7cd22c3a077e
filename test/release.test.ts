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
import { root, start } from './support/process.ts'
import { serve } from './support/serve.ts'

/** What a release consists of besides the program: install scripts, manifests of package managers, checksums. */

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
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
  const address = (name: string) => `https://github.com/OWNER/tug/releases/download/v${version}/${name}`
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
  expect(parse(read('OWNER.tug.installer.yaml'))).toMatchObject({
    PackageIdentifier: 'OWNER.tug',
    NestedInstallerFiles: [{ RelativeFilePath: `tug-${version}-win32-x64\\tug.exe`, PortableCommandAlias: 'tug' }],
    Installers: [{ Architecture: 'x64', InstallerUrl: address(zip), InstallerSha256: hash.toUpperCase() }],
  })
  for (const name of ['OWNER.tug.yaml', 'OWNER.tug.locale.en-US.yaml'])
    expect(parse(read(name))).toMatchObject({ PackageIdentifier: 'OWNER.tug', PackageVersion: version })
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

test('a release needs a matching tag and repository, a date in the changelog, and no placeholders', async () => {
  const folder = scratchFolder()
  const files = [
    'package.json',
    'CHANGELOG.md',
    'action.yml',
    'install.sh',
    'install.ps1',
    'README.md',
    '.github/CODEOWNERS',
  ]
  for (const file of files) cpSync(join(root, file), join(folder, file))
  const check = async (env: Record<string, string>) => {
    const { status, stderr } = await start([join(root, 'scripts/check-release.mjs')], {
      command: process.execPath,
      cwd: folder,
      env,
    }).ended
    return { status, problems: stderr.split('\n').length - 1 }
  }
  const env = { GITHUB_REF_NAME: `v${version}`, GITHUB_REPOSITORY: 'someone/tug' }
  expect((await check(env)).status).toBe(1)
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8').replaceAll('OWNER', 'someone')
    writeFileSync(join(folder, file), text.replace(`## [${version}] - unreleased`, `## [${version}] - 2026-12-01`))
  }
  expect(await check(env)).toEqual({ status: 0, problems: 0 })
  expect(await check({ ...env, GITHUB_REF_NAME: 'v9.9.9' })).toEqual({ status: 1, problems: 1 })
  expect(await check({ ...env, GITHUB_REPOSITORY: 'another/tug' })).toEqual({ status: 1, problems: 1 })
  writeFileSync(join(folder, 'action.yml'), 'uses: OWNER/tug@v1\n')
  expect(await check(env)).toEqual({ status: 1, problems: 1 })
})
