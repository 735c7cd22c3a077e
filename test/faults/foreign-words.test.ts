import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandLine } from '../../src/core/shell.ts'
import { startDevServer } from '../support/dev.ts'
import { scratchFolder } from '../support/folder.ts'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'

/** Names that a server, a file or a header can contain, and that a shell or the program could take for something else. */
const names = [
  '--address=http://127.0.0.1:1',
  '-p',
  '-n',
  '--',
  '--diffs',
  '$(touch pwned)',
  '`touch pwned`',
  ';touch pwned',
  '|touch pwned',
  '&touch pwned',
  '>pwned',
  "'; touch pwned; '",
  '"; touch pwned; "',
  String.raw`\'; touch pwned; '`,
  'a\ntouch pwned',
  'a\r\u001b]0;x\u0007',
  '$HOME',
  '*',
  '~',
  'a b',
]

/** Shells without the user's configuration. */
const shells: Readonly<Record<string, readonly string[]>> = {
  bash: ['-c'],
  dash: ['-c'],
  zsh: ['-f', '-c'],
  fish: ['--no-config', '-c'],
}

const installed = Object.keys(shells).filter((shell) => spawnSync(shell, ['-c', 'true']).status === 0)

/** Runs lines in a real shell, in which `tug` and `nomad` only write down their arguments. */
function runInShell(lines: string, shell = 'bash'): { arguments: string[][]; isHarmed: boolean } {
  const folder = scratchFolder()
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const log = join(folder, 'log')
  writeFileSync(
    join(bin, 'tug'),
    `#!/bin/sh\nfor word; do printf '%s\\0' "$word"; done >> '${log}'\nprintf '\\001' >> '${log}'\n`,
  )
  chmodSync(join(bin, 'tug'), 0o755)
  const work = join(folder, 'work')
  mkdirSync(work)
  spawnSync(shell, [...(shells[shell] ?? []), lines], { cwd: work, env: { PATH: `${bin}:/usr/bin:/bin`, HOME: work } })
  const written = existsSync(log) ? readFileSync(log, 'utf8') : ''
  const calls = written.split('\u0001').slice(0, -1)
  return { arguments: calls.map((call) => call.split('\0').slice(0, -1)), isHarmed: existsSync(join(work, 'pwned')) }
}

test.each(names)('%j in a suggested line is one argument, and no flag', (name) => {
  const before = ['tug', 'job', 'versions'].slice(1)
  const lines: readonly (readonly [line: string, words: string[]])[] = [
    [commandLine([], 'job versions', name), [name]],
    [commandLine([], 'job versions', 'web', name), ['web', name]],
    [commandLine(['-p', name], 'job versions', name, ['--diffs']), [name]],
  ]
  for (const [line, words] of lines) {
    const { arguments: calls, isHarmed } = runInShell(line)
    expect({ isHarmed, count: calls.length, line: line.includes('\n') }).toEqual({
      isHarmed: false,
      count: 1,
      line: false,
    })
    const [call = []] = calls
    expect(call.slice(0, 2)).toEqual(before)
    expect(argumentsOf(call.slice(2))).toEqual(words)
  }
  const [flag = []] = runInShell(commandLine([], 'job list', ['--prefix', name])).arguments
  expect(flag.slice(2)).toEqual(name.startsWith('-') ? [`--prefix=${name}`] : ['--prefix', name])
})

const quotes = [
  "it is's",
  String.raw`a\\b`,
  String.raw`C:\dir\x y`,
  String.raw`\'$(touch pwned)\'`,
  '!!',
  "'\n; touch pwned; '",
  '\u009b',
]

test.each(installed)('in %s a suggested line is harmless, and it is the words that were meant', (shell) => {
  for (const name of [...names, ...quotes]) {
    const { arguments: calls, isHarmed } = runInShell(commandLine([], 'job versions', name), shell)
    expect({ name, isHarmed }).toEqual({ name, isHarmed: false })
    // dash has no $'…', and fish rejects the line.
    const isReadable = !/\p{Cc}/u.test(name) || ['bash', 'zsh'].includes(shell)
    if (isReadable) expect([name, argumentsOf(calls[0]?.slice(2) ?? [])]).toEqual([name, [name]])
    else expect(calls.length).toBe(shell === 'fish' ? 0 : 1)
  }
})

/** What is no flag and no value of one: the words after `--`, or else all that don't begin with a dash. */
function argumentsOf(words: readonly string[]): string[] {
  const dashes = words.indexOf('--')
  const before = dashes === -1 ? words : words.slice(0, dashes)
  const given = before.filter((word, index) => !word.startsWith('-') && before[index - 1] !== '-p')
  return [...given, ...(dashes === -1 ? [] : words.slice(dashes + 1))]
}

