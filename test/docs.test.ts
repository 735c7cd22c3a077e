import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { expect, test } from 'vitest'
import { reasons } from '../src/core/errors.ts'
import { exitCodes } from '../src/core/errors.ts'
import { bundledModules, root } from './support/process.ts'

/** What the documents say about the repository is true. */

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

function filesIn(folder: string, pattern: RegExp): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  return names.map((name) => join(folder, name.replaceAll('\\', '/'))).filter((path) => pattern.test(path))
}

/** The rows of a table whose first cell is `head`, as cells. */
function tableOf(path: string, head: string): string[][] {
  const lines = read(path).split('\n')
  const start = lines.findIndex((line) => line.startsWith(`| ${head} |`))
  const rows = lines.slice(start + 2)
  const end = rows.findIndex((line) => !line.startsWith('|'))
  return rows.slice(0, end === -1 ? undefined : end).map((row) => cells(row))
}

function cells(row: string): string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}

test('every promise names test files, and they exist', () => {
  const rows = read('docs/promises.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| promise'))
    .map((line) => Array.from(line.matchAll(/`(test\/[^`]*)`/g), ([, path]) => path as string))
  expect(rows.length).toBeGreaterThan(50)
  expect(rows.filter((paths) => paths.length === 0 || !paths.every((path) => existsSync(join(root, path))))).toEqual([])
})

test('docs/machines.md lists the code and exit status of every error', () => {
  const rows = tableOf('docs/machines.md', '`code`').map(([code, exit]) => [code?.replaceAll('`', ''), Number(exit)])
  expect(Object.fromEntries(rows)).toEqual(exitCodes)
})

/** A heading's anchor, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

function anchorsOf(path: string): string[] {
  return Array.from(read(path).matchAll(/^#+ (.*)$/gm), ([, heading]) => anchorOf(heading as string))
}

const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...filesIn('docs', /\.md$/),
  'bench/README.md',
]

test.each(pages)('every link in %s leads to a file and a heading that exist', (page) => {
  const links = Array.from(read(page).matchAll(/\]\((?!https?:)([^)\s]*)\)/g), ([, link]) => link as string)
  const broken = links.filter((link) => {
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : join(dirname(page), path)
    if (!existsSync(join(root, target))) return true
    return anchor !== undefined && !anchorsOf(target).includes(anchor)
  })
  expect(broken).toEqual([])
})

test.each(pages)('every source file that %s names exists', (page) => {
  const named = Array.from(
    read(page).matchAll(/`((?:src|test|scripts|bench)\/[\w./-]+\.(?:ts|mjs|cjs))`/g),
    ([, path]) => path,
  )
  expect(named.filter((path) => !existsSync(join(root, path as string)))).toEqual([])
})

test('the README leads to every page', () => {
  const readme = read('README.md')
  expect(filesIn('docs', /\.md$/).filter((path) => !readme.includes(`](${path})`))).toEqual([])
})

test('every comment that points into docs/servers.md names one of its headings', () => {
  const headings = Array.from(read('docs/servers.md').matchAll(/^#+ (.*)$/gm), ([, heading]) => heading as string)
  const sources = [...filesIn('src', /\.ts$/), ...filesIn('test', /\.ts$/)].filter(
    (path) => path !== 'test/docs.test.ts',
  )
  const wrong = sources.flatMap((path) =>
    Array.from(
      read(path)
        .replace(/\n\s*(?:\*|\/\/) ?/g, ' ')
        .matchAll(/docs\/servers\.md, (.{40})/gs),
    )
      .filter(([, after]) => !headings.some((heading) => after?.startsWith(heading)))
      .map(([words]) => `${path}: ${words}`),
  )
  expect(wrong).toEqual([])
})

test('comments name only documents that are in the repository', () => {
  const sources = [...filesIn('src', /\.ts$/), ...filesIn('test', /\.ts$/)].filter(
    (path) => path !== 'test/docs.test.ts',
  )
  const comments = sources.flatMap((path) =>
    Array.from(read(path).matchAll(/^\s*(?:\/\*\*|\*|\/\/)(.*)$/gm), ([, comment]) => ({
      path,
      comment: comment as string,
    })),
  )
  expect(comments.length).toBeGreaterThan(1000)
  const isElsewhere = (comment: string) =>
    /\bcontract [a-g0]\b|\bspec endpoint|\bconventions, |\bissue #?\d/.test(comment) ||
    Array.from(comment.matchAll(/[\w./-]+\.md\b/g)).some(([name]) => !existsSync(join(root, name)))
  expect(comments.filter(({ comment }) => isElsewhere(comment))).toEqual([])
})

test('docs/dependencies.md has every development dependency and every package in the bundle', () => {
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> }
  const listed = new Set(
    Array.from(read('docs/dependencies.md').matchAll(/^\| ([^|]*) \|/gm), ([, names]) => names as string)
      .concat(tableOf('docs/dependencies.md', 'package').map(([, , , along]) => along ?? ''))
      .flatMap((names) => names.split(', ')),
  )
  const bundled = Object.values(bundledModules()).flatMap((modules) =>
    Object.keys(modules).flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
  )
  expect([...Object.keys(devDependencies), ...bundled].filter((name) => !listed.has(name))).toEqual([])
})

test('docs/dependencies.md has the sizes of the packages in the bundle, to about a tenth', () => {
  const sizes = Object.values(bundledModules()).flatMap((modules) => Object.entries(modules))
  const sizeOf = (wanted: (path: string) => boolean) =>
    sizes.reduce((sum, [path, size]) => sum + (wanted(path) ? size : 0), 0) / 1000
  const rows = tableOf('docs/dependencies.md', 'package').map(([name = '', , size, along = '']) => {
    const folders = [name, ...along.split(', ').filter((each) => each !== '')].map((each) => `node_modules/${each}/`)
    return { name, size: Number(size), really: sizeOf((path) => folders.some((folder) => path.includes(folder))) }
  })
  expect(rows.length).toBeGreaterThan(10)
  expect(rows.filter(({ size, really }) => !(Math.abs(size - really) <= Math.max(2, really / 10)))).toEqual([])
  const [, all, own] =
    /is\s+([\d.]+) MB by that measure \(([\d.]+) MB of it `src\/`\)/.exec(read('docs/dependencies.md')) ?? []
  expect(Number(all)).toBeCloseTo(sizeOf(() => true) / 1000, 0)
  expect(Number(own)).toBeCloseTo(sizeOf((path) => path.startsWith('src/')) / 1000, 0)
})

test('the examples of CONTRIBUTING.md are the code of the files that it names', () => {
  const examples = [...read('CONTRIBUTING.md').matchAll(/From\s+`(src\/[\w/.-]+)`:\n\n {3}```ts\n([\s\S]*?)\n {3}```/g)]
  expect(examples).toHaveLength(2)
  for (const [, file = '', code = ''] of examples) expect(read(file)).toContain(code.replace(/^ {3}/gm, ''))
})

test('docs/reference.md lists every reason of an error', () => {
  const rows = new Map(tableOf('docs/reference.md', 'reason').map(([word = '', meaning = '']) => [word, meaning]))
  expect(Object.fromEntries(rows)).toEqual(
    Object.fromEntries(Object.entries(reasons).map(([word, meaning]) => [`\`${word}\``, meaning])),
  )
})
