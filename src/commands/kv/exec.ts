import * as api from '../../api/kv.ts'
import { variableName } from '../../core/environment.ts'
import type { Result } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { entriesOf, keysOf, plainText } from '../../core/json.ts'
import { argument, flag, passThrough, readSegments } from '../../core/param.ts'
import { shellQuote } from '../../core/shell.ts'
import { childEnvironment, choosesCode, keepTokensFlag } from './data/environment.ts'
import { mapOf, registerSecrets } from './data/values.ts'
import { readSecret } from './secret/index.ts'

export const exec = command({
  name: 'exec',
  summary: 'Run a command with the keys of secrets as environment variables',
  description: `Each key becomes a variable with the same name. If several secrets have a key, the last one wins, with a message; --env-prefix and --env come after the paths. A value that isn't text becomes JSON, and null an empty string. The variables with tug's own tokens (TUG_…_TOKEN, VAULT_TOKEN, BAO_TOKEN, NOMAD_TOKEN, TFE_TOKEN, TF_TOKEN_…) and headers (…_HEADERS, NOMAD_HTTP_AUTH) are removed unless --keep-tokens. Keys that decide what programs load (PATH, HOME, LD_PRELOAD, NODE_OPTIONS, …) and TUG_… variables are refused unless --allow-env names them. Windows ignores case in names of variables. Signals and the exit status are passed on; 125 means that tug itself failed after the command had started.`,
  also: [api.readData, api.list, api.readMount, api.readVersion1, api.listVersion1],
  passesThrough: true,
  rawOutput: true,
  params: {
    paths: argument.each('paths of the secrets, relative to the mount', readSegments, {
      placeholder: 'path',
      complete: 'secret-path',
    }),
    version: flag.integer('version to read, of one secret', { min: 0, defaultText: '0, the latest' }),
    upper: flag.boolean('convert names to upper case, with _ for anything but letters and digits'),
    prefix: flag.text('prefix for each name', { placeholder: 'p' }),
    envPrefix: flag.each('a secret with a prefix of its own', readPrefixed, { placeholder: 'prefix=path' }),
    env: flag.each('a variable from a single key', readSingle, { placeholder: 'name=path:key' }),
    noDoubles: flag.boolean('refuse a variable that two secrets have'),
    allowEnv: flag.texts('pass on this variable, although it decides what programs load', { placeholder: 'name' }),
    keepTokens: keepTokensFlag,
    words: passThrough('the command to run'),
  },
  examples: [
    { line: 'kv exec app/db --upper --prefix DB_ -- ./migrate', note: 'DB_HOST, DB_PASSWORD, …' },
    {
      line: 'kv exec app/api -- sh -c \'curl -H "Authorization: Bearer $token" $url\'',
      note: 'keys as variables of the same name',
    },
    { line: 'kv exec app/cache app/db --upper -- env', note: 'two secrets; the keys of the second win' },
    {
      line: 'kv exec app/api --env-prefix DB_=app/db --env CACHE_HOST=app/cache:host -- env',
      note: 'a prefix for one secret, and a single key',
    },
    { line: 'kv exec app/api --keep-tokens -- tug kv list app', note: 'a command that uses tug itself' },
  ],
  async run({ paths, version, upper, prefix = '', envPrefix, env, noDoubles, ...rest }, context): Promise<Result> {
    const { allowEnv, keepTokens, words } = rest
    // The last place of a repeated path counts. A prefix of its own replaces the common one.
    const others = paths.filter(
      (one, index) => paths.lastIndexOf(one) === index && !envPrefix.some(({ path }) => path === one),
    )
    const sources: Source[] = [...others.map((path) => ({ path, prefix })), ...envPrefix, ...env]
    const distinct = [...new Set(sources.map(({ path }) => path))]
    if (sources.length === 0) throw usageError('no secret is named', 'give a path, --env-prefix or --env')
    if (version !== undefined && distinct.length > 1) throw usageError('--version is for one secret')
    const read = new Map<string, JsonObject>()
    for (const path of distinct) read.set(path, await dataOf(context, path, version))
    const variables = new Map<string, Variable>()
    for (const source of sources) {
      for (const [id, variable] of variablesOf(context, source, read.get(source.path) ?? {}, upper)) {
        const earlier = variables.get(id)
        const double = `${variable.name}: ${source.path} overrides ${earlier?.path}`
        if (earlier !== undefined && noDoubles === true) throw usageError(`${double}; nothing was run (--no-doubles)`)
        if (earlier !== undefined) context.io.note(double)
        variables.set(id, variable)
      }
    }
    const added = Object.fromEntries([...variables.values()].map(({ name, value }) => [name, value]))
    refuseLoaders(context, paths, Object.keys(added), allowEnv)
    return { raw: '', exitCode: await context.runChild(words, childEnvironment(context, keepTokens, added)) }
  },
})