/** Command lines that a server can put a name into, by its answers; what it says is the same for every request. */
const places: readonly (readonly [
  place: string,
  line: string,
  answer: (name: string) => [status: number, body: unknown],
])[] = [
  ['required meta keys', 'job dispatch web', (name) => [500, `Dispatch did not provide required meta keys: [${name}]`]],
  ['unpermitted meta keys', 'job dispatch web', (name) => [500, `Dispatch had unpermitted metadata keys: [${name}]`]],
  ['a conflict', 'job versions web', (name) => [409, `job already exists ${name}`]],
  ['the IDs of jobs', "job status -n '*'", (name) => [200, [stub(name)]]],
  ['the ID of a similar job', 'job get wbe', (name) => [404, `job not found ${name}`]],
  ['the error of a secret', 'kv get app/db', (name) => [404, { errors: [`no handler for route "${name}"`] }]],
  ['a list of secrets', 'kv tree', (name) => [200, { data: { keys: [name] } }]],
  ['a list of scopes', 'kmip scope list', (name) => [200, { data: { keys: [name] } }]],
]

function stub(name: string) {
  return {
    ID: name,
    Name: name,
    Namespace: name,
    Type: 'service',
    Status: 'dead',
    Stop: true,
    JobSummary: { Summary: {} },
  }
}

/** Runs every line that is suggested in a shell. Returns how many there were. */
function expectHarmless(output: string): number {
  let count = 0
  for (const text of output.split('\n')) {
    const suggestion = /(?:^|[:;,(] |: pass )(tug .*|--(?:meta|mount)[ =].*)$/.exec(text)?.[1]
    if (suggestion === undefined || suggestion.startsWith('tug: ')) continue
    count += 1
    const { arguments: calls, isHarmed } = runInShell(suggestion.startsWith('--') ? `tug ${suggestion}` : suggestion)
    expect({ text, isHarmed }).toEqual({ text, isHarmed: false })
    for (const call of calls) {
      const dashes = call.indexOf('--')
      const flags = dashes === -1 ? call : call.slice(0, dashes)
      expect(flags.filter((word) => /^--address=http:\/\/127.0.0.1:1$/.test(word))).toEqual([])
    }
  }
  return count
}

test.each(places)('names in %s are harmless in every line that is suggested', async (_, line, answer) => {
  for (const name of names) {
    const [status, body] = answer(name)
    const { env } = await serve((_request, response) =>
      typeof body === 'string'
        ? response.writeHead(status, { 'content-type': 'text/plain' }).end(body)
        : json(response, status, JSON.stringify(body)),
    )
    const { stdout, stderr } = await tug(`${line} --retries 0`, { env })
    expectHarmless(`${stdout}\n${stderr}`)
  }
})

const jobOf = (id: string) =>
  JSON.stringify({
    ID: id,
    Name: id,
    Type: 'service',
    Datacenters: ['dc1'],
    TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't', Driver: 'docker', Config: { image: 'x' } }] }],
  })

/** A backup whose header names this mount, namespace and folder; its checksum is right. */
function backupOf(whole: string, name: string): string {
  const lines = whole.trimEnd().split('\n')
  const header = { ...JSON.parse(lines[0] as string), mount: name, namespace: name, server: name }
  const kept = [JSON.stringify(header), ...lines.slice(1, -1)]
  const hash = createHash('sha256')
  for (const line of kept) hash.update(line).update('\n')
  return (
    [...kept, JSON.stringify({ ...JSON.parse(lines.at(-1) as string), sha256: hash.digest('hex') })].join('\n') + '\n'
  )
}

/** Command lines that a file can put a name into. */
const filled: readonly (readonly [
  place: string,
  files: (name: string, backup: string) => Record<string, string>,
  lines: readonly string[],
])[] = [
  [
    'the ID in a job file',
    (name) => ({ 'j.json': jobOf(name) }),
    [
      'job plan j.json',
      'job apply j.json --yes --no-wait',
      'job apply j.json --plan',
      'job plan j.json --save saved',
      'job apply --saved saved --yes --no-wait',
      'job update other j.json',
    ],
  ],
  [
    'the meta of rows',
    (name) => ({ 'r.ndjson': JSON.stringify({ meta: { [name]: name } }) }),
    ['job dispatch nightly --from r.ndjson --plan', 'job dispatch nightly --from r.ndjson'],
  ],
  [
    'the header of a backup',
    (name, backup) => ({ backup: backupOf(backup, name) }),
    ['kv verify backup', 'kv restore backup --plan', 'kv restore backup --yes --engine-settings'],
  ],
]

test.each(filled)('names in %s are harmless in every line that is suggested', async (_, filesOf, lines) => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  expect((await tug('kv backup app -O whole', { env, cwd })).exit).toBe(0)
  const whole = readFileSync(join(cwd, 'whole'), 'utf8')
  let count = 0
  for (const name of names) {
    const here = scratchFolder()
    mkdirSync(join(here, 'jobs'))
    for (const [file, text] of Object.entries(filesOf(name, whole))) writeFileSync(join(here, file), text)
    for (const line of lines) {
      const { stdout, stderr } = await tug(line, { env, cwd: here })
      expect(stderr).not.toContain('internal error')
      count += expectHarmless(`${stdout}\n${stderr}`)
    }
  }
  expect(count).toBeGreaterThan(0)
})
