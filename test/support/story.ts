import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect } from 'vitest'
import type { DevClock } from '../../src/dev/http.ts'
import { startDevServer } from './dev.ts'
import { scratchFolder } from './folder.ts'
import { root } from './process.ts'
import type { Machine } from './run.ts'
import { tug } from './run.ts'

/** The local server's time stands still, so that what it does by itself never happens. */
export const now = new Date('2026-11-21T07:30:00Z')
export const still: DevClock = { now: () => now, after: () => () => undefined }

/** What differs from run to run. */
export function steady(text: string, origin: string): string {
  return steadyValues(text.replaceAll(new URL(origin).host, '127.0.0.1:00000'))
}

function steadyValues(text: string): string {
  return (
    text
      .replaceAll(/\b\d{8}-\d{6}-[0-9a-f]{12}\b/g, '<run>')
      .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, (id) => id.replaceAll(/[0-9a-f]/g, '0'))
      .replaceAll(/\b[0-9a-f]{8}\b/g, '00000000')
      .replaceAll(/(?<=-----BEGIN (?:CERTIFICATE|[A-Z ]*PRIVATE KEY)-----\n)[^-]+/g, '…\n')
      .replaceAll(/\bOU=\w{5}, CN=\w{5}\b/g, 'OU=00000, CN=00000')
      .replaceAll(/(?<=\btug-edit-)\w{6}\b/g, '000000')
      .replaceAll(/(\b\d{40,50}\b|\bSERIAL\b)( {2,})?/g, (_, serial: string, blanks?: string) =>
        [serial === 'SERIAL' ? serial : '<serial>', blanks === undefined ? '' : '  '].join(''),
      )
      // The time of a server that a test plays.
      .replaceAll(/(?<=--deleted-within )\d{4}-\S+Z/g, '<moment>')
      // The cursor's moves in a question.
      .replaceAll(/\u001b\[\d*[A-Z]/g, '')
      .replaceAll(/\bsq-\w{16}\b/g, 'sq-0000000000000000')
  )
}

/** A line with a machine of its own. */
export interface Step extends Omit<Machine, 'cwd'> {
  readonly line: string
}

export interface Story {
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  /** `both`: the story is told in each dialect, and where they differ, the text has both. */
  readonly dialect?: 'neutral' | 'hashicorp' | 'both'
  readonly faults?: readonly string[]
  readonly empty?: boolean
  readonly clock?: DevClock
  /** Where the lines are sent instead of a local server: the environment of a server that a test plays. */
  readonly env?: Readonly<Record<string, string>>
  readonly machine?: Omit<Machine, 'env' | 'cwd'>
}

/**
 * Runs lines one after the other against one server and compares all that they print, and their exit statuses if those aren't 0,
 * with `test/stories/<name>.txt`. `vitest -u` writes it: read what changed. A line that begins with `!` is for the shell, and
 * `{serial}` in a line is the last serial number that was printed.
 */
export async function story(name: string, lines: readonly (string | Step)[], options: Story = {}): Promise<void> {
  const { dialect = 'neutral' } = options
  const told = await tell(lines, options, dialect === 'both' ? 'neutral' : dialect)
  const others = dialect === 'both' ? await tell(lines, options, 'hashicorp') : told
  const both = told.map((one, index) => {
    const other = others[index] ?? ''
    return one === other ? one : `${one}in the hashicorp dialect:\n${other.replace(/^.*\n/, '')}`
  })
  await expect(both.join('')).toMatchFileSnapshot(join(root, 'test/stories', `${name}.txt`))
}

/** What each line prints. */
async function tell(
  lines: readonly (string | Step)[],
  options: Story,
  dialect: 'neutral' | 'hashicorp',
): Promise<string[]> {
  const { files = {}, env, machine = {}, ...server } = options
  const place = env ?? (await startDevServer({ clock: still, ...server, dialect })).env
  const cwd = scratchFolder()
  for (const [file, content] of Object.entries(files)) writeFileSync(join(cwd, file), content)
  const told: string[] = []
  let serial = ''
  for (const step of lines) {
    const { line, ...own } = typeof step === 'string' ? { line: step } : step
    if (line.startsWith('!')) {
      const shown = execFileSync('sh', ['-c', line.slice(1)], { cwd, encoding: 'utf8' })
      told.push(`$ ${line.slice(1).trim()}\n${whole(shown)}`)
      continue
    }
    const meant = line.replaceAll('{serial}', serial)
    const config = join(cwd, 'config')
    const world = { TUG_CONFIG_DIR: config, ...place, NO_COLOR: '1', XDG_RUNTIME_DIR: cwd, ...own.env }
    const { exit, stdout, stderr } = await tug(meant, { now, ...machine, ...own, env: world, cwd })
    serial = /\b\d{40,50}\b/.exec(stdout + stderr)?.[0] ?? serial
    const said = [steadyAll(stdout), marked(steadyAll(stderr))].map(whole).join('')
    const shown = said
      .replaceAll(cwd, '.')
      .replaceAll(/(?<=(?:modify_index|check-index|modify index:|index (?:of \S+ )?is) +)\d+/g, '0')
    told.push(`$ tug ${steadyOrigins(`${line}${aside(own)}`)}\n${shown}${exit === 0 ? '' : `exit ${exit}\n`}`)
  }
  return told
}

function steadyOrigins(text: string): string {
  return text.replaceAll(/\b127\.0\.0\.1:\d{5}/g, '127.0.0.1:00000')
}

/** The same for every server of the tests, and without what readline writes to move the cursor. */
function steadyAll(text: string): string {
  const plain = stripVTControlCharacters(text).replaceAll('\r\n', '\n')
  return steadyValues(steadyOrigins(plain))
}

function whole(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

/** What was said on stderr, told from stdout by its margin. */
function marked(text: string): string {
  return text === '' ? '' : text.replace(/\n$/, '').replaceAll(/^/gm, '» ')
}

/** What is special about the machine of a line. */
function aside({ stdin, terminals, env }: Partial<Step>): string {
  const words = [
    ...Object.entries(env ?? {}).map(([name, value]) => `${name}=${value ?? ''}`),
    ...(stdin === undefined ? [] : [`standard input ${JSON.stringify(String(stdin))}`]),
    ...(terminals === undefined ? [] : ['on a terminal']),
  ]
  return words.length === 0 ? '' : `   # ${words.join(', ')}`
}
