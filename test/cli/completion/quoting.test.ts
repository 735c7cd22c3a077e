import { spawnSync } from 'node:child_process'
import { array, assert, asyncProperty, constantFrom } from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { shells } from '../../../src/commands/tug/completion.ts'
import { isInstalled, openShell, shellWorld } from './shell-session.ts'
import type { ShellWorld } from './shell-session.ts'

/** Names as a hostile server may give them: what completion offers reaches the command as it is, or is not offered. */

const hostile = [
  "it's",
  "a'$(touch /tmp/pwned)'b",
  '$(id)',
  '`id`',
  'a;id',
  'a b',
  'a"b',
  'a\\b',
  'a&b|c>d<e',
  '*?[a]{b,c}',
  '~',
  '=ls',
  '#x',
  '!!',
  'a:b=c@d',
  "'",
  '%1',
  'ä→',
]

const letter = constantFrom(...`abz019 '"\\$\`;&|<>()[]{}*?~#!=:@%^,.+/é→`.split(''))
const names = array(letter, { minLength: 1, maxLength: 12 }).map((letters) => letters.join(''))

describe.each(shells)('%s', (shell) => {
  const installed = isInstalled(shell)
  let world: ShellWorld
  let session: Awaited<ReturnType<typeof openShell>> | undefined

  let jobs: readonly string[] = []

  beforeAll(async () => {
    world = await shellWorld(shell, () => JSON.stringify(jobs.map((ID) => ({ ID }))))
    if (installed) session = await openShell(shell, world)
  })

  afterAll(async () => {
    await session?.close()
    world.remove()
  })

  /** The words that reach `tug` when the completed line is run; undefined where nothing was offered. */
  async function reached(name: string, typed: string): Promise<string[] | undefined> {
    jobs = [name]
    const line = await session?.complete(`${typed}<TAB>`)
    if (line === undefined || line.trimEnd() === typed.trimEnd()) return undefined
    world.calls()
    spawnSync(shell, ['-c', line], { cwd: world.cwd, env: world.env, stdio: 'ignore' })
    return world.calls()[0]?.split('|').slice(0, -1)
  }

  test.each(installed ? hostile : [])('the job %s reaches the command as it is', async (name) => {
    const wanted = ['job', 'get', ...name.split('|')]
    expect(await reached(name, 'tug job get ')).toEqual(shell === 'fish' && name.startsWith('~') ? undefined : wanted)
    for (const quote of ["'", '"'])
      expect([undefined, wanted]).toContainEqual(await reached(name, `tug job get ${quote}`))
  })

  test('any name reaches the command as it is, or is not offered', async () => {
    if (!installed) return expect(installed, `${shell} is not installed: its script was not tried`).toBe(false)
    return assert(
      asyncProperty(names, constantFrom('', "'", '"'), async (name, quote) => {
        const words = await reached(name, `tug job get ${quote}`)
        if (words !== undefined) expect(words.join('|')).toBe(['job', 'get', name].join('|'))
      }),
      { numRuns: 20 },
    )
  })
})
