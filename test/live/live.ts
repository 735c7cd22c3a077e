import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { start } from '../support/process.ts'
import { shellWords } from '../support/run.ts'

export interface Live {
  /** Begins the name of everything that the run makes on the server. */
  readonly prefix: string
  /** Files of the run; it is removed at its end. */
  readonly folder: string
  /** Runs the built program against the server. */
  tug(line: string, env?: Readonly<Record<string, string>>): Promise<Ran>
}

interface Ran {
  readonly exit: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A line, its exit status, and its output: the whole of it without blanks around, or a pattern. */
export type Step = readonly [line: string, exit: number, output?: string | RegExp]

const ran: string[] = []

/** The server of a service that the environment names; undefined, and reported, if it names none. */
export function liveServer(
  service: 'secrets' | 'scheduler',
  env: Readonly<Record<string, string>> = {},
): Live | undefined {
  const name = service.toUpperCase()
  const address = process.env[`TUG_LIVE_${name}_ADDR`] ?? ''
  if (address === '') {
    process.stderr.write(
      `\nSKIPPED: no command of the ${service} service was tried: TUG_LIVE_${name}_ADDR is not set\n\n`,
    )
    return undefined
  }
  const prefix = `tug-live-${randomBytes(4).toString('hex')}`
  const folder = mkdtempSync(join(tmpdir(), `${prefix}-`))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const server = { [`TUG_${name}_ADDR`]: address, [`TUG_${name}_TOKEN`]: process.env[`TUG_LIVE_${name}_TOKEN`] ?? '' }
  return {
    prefix,
    folder,
    async tug(line, more = {}) {
      ran.push(line)
      const { status, stdout, stderr } = await start(shellWords(line), {
        cwd: folder,
        env: { ...server, ...env, CI: 'true', TUG_CONFIG_DIR: folder, ...more },
      }).ended
      return { exit: status, stdout: stdout.toString(), stderr }
    },
  }
}

/** A test for each line, in this order. A failure shows all that the line printed. */
export function runSteps({ tug }: Live, steps: readonly Step[], env: Readonly<Record<string, string>> = {}): void {
  test.each(steps.map((step) => [step[0], step] as const))('%s', async (_, [line, exit, output]) => {
    const done = await tug(line, env)
    expect(done, done.stderr).toMatchObject({ exit })
    if (typeof output === 'string') expect(done.stdout.trim()).toBe(output)
    else if (output !== undefined) expect(done.stdout).toMatch(output)
  })
}

/** Tests that each command of a group was among the lines. */
export function testThatAllRan({ tug }: Live, group: string): void {
  test(`every command of ${group} was run`, async () => {
    const { stdout } = await tug('help -o json')
    const { commands } = JSON.parse(stdout) as { commands: readonly { command: string }[] }
    const names = commands.map(({ command }) => command).filter((command) => command.startsWith(`${group} `))
    const missing = names.filter((name) => !ran.some((line) => line === name || line.startsWith(`${name} `)))
    expect(names.length).toBeGreaterThan(10)
    expect(missing).toEqual([])
  })
}
