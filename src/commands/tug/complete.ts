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
import type { Word } from '../../cli/words.ts'
import { configFolder, readConfig } from '../../config/profiles.ts'
import { cacheFolder, cachePlace } from '../../core/environment.ts'
import { flagName } from '../../core/param.ts'
import { targetSpellings } from '../../core/shell.ts'
import type { Host } from '../../process/host.ts'
import { writeFileWhole } from '../../output/files.ts'
import { writeAll } from '../../output/streams.ts'

/** Variables that select a server, mount or profile; each set has its own cached names. */
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

async function offerFor(
  words: readonly string[],
  host: Host,
  program: CompletedProgram,
  isInner = false,
): Promise<Offer> {
  const { env, home, platform } = host
  const { tree, run } = program
  // `dev -- tug …`, whose local server isn't running yet.
  const { line } = await findRoute(words.slice(0, -1), tree)
  const inner = line.find(({ role }) => role === 'passed')
  if (inner?.text === 'tug' && line[0]?.text === 'dev') return offerFor(words.slice(inner.at + 1), host, program, true)
  return offerAt(words, tree, (kind, before, value) => {
    const flags = targetFlagsOf(before.line)
    const sources: CompletionSources = {
      explorer: () => import('../../api/explorer-fields.ts'),
      operations: async () => (await import('../../api/kmip-operations.ts')).operations,
      profiles: () => Object.keys(readConfig(configFolder(env, home, platform)).profiles ?? {}),
      topics: (typed) => helpWords(typed, tree),
      cache: cacheOf(host),
      scope: JSON.stringify([
        isInner,
        configFolder(env, home, platform),
        flags,
        Object.entries(env).filter(([name]) => placingVariables.test(name)),
      ]),
      fetchNames: async (wanted, typed, signal) => {
        const listing = isInner ? undefined : commandFor(wanted, typed)
        return listing === undefined ? [] : fetchNames([...listing, ...flags], signal, host, run)
      },
    }
    // A view may be the value of a flag.
    const isOfView = kind.startsWith('explorer-')
    const typed = before.line.flatMap((word) => (word.role === 'argument' || isOfView ? (word.value ?? []) : []))
    return completeWords(kind, [...typed, value], sources)
  })
}

/** The flags of a line that select a server, mount or profile. */
function targetFlagsOf(line: readonly Word[]): string[] {
  const values = line.filter(({ key, value }) => key !== undefined && key in targetSpellings && value && value !== '-')
  const flags = new Map(values.map(({ key = '', value }) => [key, `${flagName(key)}=${value}`]))
  return [...flags.values(), ...(line.some(({ key }) => key === 'insecure') ? ['--insecure'] : [])]
}

/** Undefined without a folder for it. */
function cacheOf({ env, home, platform, uid, now }: Host): NameCache | undefined {
  const place = cachePlace(env, home, platform)
  const writePrivate = async (file: string, text: string) => {
    await writeFileWhole(file, text, { replace: true, private: true })
  }
  return place && createNameCache((creates) => cacheFolder(place, [], { uid, creates }), now, writePrivate)
}

/** The words that `help` accepts next: topics and commands. */
async function helpWords(words: readonly string[], tree: Tree): Promise<string[]> {
  const { topics } = await import('./topics.ts')
  if (words.length === 0) return [...Object.keys(topics), ...tree.entries.map(({ name }) => name)]
  const { target, problem } = await findRoute(words, tree)
  return target?.kind === 'group' && problem === undefined ? target.members.map(({ name }) => name) : []
}

/** Runs the program in this process to get names; its stderr is dropped. */
async function fetchNames(
  line: readonly string[],
  signal: AbortSignal,
  host: Host,
  run: CompletedProgram['run'],
): Promise<string[]> {
  const pieces: Buffer[] = []
  const stdout = new PassThrough().on('data', (piece: Buffer) => pieces.push(piece))
  const status = await run({
    ...host,
    argv: [...line, ...'-o name --null --quiet --no-input --retries 0 --timeout 1s'.split(' ')],
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

/** The commands that list names; `$0` is the first argument before the cursor. */
const listings: Readonly<Record<string, string>> = {
  job: 'job list --per-page 200',
  'job-group': 'job get $0 --query TaskGroups[].Name',
  'job-task': 'job get $0 --query TaskGroups[].Tasks[].Name',
  // Actions run in these alone.
  'job-alloc': "job allocs $0 --query [?ClientStatus=='running'].ID",
  'job-action': 'job actions $0',
  'job-version': 'job versions $0',
  'secret-field': 'kv subkeys $0',
  'kmip-scope': 'kmip scope list',
  'kmip-role': 'kmip role list $0',
  'kmip-serial': 'kmip cred list $0 $1',
  'saved-view': 'explorer views list --query [].[id,name][]',
}

/** The command that lists the names of a kind; undefined if the arguments aren't sufficient. */
function commandFor(kind: string, args: readonly string[]): string[] | undefined {
  if (kind === 'secret-path') return ['kv', 'list', ...args.slice(-1).filter((folder) => folder !== '')]
  const line = listings[kind]?.split(' ').map((word) => (word.startsWith('$') ? args[Number(word[1])] : word))
  return line?.includes(undefined) === true ? undefined : (line as string[] | undefined)
}
