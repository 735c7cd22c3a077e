import { readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { parseLine } from '../src/cli/parse.ts'
import type { Route } from '../src/cli/route.ts'
import { findRoute } from '../src/cli/route.ts'
import type { Word } from '../src/cli/words.ts'
import type { Command } from '../src/core/command.ts'
import type { Entry } from '../src/core/group.ts'
import { loadAll, leaves } from '../src/core/group.ts'
import type { Param } from '../src/core/param.ts'
import { labelOf } from '../src/core/param.ts'
import { tree } from '../src/commands/index.ts'
import { root } from './support/process.ts'
import { shellWords } from './support/run.ts'
import { specification } from './support/spec.ts'

interface Known {
  readonly path: string
  readonly group: string
  readonly command: Command
}

const commands: Known[] = (
  await Promise.all(
    tree.entries.map(async (entry): Promise<Known[]> => {
      const target = await loadAll(await entry.load())
      if (target.kind === 'command') return [{ path: entry.name, group: entry.name, command: target }]
      return leaves(target).map(([words, command]) => ({ path: `${entry.name} ${words}`, group: entry.name, command }))
    }),
  )
).flat()

/** A route without the names of its parts. */
function shape({ method, path }: { method: string; path: string }): string {
  return `${method} ${path.replace(/\{\w+\}/g, '{}')}`
}

test('every endpoint of the specifications is the endpoint of exactly one command', () => {
  const covered = commands.flatMap(({ path, command }) => command.endpoint.map((one) => [shape(one), path]))
  expect(covered.toSorted(byText)).toEqual(specification.map((row) => [...row]).toSorted(byText))
  expect(specification).toHaveLength(63)
})

function byText(one: readonly unknown[], other: readonly unknown[]): number {
  return String(one) < String(other) ? -1 : 1
}

test('each word loads the command or group of that name', async () => {
  const check = async ({ name, load }: Entry): Promise<void> => {
    const found = await load()
    expect(found.name).toBe(name)
    if (found.kind === 'group') await Promise.all(found.members.map(check))
  }
  await Promise.all(tree.entries.map(check))
})

test('no command calls an endpoint outside the specifications', () => {
  const known = new Set<string>(specification.map(([route]) => route))
  // What tells a version 1 key-value engine from version 2, and reads it, and what a plan may ask.
  for (const route of [
    'GET /v1/sys/internal/ui/mounts/{}',
    'GET /v1/{}/{}',
    'LIST /v1/{}/{}',
    'POST /v1/sys/capabilities-self',
  ])
    known.add(route)
  const unknown = commands.flatMap(({ path, command }) =>
    command.endpoints.map(shape).flatMap((route) => (known.has(route) ? [] : [`${path}: ${route}`])),
  )
  expect(unknown).toEqual([])
})

/** Commands that are neither a declared read nor a declared write, by their reason. */
const functions: Readonly<Record<string, readonly string[]>> = {
  'reads page by page': [
    'explorer query',
    'explorer export',
    'explorer summary',
    'explorer usage',
    'explorer diff',
    'explorer views list',
    'explorer views results',
    'explorer views export',
    'job list',
  ],
  'looks up what was named first': ['explorer views get', 'job submission'],
  'reads several things': [
    'kv tree',
    'kv find',
    'kv diff',
    'kv export',
    'kv audit',
    'kv backup',
    'kv exec',
    'kmip cred list',
    'job status',
    'job diff',
    'job export',
  ],
  'needs more requests if the secret is missing or its engine older': ['kv get', 'kv history'],
  'watches a job': ['job wait'],
  'writes files': ['kmip ca', 'kmip cred lookup'],
  'sends files': ['kv verify', 'job plan', 'job parse'],
  'needs no server': ['explorer fields', 'job init'],
  'runs a program on a node': ['job action'],
  'is about tug itself': [
    'profile list',
    'profile show',
    'profile use',
    'profile set',
    'profile delete',
    'profile path',
    'login',
    'logout',
    'status',
    'api',
    'endpoints',
    'completion',
    'help',
    'dev',
  ],
}

test('every command is a declared read or write, or has a reason for its own function', () => {
  const undeclared = commands.filter(({ command }) => command.isRead !== true && command.decides === undefined)
  expect(undeclared.map(({ path }) => path).toSorted()).toEqual(Object.values(functions).flat().toSorted())
})

const sources = readdirSync(join(root, 'src/commands'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && basename(file) !== 'index.ts')
  .map((file) => file.replaceAll('\\', '/'))
  .map((file) => ({ file, text: readFileSync(join(root, 'src/commands', file), 'utf8') }))

/** Commands that share a file with a sibling, by its name without `.ts`. */
const sharedFiles: Readonly<Record<string, string>> = {
  'job deployment': 'deployments',
  'job update': 'run',
  'kv move': 'copy',
  'kmip ca': 'config',
  'explorer views update': 'create',
  'kmip cred sign': 'generate',
  logout: 'login',
}

/**
 * Where a command may be declared: in a file of its name, or in the file of its group, below the folder of its first word. A
 * large feature has a folder in between.
 */
function isPlace(file: string, path: string, shared: string | undefined): boolean {
  const words = path.split(' ')
  const folder = words.length === 1 || words[0] === 'profile' ? 'tug' : words[0]
  const names = [words.at(-1), ...words.slice(folder === 'tug' ? 0 : 1, -1), ...(shared === undefined ? [] : [shared])]
  return new RegExp(`^${folder}/(?:.+/)?(?:${names.join('|')})\\.ts$`).test(file)
}

test("the path of a command's file is its place in the tree", () => {
  const isDeclared = (path: string, shared?: string) => {
    const declaration = new RegExp(`\\bname: '${path.split(' ').at(-1)}'`)
    return sources.some(({ file, text }) => isPlace(file, path, shared) && declaration.test(text))
  }
  const paths = commands.map(({ path }) => path)
  expect(paths.filter((path) => !isDeclared(path, sharedFiles[path]))).toEqual([])
  // Those with a file of their own by now.
  expect(Object.keys(sharedFiles).filter((path) => isDeclared(path))).toEqual([])
})

test('names are words, summaries are one line without a period, and every command has examples', () => {
  for (const { path, command } of commands) {
    expect(path, path).toMatch(/^[a-z]+(?:[ -][a-z]+)*$/)
    expect(command.summary, path).toMatch(/^[A-Z][^\n]*[^.\n]$/)
    expect(command.examples.length, path).toBeGreaterThan(0)
    for (const [key, param] of Object.entries(command.params)) expect(param.summary, `${path} ${key}`).not.toBe('')
  }
})

test('the root names each command and group as it describes itself', async () => {
  for (const entry of tree.entries) {
    const { name, summary } = await entry.load()
    expect({ name, summary }).toEqual({ name: entry.name, summary: entry.summary })
  }
})

test('no command declares a flag that all commands have, or a short letter twice', () => {
  for (const { path, group, command } of commands) {
    const shared = { ...tree.globals, ...tree.groupParams[group] }
    const own = Object.keys(command.params).filter((key) => key in shared)
    // `api` may also replace headers that tug sets.
    expect(own, path).toEqual(path === 'api' ? ['header'] : [])
    const letters = Object.values({ ...shared, ...command.params }).flatMap(({ short }) => short ?? [])
    expect(new Set(letters).size, `${path}: ${letters.join(' ')}`).toBe(letters.length)
  }
})

/** A value that the param takes, if one of these is. */
function valueFor(param: Param): string {
  const tried = param.choices ?? ['1', '2h', 'a=b', 'workspace_name', 'drifted is true', 'create']
  const value = tried.find((text) => {
    try {
      param.read([text], '')
      return true
    } catch {
      return false
    }
  })
  return value as string
}

test('a flag that needs another one is refused without it, and beside one that it excludes', async () => {
  const refusal = async (command: Command, keys: readonly string[]) => {
    const given = Object.entries(command.params).filter(([key, { required }]) => required || keys.includes(key))
    const line = given.map(([key, param], at): Word => {
      const value = param.boolean ? 'true' : valueFor(param)
      return { at, text: value, role: param.kind, key, param, value }
    })
    return parseLine(command, { words: [], line, place: { command, flags: {} } } as unknown as Route).then(
      () => undefined,
      (error: unknown) => error,
    )
  }
  let rules = 0
  for (const { path, command } of commands) {
    for (const [key, { needs = [], excludes = [] }] of Object.entries(command.params)) {
      const label = labelOf(key, command.params[key] as Param)
      if (needs.length > 0) {
        rules += 1
        const alone = await refusal(command, [key])
        expect(alone, `${path} ${label}`).toMatchObject({ code: 'usage' })
        expect(String(alone), path).toContain(label)
        for (const other of needs) expect(command.params, path).toHaveProperty(other)
      }
      for (const other of excludes) {
        const param = command.params[other]
        if (param === undefined) continue
        rules += 1
        const both = await refusal(command, [key, other, ...needs.slice(0, 1), ...(param.needs ?? []).slice(0, 1)])
        expect(both, `${path} ${label}`).toMatchObject({ code: 'usage' })
        expect(String(both), path).toContain(labelOf(other, param))
      }
    }
  }
  expect(rules).toBeGreaterThan(80)
})

test("no flag takes a token or password as its value, but the one that sets the local server's", () => {
  const flags = commands.flatMap(({ path, group, command }) =>
    Object.entries({ ...command.params, ...tree.groupParams[group], ...tree.globals })
      .filter(([key]) => /token|password|passphrase/i.test(key) && !key.endsWith('File'))
      .map(([key]) => `${path} ${key}`),
  )
  expect(flags.toSorted()).toEqual(
    [
      'api noToken',
      'dev token',
      'job dispatch idempotencyToken',
      'job list nextToken',
      'kv edit keepTokens',
      'kv exec keepTokens',
    ].toSorted(),
  )
})

/** The command's part of a line with pipes, as words; the line omits the first `tug`. */
function ownPart(line: string, path: string): string[] {
  const parts = line.split(/ \| | && /).map((part) => part.replace(/ 2?>.*$/, '').replace(/^tug /, ''))
  return shellWords(parts.find((part) => part.startsWith(path)) ?? line)
}

test('every example is a command line of its own command', async () => {
  for (const { path, command } of commands) {
    for (const { line } of command.examples) {
      const argv = ownPart(line, path)
      const route = await findRoute(argv, tree)
      expect(route.words.join(' '), line).toBe(path)
      await expect(parseLine(command, route), line).resolves.toBeDefined()
    }
  }
})
