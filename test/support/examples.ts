import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { commandsOf, loadProgram } from '../../src/cli/catalogue.ts'
import type { Dialect } from '../../src/dev/http.ts'
import { tree, version } from '../../src/commands/index.ts'
import { startDevServer } from './dev.ts'
import { quickClock } from './quick-clock.ts'
import type { Ask } from './example-files.ts'
import { exampleFiles, firstLine, firstView } from './example-files.ts'
import { scratchFolder } from './folder.ts'
import { program, start } from './process.ts'
import type { Machine, Outcome } from './run.ts'
import { tug } from './run.ts'

/** An example of a command. */
export interface Example {
  /** The words after `tug`. */
  readonly line: string
  /** True if it needs a shell, or if the command starts another program on our streams. */
  readonly shell: boolean
}

/** Every example of every command, in help order. */
export const examples: readonly Example[] = (await loadProgram(tree, version)).entries
  .flatMap(commandsOf)
  .flatMap(([, command]) => command.examples.map(({ line }) => ({ line, shell: needsShell(line) })))

/** Values that only a running server knows, by their name in examples, and how to get them. */
const live: readonly (readonly [example: string, answer: (ask: Ask, origin: string) => Promise<string>])[] = [
  ['sq-7RkT2mWq9ZbX4cLd', firstView],
  ['728181095563584845125173905844944137943705466376', firstSerial],
  ['55:f2:f2:0b:35:16:6b:6b:f3:59:15:ac:cc:7b:d4:81:21:30:d5:83', async (ask) => asOpenssl(await firstSerial(ask))],
  ['nightly/dispatch-1795236412-b2c4d6e8', async (ask) => firstLine(await ask('job list --prefix nightly/ -o name'))],
  ['--check-index 77', async (ask) => `--check-index ${await ask('job get web --query JobModifyIndex -o json')}`],
  [
    '9c0f11aa',
    async (ask) => (await ask(`job allocs web --query "[?ClientStatus=='running'].ID" -o name`)).slice(0, 8),
  ],
  ['https://app.example.com', async (_, origin) => `${origin}/api/v2`],
]

/** Programs in the examples that a machine may lack, as shell scripts. */
const programs = {
  tug: `exec '${process.execPath}' '${program}' "$@"`,
  curl: 'printf "%s\\n" "$@"',
  pbcopy: 'cat',
  csvsort: 'cat',
}

/** Where an example runs. */
export interface Workshop {
  /** The example with the server's values. */
  readonly line: string
  readonly cwd: string
  readonly env: Record<string, string>
}

/** A server of one dialect for an example, on which waits are quick. */
export function exampleServer(dialect: Dialect, clock = quickClock(40)) {
  return startDevServer({ dialect, strict: true, clock })
}

/** Creates the files and programs that the example names, by the answers of this server. */
export async function workshop(
  example: string,
  server: { readonly origin: string; readonly env: Readonly<Record<string, string>> },
): Promise<Workshop> {
  const cwd = scratchFolder()
  const bin = join(cwd, 'bin')
  const env = {
    ...server.env,
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: cwd,
    XDG_RUNTIME_DIR: cwd,
    TUG_CONFIG_DIR: join(cwd, '.config/tug'),
    EDITOR: 'sed -i.before s/5432/5433/',
  }
  const ask: Ask = async (question) => {
    const { exit, stdout, stderr } = await tug(question, { env, cwd })
    if (exit !== 0) throw new Error(`tug ${question}: ${stderr}`)
    return stdout
  }
  await mkdir(bin)
  await mkdir(join(cwd, '.config/fish/completions'), { recursive: true })
  for (const [name, body] of Object.entries(programs)) await writeScript(join(bin, name), body)
  await writeScript(join(cwd, 'migrate'), 'test -n "$DB_PASSWORD"')
  const read = example.replace(/(?: -O| >) \S+/, '')
  for (const [name, content] of Object.entries(exampleFiles)) {
    if (!read.includes(name.replace(/(?<=\/).*/, ''))) continue
    await mkdir(dirname(join(cwd, name)), { recursive: true })
    await writeFile(join(cwd, name), await content(ask))
  }
  let line = example
  for (const [name, answer] of live) {
    if (line.includes(name)) line = line.replace(name, await answer(ask, server.origin))
  }
  return { line, cwd, env }
}

/** Runs the line in this process. A watch is interrupted after its first output. */
export async function runHere({ line, cwd, env }: Workshop, machine: Machine = {}): Promise<Outcome> {
  const signals = new Map<string, () => void>()
  const onWrite = () => signals.get('SIGINT')?.()
  const watch = line.includes('--watch') ? { signals, onWrite } : {}
  return tug(line, { cwd, env, now: new Date(), ...machine, ...watch })
}

/** Runs the line in bash. */
export async function runInShell({ line, cwd, env }: Workshop): Promise<Omit<Outcome, 'bytes'>> {
  const { ended } = start(['-c', `set -o pipefail; tug ${line}`], { command: 'bash', cwd, env })
  const { status, stdout, stderr } = await ended
  return { exit: status ?? -1, stdout: stdout.toString(), stderr }
}

async function writeScript(file: string, body: string): Promise<void> {
  await writeFile(file, `#!/bin/sh\n${body}\n`)
  await chmod(file, 0o755)
}

async function firstSerial(ask: Ask): Promise<string> {
  return firstLine(await ask('kmip cred list storage backup -o name'))
}

/** A serial number as openssl prints it: pairs of hexadecimal digits. */
function asOpenssl(serial: string): string {
  const digits = BigInt(serial).toString(16)
  return (digits.padStart(digits.length + (digits.length % 2), '0').match(/../g) ?? []).join(':')
}

function needsShell(line: string): boolean {
  return /[|<>&;$~]| -- /.test(line.replace(/'[^']*'|"[^"]*"/g, ''))
}
