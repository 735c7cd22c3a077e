// Decides which file of the bundle a module goes into, so that a command loads few files and nothing that it doesn't use.
import { existsSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, resolve, sep } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

/** Packages that may be in a hot file: small, and used by nearly every command. */
const lightPackages = /[\\/]node_modules[\\/](?:commander|get-east-asian-width)[\\/]/

/**
 * What only some commands or some runs of a command need: services, help and completion, usage errors, generated files, traces, dry runs,
 * rights in a plan, exported CSV, results of writes, explanations, settings from a pipe, flags of output, protected profiles, a few kinds
 * of output. Files and folders of src/.
 */
const rare = [
  'after-write.ts',
  'api/explorer-service.ts',
  'api/scheduler-service.ts',
  'api/rights.ts',
  'config/pipe.ts',
  'confirm-name.ts',
  'misplaced.ts',
  'output-flags.ts',
  'cli/completion',
  'cli/other-tools.ts',
  'cli/help.ts',
  'cli/manual.ts',
  'cli/reference.ts',
  'cli/windows.ts',
  'commands/kv/data/document.ts',
  'commands/kv/data/dotenv.ts',
  'commands/kv/mount/other.ts',
  'commands/kv/mount/server.ts',
  'commands/kv/secret/current.ts',
  'commands/kv/secret/explain.ts',
  'commands/tug/generate.ts',
  'http/dry-run.ts',
  'http/rights.ts',
  'http/trace.ts',
  'http/whole-csv.ts',
  'write/rights.ts',
  'output/present-write.ts',
  'output/steps.ts',
  'output/yaml.ts',
  'output/screen.ts',
  'output/masks.ts',
].map((name) => resolve('src', name))
for (const path of rare) if (!existsSync(path)) throw new Error(`scripts/chunks.mjs: there is no ${path}`)
const isRare = (id) => rare.some((path) => id === path || id.startsWith(path + sep))

/** The files of the commands that people and scripts start most: what they need is in two chunks, `main` and that of their group. */
const frequent = new Set(['kv get', 'kv list', 'job list', 'job get', 'job status', 'explorer query', 'kmip role'])

/** Each of these needs a part of what the commands of its group share: `job-plan-stop-more` has what both need. */
const typical = ['job plan', 'job status job', 'job stop']

/** Every request needs all of them, a proxy or WebSocket only `transport.ts`. */
const transport = /[\\/]src[\\/]http[\\/](?:transport(?:-node)?|body)\.ts$/

/**
 * A function that names the chunk of each module. `main` has what the program starts with, and what the frequent commands of several
 * groups share; a group's chunk (`kv`) has the rest of what its frequent commands need. Every other command has a chunk of its own
 * (`kv-copy`), and what only such commands share is in `kv-more` or, for those of several groups, in `more`. A module that is
 * imported on demand counts as one of the command that imports it, or as a command (`job status job`) if it brings something rare or a
 * built-in module of Node with it. The name null, for what brings a package, leaves a module to the bundler, which makes chunks for single modules.
 *
 * `start` and `commands` are module ids: the entry, and the list of the groups, each of which has its commands load on demand.
 */
