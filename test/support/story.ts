import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** What differs from run to run, each as long as it was. */
export function steady(text: string, origin: string): string {
  return text
    .replaceAll(origin, 'http://127.0.0.1:00000')
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, (id) => id.replaceAll(/[0-9a-f]/g, '0'))
    .replaceAll(/\b[0-9a-f]{8}\b/g, '00000000')
    .replaceAll(/(?<=-----BEGIN CERTIFICATE-----\n)[^-]+/g, '…\n')
}

export interface Story {
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly dialect?: 'neutral' | 'hashicorp'
  readonly faults?: readonly string[]
  readonly empty?: boolean
  /** Where the lines are sent instead of a local server: the environment of a server that a test plays. */
  readonly env?: Readonly<Record<string, string>>
  readonly machine?: Omit<Machine, 'env' | 'cwd'>
}

/**
 * Runs lines one after the other against one server and compares all that they print, with their exit statuses, with
 * `test/stories/<name>.txt`. `vitest -u` writes it: read what changed.
 */
export async function story(name: string, lines: readonly string[], options: Story = {}): Promise<void> {
  const { files = {}, env, machine = {}, ...server } = options
  const place = env ?? (await startDevServer({ clock: still, ...server })).env
  const cwd = scratchFolder()
  for (const [file, content] of Object.entries(files)) writeFileSync(join(cwd, file), content)
  const told: string[] = []
  for (const line of lines) {
    const { exit, stdout, stderr } = await tug(line, { now, ...machine, env: { ...place, NO_COLOR: '1' }, cwd })
    const origin = new URL(place['TUG_SECRETS_ADDR'] as string).origin
    const said = [steady(stdout, origin), marked(steady(stderr, origin))].map(whole).join('')
    told.push(`$ tug ${line}\n${said.replaceAll(cwd, '.')}exit ${exit}\n`)
  }
  await expect(told.join('\n')).toMatchFileSnapshot(join(root, 'test/stories', `${name}.txt`))
}

function whole(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

/** What was said on stderr, told from stdout by its margin. */
function marked(text: string): string {
  return text === '' ? '' : text.replace(/\n$/, '').replaceAll(/^/gm, '» ')
}
