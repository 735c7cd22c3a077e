import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { CompletionSources, NameCache } from '../../cli/completion/candidates.ts'
import { completeWords, createNameCache } from '../../cli/completion/candidates.ts'
import type { Offer } from '../../cli/completion/offer.ts'
import { offerAt } from '../../cli/completion/offer.ts'
import {
  bashReplies,
  fishLines,
  powershellAnswer,
  splitBash,
  unquoteFish,
  unquotePowershell,
  zshLines,
} from '../../cli/completion/quoting.ts'
import type { Tree } from '../../cli/route.ts'
import { findRoute } from '../../cli/route.ts'
import { configFolder, readConfig } from '../../config/profiles.ts'
import { cachePlace } from '../../core/environment.ts'
import { flagName } from '../../core/param.ts'
import { targetSpellings } from '../../core/shell.ts'
import type { Host } from '../../process/host.ts'
import { writeFileWhole } from '../../output/files.ts'
import { writeAll } from '../../output/streams.ts'

/** Both spellings of the flags that select a server, mount or profile; they are passed on when names are read, as is `--insecure`. */
const placing = Object.entries(targetSpellings).map(([key, spelling]) => [flagName(key), spelling] as const)

/** Variables that do the same; each set has its own cached names. */
const placingVariables = /^(?:TUG_|VAULT_|BAO_|NOMAD_|TFE_|TF_TOKEN_)/

/** The program to complete: its command tree, and a function that runs a command line. */
export interface CompletedProgram {
  readonly tree: Tree
  readonly run: (host: Host) => Promise<number>
}

/**
 * `tug __complete <shell> …`: prints completions of the word at the cursor, for the scripts of `tug completion`. The first line is
 * `files`, `directories`, `values` or `open` (the word continues); the others are candidates. PowerShell gets JSON. Never fails.
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
  if (shell === 'powershell') {
    const words = Buffer.from(rest[0] ?? '', 'base64')
      .toString()
      .split('\0')
      .slice(1)
    const typed = unquotePowershell(words.at(-1) ?? '')
    return [powershellAnswer(await offerFor([...words.slice(0, -1), typed], host, program))]
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
  const writePrivate = async (file: string, text: string) => {
    await writeFileWhole(file, text, { replace: true, private: true })
  }
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

/** The commands that list names. `$2` is the argument of `job get`, `$3` and `$4` are those of `kmip role get`. */
const listings: Readonly<Record<string, string>> = {
  job: 'job list --per-page 200',
  'job-group': 'job get $2 --query TaskGroups[].Name',
  'job-task': 'job get $2 --query TaskGroups[].Tasks[].Name',
  // Actions run in these alone.
  'job-alloc': "job allocs $2 --query [?ClientStatus=='running'].ID",
  'job-action': 'job actions $2',
  'job-version': 'job versions $2',
  'secret-field': 'kv subkeys $2',
  'kmip-scope': 'kmip scope list',
  'kmip-role': 'kmip role list $3',
  'kmip-serial': 'kmip cred list $3 $4',
  'saved-view': 'explorer views list --query [].[id,name][]',
}

/** The command that lists the names of a kind; undefined if the words before aren't sufficient. */
function commandFor(kind: string, words: readonly string[]): string[] | undefined {
  if (kind === 'secret-path') return ['kv', 'list', ...[words.at(-1) ?? ''].filter((folder) => folder !== '')]
  const typed = positionals(words)
  const line = listings[kind]?.split(' ').map((word) => (word.startsWith('$') ? typed[Number(word[1])] : word))
  return line?.includes(undefined) === true ? undefined : (line as string[] | undefined)
}

/** The words that aren't flags; a flag's value is one only if the flag isn't known to take a value. */
function positionals(words: readonly string[]): string[] {
  const isPlacing = (word = '') => placing.some((spellings) => spellings.includes(word))
  return words.filter((word, index) => !word.startsWith('-') && !isPlacing(words[index - 1]))
}

function placedFlags(words: readonly string[]): string[] {
  const others = placing.flatMap((spellings) => {
    const value = flagValue(words, spellings)
    return value === undefined || value === '' || value === '-' ? [] : [`${spellings[0]}=${value}`]
  })
  return [...others, ...(words.includes('--insecure') ? ['--insecure'] : [])]
}

function flagValue(words: readonly string[], spellings: readonly [name: string, short: string]): string | undefined {
  const start = `${spellings[0]}=`
  const inline = words.findLast((word) => word.startsWith(start))
  if (inline !== undefined) return inline.slice(start.length)
  const at = words.findLastIndex((word) => spellings.includes(word))
  return at === -1 ? undefined : words[at + 1]
}
