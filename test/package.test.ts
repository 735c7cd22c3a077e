import { readFileSync, readdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from './support/folder.ts'
import { bundledModules, root, start } from './support/process.ts'

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
  man: string[]
  dependencies?: object
  optionalDependencies?: object
}

/** Runs npm without the caller's configuration, network or scripts (scripts would rebuild while other tests use the build). */
async function npm(line: string, { home, cwd = root }: { home: string; cwd?: string }) {
  const words = [...line.split(' '), '--ignore-scripts', '--offline', '--no-audit', '--no-fund', '--no-update-notifier']
  const env = { HOME: home, npm_config_cache: join(home, 'cache') }
  const { status, stdout, stderr } = await start(words, { command: 'npm', cwd, env }).ended
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
  return stdout.toString()
}

function filesOf(folder: string): string[] {
  return readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)
}

test('the package contains the program, its manuals and completions, and nothing else', async () => {
  const [packed] = JSON.parse(await npm('pack --dry-run --json', { home: scratchFolder() })) as {
    files: { path: string }[]
  }[]
  const built = filesOf('dist').filter((path) => path !== 'dist/meta.json')
  expect(packed?.files.map(({ path }) => path).toSorted()).toEqual(
    [
      'LICENSE',
      'README.md',
      'package.json',
      'bin/tug.js',
      ...built,
      ...filesOf('man'),
      ...filesOf('completions'),
      'skills/tug/SKILL.md',
    ].toSorted(),
  )
  expect(built).toEqual(expect.arrayContaining(['dist/main.cjs', 'dist/THIRD_PARTY_LICENSES.txt']))
})

test('every manual page is installed', () => {
  expect(manifest.man).toEqual(filesOf('man').toSorted())
  expect(manifest.man).toContain('man/tug-kv-get.1')
})

test('every bundled package comes with its licence', () => {
  const text = readFileSync(join(root, 'dist/THIRD_PARTY_LICENSES.txt'), 'utf8')
  const packages = new Set(
    Object.values(bundledModules())
      .flatMap((modules) => Object.keys(modules))
      .flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
  )
  expect([...packages]).toEqual(expect.arrayContaining(['commander', 'ws']))
  const named = new Set(Array.from(text.matchAll(/^-{80}\n(\S+) \S+ \(.+\)$/gm), ([, name]) => name))
  expect([...packages].filter((name) => !named.has(name))).toEqual([])
})

test('the package installs without network and dependencies, and runs', async () => {
  expect(manifest.dependencies).toBeUndefined()
  expect(manifest.optionalDependencies).toBeUndefined()
  const folder = scratchFolder()
  const home = join(folder, 'home')
  const app = join(folder, 'app')
  await Promise.all([mkdir(home), mkdir(app)])
  const tarball = (await npm(`pack --pack-destination ${folder}`, { home })).trim()
  await npm(`install --prefix ${app} ${join(folder, tarball)}`, { home, cwd: app })
  expect(readdirSync(join(app, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['tug'])
  const installed = join(app, 'node_modules/.bin/tug')
  const said = await start(['--version'], { command: installed, cwd: app }).ended
  expect(said).toMatchObject({ status: 0, stderr: '' })
  expect(said.stdout.toString()).toBe(`${manifest.version}\n`)
  const help = await start(['kv', 'get', '--help'], { command: installed, cwd: app }).ended
  expect(help).toMatchObject({ status: 0, stderr: '' })
  expect(help.stdout.toString()).toContain('tug kv get')
})
