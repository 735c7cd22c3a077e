import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from './support/dev.ts'
import { scratchFolder } from './support/folder.ts'
import { program, root, start } from './support/process.ts'
import { specification } from './support/spec.ts'
import { stoppedClock } from './support/stopped-clock.ts'

/** The command lines of README.md do what the page says. */

const page = readFileSync(join(root, 'README.md'), 'utf8')

/** The text of a block of code after these words. */
function blockAfter(words: string): string {
  const from = page.indexOf(words)
  expect(from, words).toBeGreaterThan(-1)
  return /```\w+\n([^]*?)```/.exec(page.slice(from))?.[1] ?? ''
}

/** A folder with the examples, where `tug` is the program and talks to a new local server. */
async function desk(options: Parameters<typeof startDevServer>[0] = {}) {
  const cwd = scratchFolder()
  mkdirSync(join(cwd, 'bin'))
  writeFileSync(join(cwd, 'bin/tug'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
  chmodSync(join(cwd, 'bin/tug'), 0o755)
  cpSync(join(root, 'examples'), join(cwd, 'examples'), { recursive: true })
  const server = await startDevServer(options)
  const env = {
    ...server.env,
    PATH: `${cwd}/bin:${process.env['PATH']}`,
    HOME: cwd,
    TUG_CONFIG_DIR: join(cwd, 'config'),
  }
  return async (line: string) => {
    const { status, stdout, stderr } = await start(['-c', line], { command: 'bash', cwd, env }).ended
    return { status, text: stderr + stdout.toString() }
  }
}

/** Text without what differs from run to run and from width to width. */
function bare(text: string): string {
  return (
    text
      .replace(/\b[0-9a-f]{8}\b/g, 'ID')
      // A periodic job of the local server may have been launched meanwhile.
      .replace(/\d+ jobs: \d+ healthy/, 'N jobs: N healthy')
      // An empty table is its header in a pipe, and a sentence in a terminal.
      .replace(/^PATH +FINDING +DETAIL$/m, '')
      .replace(/[\d.]+ kB\) in \d+s/, 'SIZE')
      .replace(/\s+/g, ' ')
      .trim()
  )
}

test('what the four screens show is what the commands print', async () => {
  const run = await desk({ clock: stoppedClock })
  const shown = blockAfter('Four things').split(/^\$ /m).slice(1)
  expect(shown).toHaveLength(4)
  for (const each of shown) {
    const [line = '', ...output] = each.split('\n')
    const { status, text } = await run(line)
    expect({ status, words: bare(text).split(' ').toSorted() }).toEqual({
      status: 0,
      words: bare(output.join('\n')).split(' ').toSorted(),
    })
  }
})

test.each(['neutral', 'hashicorp'] as const)('each task works with %s servers, line by line', async (dialect) => {
  const run = await desk({ dialect, strict: true })
  const lines = blockAfter('## Five tasks')
    .split('\n')
    .filter((line) => /^(?!#)./.test(line))
  expect(lines.length).toBeGreaterThan(10)
  for (const line of lines) {
    const { text: serials } = line.includes('<serial>')
      ? await run('tug kmip cred list storage backup -o name')
      : { text: '' }
    const typed = line.replace('<serial>', serials.split('\n')[0] ?? '').replace('job apply ', 'job apply --yes ')
    const { status, text } = await run(typed)
    expect(status, `${typed}\n${text}`).toBe(0)
  }
})

test('it counts the endpoints', () => {
  expect(page.replaceAll('\n', ' ')).toContain(`all ${specification.length} endpoints`)
})

test('the topics that it names exist', async () => {
  const run = await desk()
  const [, topics = ''] = /`tug help ([^:]*): topics/s.exec(page.replaceAll('\n', ' ')) ?? []
  const names = topics.match(/[a-z][a-z-]+/g) ?? []
  expect(names.length).toBeGreaterThan(4)
  for (const name of names) expect((await run(`tug help ${name}`)).status, name).toBe(0)
})