export function planChunks({ start, commands, infoOf }) {
  const first = new Set(closure([start], infoOf))
  const builtins = new Set(builtinsOf([...first], infoOf))
  /** The commands that use a module. */
  const users = new Map()

  /** The command that a module counts for if `command` imports it on demand; undefined for what brings a package with it. */
  function userOf(root, command) {
    const ids = closure([root], infoOf)
    const isOwn = (id) => lightPackages.test(id) || !/[\\/](?:node_modules|src[\\/]dev)[\\/]/.test(id)
    if (!ids.every(isOwn)) return undefined
    // Costs nothing but its own bytes.
    if (!ids.some(isRare) && builtinsOf(ids, infoOf).every((name) => builtins.has(name))) return command
    const group = groupOf(root)
    return group === undefined || group === 'tug' ? undefined : `${group} ${nameOf(root)}`
  }

  function use(id, command) {
    const known = users.get(id) ?? new Set()
    // The list of groups leads to all commands.
    if (known.has(command) || id === commands) return
    users.set(id, known.add(command))
    const { dynamicallyImportedIds } = infoOf(id)
    for (const imported of importedBy(id, infoOf)) use(imported, command)
    for (const wanted of dynamicallyImportedIds) {
      const user = isBuiltin(wanted) ? undefined : userOf(wanted, command)
      if (user !== undefined) use(wanted, user)
    }
  }

  const commandFiles = new Set()
  for (const id of first) use(id, 'main')
  for (const root of infoOf(commands).dynamicallyImportedIds) {
    const group = groupOf(root)
    const leaves = /[\\/]index\.ts$/.test(root) ? infoOf(root).dynamicallyImportedIds : []
    if (leaves.length === 0) use(root, `${group} ${nameOf(root)}`)
    else users.set(root, new Set([...frequent].filter((name) => name.startsWith(`${group} `))))
    for (const leaf of leaves) {
      const name = `${group} ${nameOf(leaf)}`
      commandFiles.add(name)
      use(leaf, name)
    }
  }
  for (const name of frequent) if (!commandFiles.has(name)) throw new Error(`scripts/chunks.mjs: no file has '${name}'`)
  const chunkOf = (id) => {
    if (first.has(id)) return 'main'
    const names = [...(users.get(id) ?? [])]
    if (names.length === 0) return transport.test(id) ? 'transport' : null
    if (names.includes('main')) return 'main'
    const groups = groupsOf(names)
    const [frequentGroup, another] = groupsOf(names.filter((name) => frequent.has(name)))
    if (frequentGroup !== undefined) return another === undefined ? frequentGroup : 'main'
    if (groups.length > 1) return 'more'
    if (names.length === 1) return names[0].replaceAll(' ', '-')
    return [
      groups[0],
      ...typical.filter((name) => names.includes(name)).map((name) => name.split(' ')[1]),
      'more',
    ].join('-')
  }
  return chunkOf
}

/** The group of commands that a module belongs to. */
function groupOf(id) {
  return /[\\/]commands[\\/]([^\\/]+)[\\/]/.exec(id)?.[1]
}

/** The groups of commands, each once. */
function groupsOf(names) {
  return [...new Set(names.map((name) => name.split(' ')[0]))]
}

/** The path of a command's module below its group, each part once: `get`, `metadata get`, `status` for `status/status.ts`. */
function nameOf(id) {
  const parts = /[\\/]commands[\\/][^\\/]+[\\/](.+)\.ts$/.exec(id)[1].split(/[\\/]/)
  return [...new Set(parts)].join(' ')
}

/** The modules that `roots` import statically, and they themselves. */
function closure(roots, infoOf) {
  const found = new Set(roots)
  for (const id of found) for (const imported of importedBy(id, infoOf)) found.add(imported)
  return [...found]
}

/** The index of a folder inside a group: it only re-exports, and importing a name from it needs the file of that name alone. */
export const face = /[\\/]commands[\\/][^\\/]+[\\/][^\\/]+[\\/]index\.ts$/

/** The modules of the bundle that a module needs. */
function importedBy(id, infoOf) {
  const ids = infoOf(id).importedIds.filter((imported) => !isBuiltin(imported))
  return ids.flatMap((imported) => (face.test(imported) ? behindFace(id, imported, infoOf) : [imported]))
}

/** The files behind an index that have what the importer takes from it. */
function behindFace(importer, index, infoOf) {
  const from = (id, type) =>
    parseAst(infoOf(id).code, { lang: 'ts' }, id).body.filter((node) => node.type === type && node.source !== null)
  const fileOf = new Map(
    from(index, 'ExportNamedDeclaration').flatMap(({ specifiers, source }) =>
      specifiers.map(({ exported }) => [exported.name, resolve(dirname(index), source.value)]),
    ),
  )
  return from(importer, 'ImportDeclaration')
    .filter(({ source }) => resolve(dirname(importer), source.value) === index)
    .flatMap(({ specifiers }) => specifiers.flatMap(({ imported }) => fileOf.get(imported.name) ?? []))
}

function builtinsOf(ids, infoOf) {
  return ids.flatMap((id) => infoOf(id).importedIds.filter((imported) => isBuiltin(imported)))
}
