import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { CompletionSources, NameCache } from '../../cli/completion/candidates.ts'
import { completeWords, createNameCache } from '../../cli/completion/candidates.ts'
import type { Offer } from '../../cli/completion/offer.ts'
import { offerAt } from '../../cli/completion/offer.ts'
import { bashReplies, fishLines, splitBash, unquoteFish, zshLines } from '../../cli/completion/quoting.ts'
import type { Tree } from '../../cli/route.ts'
import { findRoute } from '../../cli/route.ts'
import { configFolder, readConfig } from '../../config/profiles.ts'
import { cachePlace } from '../../core/environment.ts'
import type { Host } from '../../process/host.ts'
import { writeFileWhole } from '../../output/files.ts'
import { writeAll } from '../../output/io.ts'

/** Flags with a value that select a server, mount or profile; they are passed on when names are read, as is `--insecure`. */
const placing = [
  'profile',
  'address',
  'token-file',
  'namespace',
  'dialect',
  'mount',
  'org',
  'region',
  'ca-cert',
  'ca-path',
  'client-cert',
  'client-key',
  'tls-server-name',
]

/** Variables that do the same; the cache has separate names for each set. */
const placingVariables = /^(?:TUG_|VAULT_|BAO_|NOMAD_|TFE_|TF_TOKEN_)/

/** The program whose words are completed: its tree, and how to run a line of it. */
export interface CompletedProgram {
  readonly tree: Tree
  readonly run: (host: Host) => Promise<number>
}

/**
 * `tug __complete <shell> …`: prints what the word at the cursor may become, for the scripts of `tug completion`. The first line is
 * `files`, `directories`, `values` or `open` (more is to be typed); the others are candidates. Never fails.
 */
export async function complete(
  [shell = '', ...rest]: readonly string[],
  host: Host,
  program: CompletedProgram,
): Promise<number> {
  const lines = await linesFor(shell, rest, host, program)
  await writeAll(host.stdout, lines.map((line) => `${line}\n`).join(''), 'stdout')
  return 0
}

async function linesFor(
  shell: string,
  rest: readonly string[],
  host: Host,
  program: CompletedProgram,
): Promise<readonly string[]> {
  if (shell === 'bash') {
    const { words, typed } = splitBash(rest[0] ?? '')
    const offer = await offerFor(words.slice(1), host, program)
    const replies = bashReplies(offer, typed, rest[1] ?? '')
    return [offer.kind === 'values' && replies.some((text) => /[/ ]$/.test(text)) ? 'open' : offer.kind, ...replies]
  }
  if (shell === 'zsh') {
    const offer = await offerFor(rest.slice(1), host, program)
    return [offer.kind, ...zshLines(offer, rest[0] ?? '')]
  }
  const offer = await offerFor([...rest.slice(0, -1), unquoteFish(rest.at(-1) ?? '')], host, program)
  return [offer.kind, ...fishLines(offer)]
}

async function offerFor(typed: readonly string[], host: Host, { tree, run }: CompletedProgram): Promise<Offer> {
  const { env, home, platform } = host
  const inner = startOfInnerLine(typed)
  const words = typed.slice(inner)
  const before = words.slice(0, -1)
  const sources: CompletionSources = {
    explorer: () => import('../../api/explorer-fields.ts'),
    operations: async () => (await import('../../api/kmip-operations.ts')).operations,
    profiles: () => Object.keys(readConfig(configFolder(env, home, platform)).profiles ?? {}),
    topics: (typedBefore) => helpWords(typedBefore, tree),
    cache: cacheOf(host),
    scope: JSON.stringify([
      inner > 0,
      configFolder(env, home, platform),
      placedFlags(words),
      Object.entries(env).filter(([name]) => placingVariables.test(name)),
    ]),
    // The local server of `dev -- tug …` isn't running yet.
    fetchNames: async (wanted, wordsBefore, signal) =>
      inner > 0 ? [] : fetchNames(wanted, wordsBefore, signal, host, run),
  }
  return offerAt(words, tree, (kind, value) => completeWords(kind, [...before, value], sources))
}

/** Undefined without a folder for it. */
function cacheOf({ env, home, platform, now }: Host): NameCache | undefined {
  const place = cachePlace(env, home, platform)
  return place && createNameCache(join(place.base, place.below), now, writePrivate)
}

