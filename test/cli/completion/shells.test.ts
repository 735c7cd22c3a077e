import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { completionScript, shells } from '../../../src/cli/completion/script.ts'
import { isInstalled, openShell, shellWorld } from './shell-session.ts'
import type { ShellWorld } from './shell-session.ts'
import { smallProgram } from '../small-program.ts'

/** What is typed, the resulting line, and tug's calls. */
type Case = readonly [typed: string, becomes: string, call?: string]

const both: readonly Case[] = [
  ['tug k<TAB>', 'tug kv '],
  ['tug kv <ALL>', 'tug kv config exec get put '],
  ['tug kv co<TAB>', 'tug kv config '],
  ['tug kv get --ver<TAB>', 'tug kv get --version '],
  ['tug -o json kv get --fr<TAB>', 'tug -o json kv get --from '],
  ['tug kv config get --type=r<TAB>', 'tug kv config get --type=rsa '],
  ['tug kv config get --type e<ALL>', 'tug kv config get --type ec ed25519 '],
  ['tug kv get --all=t<TAB>', 'tug kv get --all=true '],
  ['tug kv --mount x get --ve<TAB>', 'tug kv --mount x get --version '],
  ['tug completion z<TAB>', 'tug completion zsh '],
  ['tug nope <TAB>', 'tug nope '],
  ['tug kv get --from we<TAB>', 'tug kv get --from web.hcl '],
  ['tug kv get --from=we<TAB>', 'tug kv get --from=web.hcl '],
  ['tug kv get -af we<TAB>', 'tug kv get -af web.hcl '],
  ['tug kv put a b=1 we<TAB>', 'tug kv put a b=1 web.hcl '],
  ['tug job run so<TAB>', String.raw`tug job run some\ jobs/`],
  ['tug dev -- tug kv co<TAB>', 'tug dev -- tug kv config '],
  ['tug dev --port 1 -- tug kv config get --type r<TAB>', 'tug dev --port 1 -- tug kv config get --type rsa '],
  ['tug dev -- cat we<TAB>', 'tug dev -- cat web.hcl '],
  ['tug kv exec a -- cat we<TAB>', 'tug kv exec a -- cat web.hcl '],
  ['tug kv get ap<TAB>', 'tug kv get app/', '__complete|secret-path|kv|get|ap|'],
  ['tug kv get top:s<TAB>', 'tug kv get top:secret ', '__complete|secret-path|kv|get|top:s|'],
  ['tug job get b<TAB>', 'tug job get batch/nightly ', '__complete|job|job|get|b|'],
  [
    "tug explorer query --filter 'drifted is t<TAB>",
    "tug explorer query --filter 'drifted is true' ",
    '__complete|explorer-filter|explorer|query|--filter|drifted is t|',
  ],
]

const bashOnly: readonly Case[] = [
  ['tug explorer query --filter dr<TAB>', "tug explorer query --filter 'drifted is "],
  ["tug explorer query --filter='drifted is f<TAB>", "tug explorer query --filter='drifted is false' "],
  ['tug kv get tea<TAB>', "tug kv get 'team one/"],
]

const zshOnly: readonly Case[] = [
  ['tug explorer query --filter dr<TAB>', String.raw`tug explorer query --filter drifted\ is\ `],
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
    world = shellWorld(shell)
    if (installed) session = await openShell(shell, world)
  })

  afterAll(async () => {
    await session?.close()
    world?.remove()
  })

  test.each(installed ? cases.map(([typed, becomes, call]) => ({ typed, becomes, call })) : [])(
    '$typed',
    async ({ typed, becomes, call }) => {
      world?.calls()
      expect(await session?.complete(typed)).toBe(becomes)
      const calls = world?.calls()
      if (call !== undefined) expect(calls).toEqual([call])
    },
  )

  test('words, flags and choices start no process', async () => {
    if (!installed) return expect(installed, `${shell} is not installed: its script was not tried`).toBe(false)
    world?.calls()
    await session?.complete('tug kv config get --type <ALL>')
    await session?.complete('tug --<ALL>')
    return expect(world?.calls()).toEqual([])
  })
})

describe('fish', () => {
  const installed = isInstalled('fish')
  const world = shellWorld('fish')

  afterAll(() => world.remove())

  const offered = (line: string) => {
    const { stdout } = spawnSync('fish', ['--no-config', '-c', `source ${world.script}; complete -C $argv[1]`, line], {
      encoding: 'utf8',
      cwd: world.cwd,
      env: world.env,
    })
    return stdout.trimEnd().split('\n')
  }

  test.each(
    installed
      ? ([
          [
            'tug ',
            ['completion\tPrint a completion script', 'dev\tRun a local server', 'explorer\tQuery data', 'job\tJobs'],
          ],
          ['tug kv co', ['config\tThe configuration']],
          ['tug -o json kv --mount x get --ve', ['--version\twhich version: 0 is the latest']],
          ['tug kv config get --type=r', ['--type=rsa']],
          ['tug -o js', ['json']],
          ['tug --outp', ['--output\toutput format']],
          ['tug kv get ap', ['app/']],
          ['tug job get w', ['web']],
          ['tug explorer query --filter=dri', ['--filter=drifted is false', '--filter=drifted is true']],
          ['tug kv put a b we', ['web.hcl']],
          ['tug kv exec a -- we', ['web.hcl']],
          ['tug dev -- tug kv co', ['config\tThe configuration']],
          ['tug nope ', ['']],
        ] as const)
      : [],
  )('%s', (line, expected) => {
    expect(offered(line).slice(0, expected.length)).toEqual(expected)
  })

  test('tug is called for names only, with the words before them', () => {
    if (!installed) return expect(installed, 'fish is not installed: its script was not tried').toBe(false)
    world.calls()
    offered('tug kv get --mount x ap')
    expect(world.calls()).toEqual(['__complete|secret-path|kv|get|--mount|x|ap|'])
    offered('tug kv get --ve')
    return expect(world.calls()).toEqual([])
  })
})

test.each(shells)('the script for %s is the same each time', (shell) => {
  expect(completionScript(shell, smallProgram)).toBe(completionScript(shell, smallProgram))
})

test('fixed choices are part of the script', () => {
  const script = completionScript('bash', smallProgram, { profile: ['prod', 'staging'] })
  expect(script).toContain('-p,--profile =prod,staging')
})
