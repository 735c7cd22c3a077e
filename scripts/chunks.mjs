// Decides which file of the bundle a module goes into, so that a command loads few files and nothing that it doesn't use.
import { isBuiltin } from 'node:module'

/** Packages that may be in a hot file: small, and used by nearly every command. */
const lightPackages = /[\\/]node_modules[\\/](?:commander|get-east-asian-width)[\\/]/

/** Only the explorer's commands, backups and the like, help, completion, usage errors, the generator of files, traces and a few kinds of output need these. */
const rare =
  /[\\/]src[\\/](?:api[\\/]explorer-fields|cli[\\/](?:completion[\\/]|habits|help|manual|reference|roff)|commands[\\/]tug[\\/]generate|commands[\\/]kv[\\/](?:audit|backup|bulk|past|restore|users)[\\/]|commands[\\/]job[\\/](?:[a-z]+[\\/])?[a-z]+-run|http[\\/]trace|output[\\/](?:yaml|markdown|screen|csv-guard))/

/** Every request needs all of them, a proxy or WebSocket only `transport.ts`. */
const transport = /[\\/]src[\\/]http[\\/]transport(?:-node|-body|-bulk)?\.ts$/

/**
 * A function that names the chunk of each module: `main` for what the program starts with and what several groups of commands
 * share, one chunk for each group. A module that is imported on demand joins the chunk that imports it, unless it brings a package
 * or a built-in module of Node with it. The name null leaves a module to the bundler, which makes chunks for single modules.
 *
 * `start` and `commands` are module ids: the entry, and the list of the groups (each loaded by a dynamic import).
 */
export function planChunks({ start, commands, infoOf }) {
  const first = closure([start], infoOf)
  const builtins = new Set(builtinsOf(first, infoOf))
  const users = new Map(first.map((id) => [id, new Set(['main'])]))

  /** True for a module that costs nothing but its own bytes. */
  function isLight(root) {
    const ids = closure([root], infoOf)
    const isOwn = (id) => lightPackages.test(id) || !/[\\/](?:node_modules|dev)[\\/]/.test(id)
    return ids.every((id) => isOwn(id) && !rare.test(id)) && builtinsOf(ids, infoOf).every((name) => builtins.has(name))
  }

  function use(id, chunk) {
    const known = users.get(id)
    // The list of groups is in main and leads to all of them.
    if (known?.has(chunk) || known?.has('main')) return
    users.set(id, new Set([...(known ?? []), chunk]))
    useImports(id, chunk)
  }

  function useImports(id, chunk) {
    const { importedIds, dynamicallyImportedIds } = infoOf(id)
    for (const imported of importedIds) if (!isBuiltin(imported)) use(imported, chunk)
    for (const wanted of dynamicallyImportedIds) if (!isBuiltin(wanted) && isLight(wanted)) use(wanted, chunk)
  }

  const roots = infoOf(commands).dynamicallyImportedIds
  for (const id of first) if (id !== commands) useImports(id, 'main')
  for (const root of roots) use(root, /[\\/]commands[\\/]([^\\/]+)[\\/]/.exec(root)[1])
  const planned = new Map([...users].map(([id, names]) => [id, names.size === 1 ? [...names][0] : 'main']))
  return (id) => planned.get(id) ?? (transport.test(id) ? 'transport' : null)
}

/** The modules that `roots` import statically, and they themselves. */
function closure(roots, infoOf) {
  const found = new Set(roots)
  for (const id of found) {
    for (const imported of infoOf(id).importedIds) if (!isBuiltin(imported)) found.add(imported)
  }
  return [...found]
}

function builtinsOf(ids, infoOf) {
  return ids.flatMap((id) => infoOf(id).importedIds.filter((imported) => isBuiltin(imported)))
}
