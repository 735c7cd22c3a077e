import { spawnSync } from 'node:child_process'
import { array, assert, asyncProperty, constantFrom } from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { powershellAnswer, unquotePowershell } from '../../../src/cli/completion/quoting.ts'
import { isInstalled, openShell, shellWorld } from './shell-session.ts'
import type { ShellWorld } from './shell-session.ts'

/** Names as a hostile server may give them: what completion offers reaches the command as it is, or is not offered. */

/** What only counts at the beginning of a word is there; the rest shares a word. */
const hostile = [
  `it's a"b\\c`,
  "a'$(touch /tmp/pwned)'b",
  '$(id)',
  '`id`;id',
  'a&b|c>d<e*?[a]{b,c}',
  '~',
  '=ls',
  '#x',
  '!!',
  'a:b=c@d',
  "'",
  '%1 ä→',
]

const letter = constantFrom(...`abz019 '"\\$\`;&|<>()[]{}*?~#!=:@%^,.+/é→`.split(''))
const names = array(letter, { minLength: 1, maxLength: 12 }).map((letters) => letters.join(''))

describe.each(['bash', 'zsh', 'fish'] as const)('%s', (shell) => {
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
      { numRuns: 12 },
    )
  })
})

describe('PowerShell', () => {
  test.each([...hostile, 'a b', '*?', '\u2019; id; \u2018', '--', '@a', 'a,b', 'ä→'])(
    '%s reaches the command as it is',
    (name) => {
      const answer = powershellAnswer({ kind: 'values', lead: '', values: [{ value: name }] })
      expect(answer).toMatch(/^[\x20-\x7e]*$/)
      const { values } = JSON.parse(answer) as { values: { text: string; shown: string; summary: string }[] }
      const { text = '', ...rest } = values[0] ?? {}
      expect(rest).toEqual({ shown: name, summary: name })
      // A bare word, or one in single quotes in which each of PowerShell's single quotes is doubled.
      expect(text).toMatch(/^(?:(?!--$)[\w+=:./\\-]+|'(?:[^'\u2018-\u201b]|(['\u2018-\u201b])\1)*')$/)
      expect(unquotePowershell(text)).toBe(name)
    },
  )

  test.each([
    ['app/', 'app/'],
    ["'team one/", 'team one/'],
    ['"team one/', 'team one/'],
    ["--filter='drifted is", '--filter=drifted is'],
    ['team` one', 'team one'],
    ["'it''s", "it's"],
  ])('the word typed as %s is %s', (typed, word) => expect(unquotePowershell(typed)).toBe(word))
})