/** The words that `help` accepts next: topics and commands. */
async function helpWords(before: readonly string[], tree: Tree): Promise<string[]> {
  const [, ...words] = positionals(before)
  const { topics } = await import('./topics.ts')
  if (words.length === 0) return [...Object.keys(topics), ...tree.entries.map(({ name }) => name)]
  const { target, problem } = await findRoute(words, tree)
  return target?.kind === 'group' && problem === undefined ? target.members.map(({ name }) => name) : []
}

/** The start of the command line after `dev -- tug`; 0 without one. */
function startOfInnerLine(words: readonly string[]): number {
  const dashes = words.indexOf('--')
  return dashes > 0 && words.slice(0, dashes).includes('dev') && words[dashes + 1] === 'tug' ? dashes + 2 : 0
}

/** Runs the program in this process to get names; its stderr is dropped. */
async function fetchNames(
  kind: string,
  words: readonly string[],
  signal: AbortSignal,
  host: Host,
  run: CompletedProgram['run'],
): Promise<string[]> {
  const line = commandFor(kind, words)
  if (line === undefined) return []
  const pieces: Buffer[] = []
  const stdout = new PassThrough().on('data', (piece: Buffer) => pieces.push(piece))
  const status = await run({
    ...host,
    argv: [...line, ...'-o name --null --quiet --no-input --retries 0 --timeout 1s'.split(' '), ...placedFlags(words)],
    stdout,
    stderr: new PassThrough().resume(),
    onSignal: (name, call) => {
      if (name === 'SIGINT') signal.addEventListener('abort', call, { once: true })
      return () => signal.removeEventListener('abort', call)
    },
  })
  if (status !== 0) return []
  return Buffer.concat(pieces)
    .toString()
    .split('\0')
    .filter((name) => name !== '')
}

/** The command that lists the names of a kind; undefined if the words before aren't sufficient. */
function commandFor(kind: string, words: readonly string[]): string[] | undefined {
  const [, , third, fourth, fifth] = positionals(words)
  const ofThird = (line: string[], ...more: string[]) => (third === undefined ? undefined : [...line, third, ...more])
  switch (kind) {
    case 'job':
      return ['job', 'list', '--per-page', '200']
    case 'job-group':
      return ofThird(['job', 'get'], '--query', 'TaskGroups[].Name')
    case 'job-task':
      return ofThird(['job', 'get'], '--query', 'TaskGroups[].Tasks[].Name')
    case 'job-alloc':
      // Actions run in these alone.
      return ofThird(['job', 'allocs'], '--query', "[?ClientStatus=='running'].ID")
    case 'job-action':
      return ofThird(['job', 'actions'])
    case 'job-version':
      return ofThird(['job', 'versions'])
    case 'secret-field':
      return ofThird(['kv', 'subkeys'])
    case 'secret-path':
      return ['kv', 'list', ...[words.at(-1) ?? ''].filter((folder) => folder !== '')]
    case 'kmip-scope':
      return ['kmip', 'scope', 'list']
    case 'kmip-role':
      return fourth === undefined ? undefined : ['kmip', 'role', 'list', fourth]
    case 'kmip-serial':
      return fourth === undefined || fifth === undefined ? undefined : ['kmip', 'cred', 'list', fourth, fifth]
    case 'saved-view':
      return ['explorer', 'views', 'list', '--query', '[].[id,name][]']
    default:
      return undefined
  }
}

/** The words that aren't flags; a flag's value is one only if the flag isn't known to take a value. */
function positionals(words: readonly string[]): string[] {
  return words.filter((word, index) => !word.startsWith('-') && !isPlacing(words[index - 1]))
}

function isPlacing(word: string | undefined): boolean {
  return word !== undefined && (['-p', '-n'].includes(word) || placing.some((name) => word === `--${name}`))
}

function placedFlags(words: readonly string[]): string[] {
  const insecure = words.includes('--insecure') ? ['--insecure'] : []
  const others = placing.flatMap((name) => {
    const value = flagValue(words, name)
    return value === undefined || value === '' || value === '-' ? [] : [`--${name}=${value}`]
  })
  return [...others, ...insecure]
}

function flagValue(words: readonly string[], name: string): string | undefined {
  const short = name === 'profile' ? '-p' : name === 'namespace' ? '-n' : undefined
  const inline = words.findLast((word) => word.startsWith(`--${name}=`))
  if (inline !== undefined) return inline.slice(name.length + 3)
  const at = words.findLastIndex((word) => word === `--${name}` || (short !== undefined && word === short))
  return at === -1 ? undefined : words[at + 1]
}

/** Writes a file that only its owner can read. */
async function writePrivate(file: string, text: string): Promise<void> {
  await writeFileWhole(file, text, { replace: true, private: true })
}
