import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isInstalled, openShell, shellWorld } from './shell-session.ts'
import type { ShellWorld } from './shell-session.ts'
import { start } from '../../support/process.ts'

/** What is typed, and the resulting line. */
type Case = readonly [typed: string, becomes: string]

/** The names that the services list, by path. */
const listed: ReadonlyMap<string, string> = new Map([
  ['/v1/jobs', '[{"ID":"web"},{"ID":"batch/nightly"}]'],
  ['/v1/secret/metadata', '{"data":{"keys":["app/","team one/","top:secret"]}}'],
])

const both: readonly Case[] = [
  ['tug km<TAB>', 'tug kmip '],
  ['tug kv metadata <ALL>', 'tug kv metadata delete get patch put '],
  ['tug kv co<TAB>', 'tug kv co'],
  ['tug kv con<TAB>', 'tug kv config '],
  ['tug kv get --ver<TAB>', 'tug kv get --version '],
  ['tug -o json kv get --fi<TAB>', 'tug -o json kv get --field '],
  ['tug explorer views create x --type=tf<TAB>', 'tug explorer views create x --type=tf_versions '],
  [
    'tug explorer views create x --type <ALL>',
    'tug explorer views create x --type modules providers resources tf_versions workspaces ',
  ],
  ['tug job stop --purge=t<TAB>', 'tug job stop --purge=true '],
  ['tug kv --mount x get --ve<TAB>', 'tug kv --mount x get --version '],
  ['tug completion z<TAB>', 'tug completion zsh '],
  ['tug nope <TAB>', 'tug nope '],
  ['tug kv get --token-file we<TAB>', 'tug kv get --token-file web.hcl '],
  ['tug kv get --token-file=we<TAB>', 'tug kv get --token-file=web.hcl '],
  ['tug kv put a b=1 we<TAB>', 'tug kv put a b=1 we'],
  ['tug job run so<TAB>', String.raw`tug job run some\ jobs/`],
  ['tug dev -- tug kv con<TAB>', 'tug dev -- tug kv config '],
  ['tug dev --port 1 -- tug -o js<TAB>', 'tug dev --port 1 -- tug -o json '],
  ['tug dev -- cat we<TAB>', 'tug dev -- cat web.hcl '],
  ['tug kv exec a -- cat we<TAB>', 'tug kv exec a -- cat web.hcl '],
  ['tug kv get ap<TAB>', 'tug kv get app/'],
  ['tug kv get top:s<TAB>', 'tug kv get top:secret '],
  ['tug job get b<TAB>', 'tug job get batch/nightly '],
  [
    "tug explorer query workspaces --filter 'drifted is t<TAB>",
    "tug explorer query workspaces --filter 'drifted is true' ",
  ],
]

const bashOnly: readonly Case[] = [
  ['tug explorer query workspaces --filter drif<TAB>', "tug explorer query workspaces --filter 'drifted is"],
  [
    "tug explorer query workspaces --filter='drifted is f<TAB>",
    "tug explorer query workspaces --filter='drifted is false' ",
  ],
  ['tug kv get tea<TAB>', "tug kv get 'team one/"],
]

const zshOnly: readonly Case[] = [
  ['tug explorer query workspaces --filter drif<TAB>', String.raw`tug explorer query workspaces --filter drifted\ is`],
  ['tug kv get tea<TAB>', String.raw`tug kv get team\ one/`],
]

describe.each([
  ['bash', [...both, ...bashOnly]],
  ['zsh', [...both, ...zshOnly]],
] as const)('%s', (shell, cases) => {
  const installed = isInstalled(shell)
  let world: ShellWorld | undefined
  let session: Awaited<ReturnType<typeof openShell>> | undefined

  beforeAll(async () => {
    world = await shellWorld(shell, (path) => listed.get(path))
    if (installed) session = await openShell(shell, world)
  })

  afterAll(async () => {
    await session?.close()
    world?.remove()
  })

  test.each(installed ? cases : [])('%s', async (typed, becomes) => {
    expect(await session?.complete(typed)).toBe(becomes)
  })

  test('a shell that is not installed is said', () => {
    if (!installed) expect(installed, `${shell} is not installed: its script was not tried`).toBe(false)
  })
})

test('PowerShell gets names and descriptions as JSON', async () => {
  const world = await shellWorld('fish', (path) => listed.get(path))
  const answer = async (...words: string[]) => {
    const typed = Buffer.from(words.join('\0')).toString('base64')
    const { stdout } = await start(['__complete', 'powershell', typed], { env: world.env }).ended
    return JSON.parse(stdout.toString()) as { kind: string; values: object[] }
  }
  try {
    expect(await answer('tug', 'kv', 'co')).toEqual({
      kind: 'values',
      values: [
        { text: 'copy', shown: 'copy', summary: expect.stringMatching(/\w/) as string },
        { text: 'config', shown: 'config', summary: expect.stringMatching(/\w/) as string },
      ],
    })
    const quoted = { text: "'team one/'", shown: 'team one/', summary: 'team one/' }
    expect(await answer('tug.cmd', 'kv', 'get', "'tea")).toEqual({ kind: 'values', values: [quoted] })
    expect((await answer('tug', 'job', 'get', '')).values).toHaveLength(2)
    expect(await answer('tug', 'explorer', 'views', 'create', 'x', '--type=tf')).toMatchObject({
      values: [{ text: '--type=tf_versions', shown: 'tf_versions' }],
    })
    expect(await answer('tug', 'job', 'run', '')).toEqual({ kind: 'files', values: [] })
    expect(await answer('tug', 'job', 'export', '-O', '')).toEqual({ kind: 'directories', values: [] })
    expect(await answer('tug', 'nope', '')).toEqual({ kind: 'values', values: [] })
  } finally {
    world.remove()
  }
})

describe('fish', () => {
  const installed = isInstalled('fish')
  let world: ShellWorld | undefined

  beforeAll(async () => {
    world = await shellWorld('fish', (path) => listed.get(path))
  })

  afterAll(() => world?.remove())

  async function offered(line: string): Promise<string[]> {
    const script = `source ${world?.script}; complete -C $argv[1]`
    const child = start(['--no-config', '-c', script, line], {
      command: 'fish',
      cwd: world?.cwd ?? '',
      env: world?.env ?? {},
    })
    return (await child.ended).stdout.toString().trimEnd().split('\n')
  }

  test.each(
    installed
      ? ([
          ['tug kv con', ['config']],
          ['tug -o json kv --mount x get --ve', ['--version']],
          ['tug explorer views create x --type=tf', ['--type=tf_versions']],
          ['tug -o js', ['json']],
          ['tug --outp', ['--output']],
          ['tug kv get ap', ['app/']],
          ['tug job get w', ['web']],
          ['tug kv get --token-file we', ['web.hcl']],
          ['tug kv exec a -- we', ['web.hcl']],
          ['tug dev -- tug kv con', ['config']],
          ['tug nope ', ['']],
        ] as const)
      : [],
  )('%s', async (line, expected) => {
    const shown = (await offered(line)).slice(0, expected.length)
    expect(shown.map((text) => text.replace(/\t.*/, ''))).toEqual(expected)
  })

  test('shells without a test are said', () => {
    if (!installed) expect(installed, 'fish is not installed: its script was not tried').toBe(false)
  })
})