/** A secret that becomes variables: all of its keys, with a prefix, or one of them under another name. */
type Source = { readonly path: string } & (
  | { readonly prefix: string }
  | { readonly name: string; readonly key: string }
)

/** `CACHE_=app/cache`. */
function readPrefixed(text: string) {
  const [, prefix, path] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  if (prefix === undefined || path === undefined) throw new RangeError(`'${text}' is not of the form prefix=path`)
  return { prefix, path: readSegments(path) }
}

/** `DB_PASS=app/db:password`; the last colon is the one before the key. */
function readSingle(text: string) {
  const [, name, path, key] = /^([^=]+)=(.+):([^:]+)$/s.exec(text) ?? []
  if (name === undefined || path === undefined || key === undefined)
    throw new RangeError(`'${text}' is not of the form name=path:key`)
  return { name, path: readSegments(path), key }
}

/** The keys and values of a secret, none of which is printed from now on. */
async function dataOf(context: Context, path: string, version: number | undefined): Promise<JsonObject> {
  const { data } = await readSecret(context, path, version).catch((error: unknown) => {
    const isMissing = error instanceof TugError && error.reason === 'no_secret'
    throw isMissing ? error.with({ message: `${path}: ${error.message}` }) : error
  })
  // The child may print anything, so a CI log masks every value.
  registerSecrets(context.io, data, path, { mask: true })
  return mapOf(data)
}

interface Variable {
  readonly name: string
  readonly value: string
  /** The secret that it comes from. */
  readonly path: string
}

/** The variables that a secret becomes, by their names as the platform compares them. */
function variablesOf(
  context: Context,
  source: Source,
  data: JsonObject,
  upper: boolean | undefined,
): ReadonlyMap<string, Variable> {
  const { path } = source
  if ('key' in source && !Object.hasOwn(data, source.key))
    throw new TugError('not_found', `${path} has no key '${source.key}'`, {
      hints: [`its keys: ${keysOf(data).join(', ') || 'none'}`],
    })
  const nameOf = (key: string) => (upper === true ? key.toUpperCase().replace(/[^A-Z0-9]/g, '_') : key)
  const entries =
    'key' in source
      ? [[source.name, source.key, data[source.key] as Json] as const]
      : entriesOf(data).map(([key, value]) => [source.prefix + nameOf(key), key, value] as const)
  const variables = new Map<string, Variable>()
  for (const [name, key, item] of entries) {
    if (name === '' || /[=\0]/.test(name)) throw usageError(`the key '${key}' cannot be the name of a variable`)
    const id = variableName(name, context.io.platform)
    if (variables.has(id))
      throw usageError(
        `two keys would become the variable ${name}`,
        upper === true ? 'omit --upper' : 'Windows ignores case in names of variables',
      )
    const value = item === null ? '' : plainText(item)
    if (value.includes('\0'))
      throw usageError(`the value of '${key}' contains a NUL character, which a variable cannot contain`)
    variables.set(id, { name, value, path })
  }
  return variables
}

/** Refuses variables with which whoever may write the secret would choose what runs here. */
function refuseLoaders(
  context: Context,
  paths: readonly string[],
  names: readonly string[],
  allowed: readonly string[],
): void {
  const idOf = (name: string) => variableName(name, context.io.platform)
  const allowedIds = allowed.map(idOf)
  const refused = names.filter((name) => choosesCode(idOf(name)) && !allowedIds.includes(idOf(name)))
  if (refused.length === 0) return
  const allow = refused.map((name) => ['--allow-env', name] as const)
  throw usageError(
    `${refused.join(', ')}: ${refused.length === 1 ? 'this variable decides' : 'these variables decide'} what programs load; nothing was run`,
    `give the names a prefix: ${context.commandLine('kv exec', ...paths, ['--prefix', 'APP_'])} ${shellQuote('--')} …`,
    `if that is intended: ${context.commandLine('kv exec', ...paths, ...allow)} ${shellQuote('--')} …`,
  )
}
