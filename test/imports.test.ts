import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path/posix'
import { expect, test } from 'vitest'
import { root } from './support/process.ts'

const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => join('src', file.replaceAll('\\', '/')))

/** The files that each file imports; what is imported at use counts only if `lazy`. */
function importsOf(file: string, lazy: boolean): string[] {
  const pattern = lazy
    ? /(?:^|\n)(?:import|export)\s[^;]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/g
    : /(?:^|\n)(?:import|export)\s[^;]*?from\s+'(\.[^']+)'/g
  return [...readFileSync(join(root, file), 'utf8').matchAll(pattern)].map(([, eager, late]) =>
    normalize(join(dirname(file), eager ?? late ?? '')),
  )
}

/** Sets of nodes that reach each other. */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const reach = new Map<string, Set<string>>()
  for (const start of graph.keys()) {
    const seen = new Set<string>()
    const open = [...(graph.get(start) ?? [])]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue
      seen.add(next)
      open.push(...(graph.get(next) ?? []))
    }
    reach.set(start, seen)
  }
  const found = new Map<string, string[]>()
  for (const [node, seen] of reach) {
    if (!seen.has(node)) continue
    const members = [...seen].filter((other) => reach.get(other)?.has(node) === true).toSorted()
    found.set(members.join(), members)
  }
  return [...found.values()]
}

const graph = new Map(files.map((file) => [file, importsOf(file, false)]))

test('no files import each other in a circle', () => {
  expect(circles(graph)).toEqual([])
})

const hostFile = join('src', 'process', 'host.ts')

/** The folder that a file belongs to: `core`, `commands/kv`; a file at the top, and that of the host's types, is its own. */
function roomOf(file: string): string {
  const parts = relative('src', file).split('/')
  if (parts.length === 1 || file === hostFile) return parts.at(-1) as string
  return parts[0] === 'commands' && parts.length > 2 ? `commands/${parts[1]}` : (parts[0] as string)
}

test('no folders import each other in a circle, imports at use included', () => {
  const rooms = new Map<string, string[]>()
  for (const file of files) {
    const room = roomOf(file)
    const others = importsOf(file, true)
      .map(roomOf)
      // The types of the host are for everybody; the top of the program starts everything.
      .filter((other) => other !== room && other !== 'host.ts')
    rooms.set(room, [...(rooms.get(room) ?? []), ...others])
  }
  expect(circles(rooms)).toEqual([])
})

test('only src/output writes to the streams', () => {
  const others = files.filter((file) => !/^src\/(?:output|process|dev)\//.test(file))
  const direct = others.filter((file) =>
    /\bwritable\(|\bWritable\b|WriteStream|\.std(?:out|err)\.write\b|writeAll\((?:host\.)?stderr/.test(
      readFileSync(join(root, file), 'utf8'),
    ),
  )
  expect(direct).toEqual([])
})

test('files are created in one place', () => {
  const creates =
    /\b(?:writeFile|writeFileSync|openSync|open|createWriteStream|appendFile|appendFileSync|copyFile|copyFileSync)\b/
  const creators = files.filter((file) => {
    const imports = readFileSync(join(root, file), 'utf8').matchAll(/^import (.*?) from 'node:fs(?:\/promises)?'$/gms)
    return !file.startsWith('src/dev/') && [...imports].some(([, names = '']) => creates.test(names))
  })
  expect(creators.toSorted()).toEqual([
    // Manual pages of the repository.
    'src/commands/tug/generate.ts',
    // Opens a pipe to read.
    'src/config/pipe.ts',
    'src/core/new-file.ts',
    // Opens a device or pipe to write.
    'src/output/files.ts',
    // Appends to a file of GitHub's.
    'src/output/step-summary.ts',
  ])
})
