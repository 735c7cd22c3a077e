import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from './support/dev.ts'
import { scratchFolder } from './support/folder.ts'
import { program, root, start } from './support/process.ts'
import { specification } from './support/spec.ts'

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

test('the first lines show the local server', async () => {
  const run = await desk()
  expect(await run(blockAfter('Try it without a server').trim())).toEqual({
    status: 0,
    text: expect.stringContaining('unhealthy') as string,
  })
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
  const [, topics = ''] = /Topics: `tug help ([^.]*)\./.exec(page.replaceAll('\n', ' ')) ?? []
  const names = topics.match(/[a-z][a-z-]+/g) ?? []
  expect(names.length).toBeGreaterThan(4)
  for (const name of names) expect((await run(`tug help ${name}`)).status, name).toBe(0)
})

test('the table of waits has every command with --wait or --no-wait', async () => {
  const run = await desk()
  const { commands } = JSON.parse((await run('tug help -o json')).text) as {
    commands: { command: string; flags: { name: string }[] }[]
  }
  const commandsWith = (flag: string) =>
    commands
      .filter(({ flags }) => flags.some(({ name }) => name === flag))
      .map(({ command }) => command.replace(/^job /, ''))
  const row = (head: string) =>
    Array.from(
      new RegExp(`^\\| (.*) \\| ${head} +\\|$`, 'm').exec(page)?.[1]?.matchAll(/`(?:job )?([^`]+)`/g) ?? [],
      ([, name]) => name,
    )
  expect(new Set(row('unless `--no-wait`'))).toEqual(new Set(commandsWith('--no-wait')))
  expect(new Set(row('with `--wait`'))).toEqual(new Set(commandsWith('--wait')))
})
