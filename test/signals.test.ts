import { execFileSync } from 'node:child_process'
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scratchFolder } from './support/folder.ts'
import { start } from './support/process.ts'
import { json, serve } from './support/serve.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

test.each(['SIGUSR1', 'SIGUSR2', 'SIGQUIT', 'SIGTERM'] as const)('kv exec hands %s on, once', async (signal) => {
  const folder = scratchFolder()
  const { env } = await serve((_, response) =>
    json(response, 200, '{"data":{"data":{"a":"b"},"metadata":{"version":1}}}'),
  )
  const name = signal.slice('SIG'.length)
  const script = `trap 'echo ${name} >> got; kill -9 $!; exit 7' ${name}; sleep 60 & touch started; wait; wait`
  const { child, ended } = start(['kv', 'exec', 'app/db', '--', 'sh', '-c', script], { env, cwd: folder })
  await until(() => existsSync(join(folder, 'started')))
  child.kill(signal)
  const { status, stderr } = await ended
  expect([status, stderr]).toEqual([7, ''])
  expect(readFileSync(join(folder, 'got'), 'utf8')).toBe(`${name}\n`)
})

test.each(['kv get app/db', 'job list', 'explorer query workspaces'])('SIGUSR1 opens no debugger: %s', async (line) => {
  let raise = () => {}
  const { env } = await serve((_, response, count) => {
    raise()
    // The signal has been handled when the next request arrives.
    json(response, count === 1 ? 503 : 200, count === 1 ? '{}' : '{"data":[]}')
  })
  const { child, ended } = start(line.split(' '), { env })
  raise = () => child.kill('SIGUSR1')
  const { signal, stderr } = await ended
  expect(signal).toBeNull()
  expect(stderr).not.toContain('ebugger')
})

/** What a command leaves in the folder that it runs in, but for what the test put there. */
function leftIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => !['config', 'run'].includes(name))
}

/** Starts a command whose first request is answered by a signal instead. */
async function signalledAtRequest(line: readonly string[], signal: NodeJS.Signals, times = 1) {
  const folder = scratchFolder()
  let raise = () => {}
  const { env } = await serve(() => raise())
  const { child, ended } = start(line, { env: { ...env, TUG_CONFIG_DIR: join(folder, 'config') }, cwd: folder })
  raise = () => {
    for (let count = 0; count < times; count += 1) child.kill(signal)
  }
  return { ...(await ended), left: leftIn(folder) }
}

/** Commands that read, write, stream, wait and file; each meets the signal while its first request is under way. */
const lines = [
  'explorer query workspaces --all',
  'explorer export workspaces -O drift.csv',
  'explorer views delete sq-1 --yes',
  'kv get app/db',
  'kv put app/db a=b',
  'kv export app/ -O secrets.json',
  'kmip cred generate storage backup --out-dir out',
  'job list --watch',
  'job stop web --yes --wait',
  'job action web migrate --alloc 9c0f11aa-1111-2222-3333-444455556666 --task srv',
]

describe.each(signals)('%s', (signal) => {
  test.each(lines)('%s ends by the signal and leaves nothing behind', async (line) => {
    const ended = await signalledAtRequest(line.split(' '), signal)
    expect(ended.signal, ended.stderr).toBe(signal)
    expect(ended.stdout.toString()).toBe('')
    // The folder of --out-dir is made, and stays empty.
    expect(ended.left.filter((name) => name !== 'out')).toEqual([])
  })

  test('two in a row end it too', async () => {
    const ended = await signalledAtRequest(['kv', 'export', 'app/', '-O', 'secrets.json'], signal, 2)
    expect(ended.signal).toBe(signal)
    expect(ended.left).toEqual([])
  })

  test('an editor ends with us, and the secret leaves the disk', async () => {
    const folder = scratchFolder()
    mkdirSync(join(folder, 'run'), { mode: 0o700 })
    const { env } = await serve((_, response) =>
      json(response, 200, '{"data":{"data":{"a":"secret-value"},"metadata":{"version":1}}}'),
    )
    // The editor marks its start by a file, and waits to be ended.
    const editor = join(folder, 'run', 'editor.sh')
    writeFileSync(editor, 'touch "$(dirname "$0")/started"; exec sleep 60\n')
    const { child, ended } = start(['kv', 'edit', 'app/db'], {
      env: {
        ...env,
        EDITOR: `sh ${editor}`,
        XDG_RUNTIME_DIR: join(folder, 'run'),
        TUG_CONFIG_DIR: join(folder, 'config'),
      },
      cwd: folder,
    })
    await until(() => existsSync(join(folder, 'run', 'started')))
    child.kill(signal)
    const { status, signal: by } = await ended
    expect({ status, by }).not.toEqual({ status: 0, by: null })
    expect(readdirSync(join(folder, 'run')).toSorted()).toEqual(['editor.sh', 'started'])
  })

  test('a named pipe into which nobody writes, or that nobody reads on, keeps nothing', async () => {
    const folder = scratchFolder()
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const { env } = await serve((_, response) => json(response, 200, '{}'))
    for (const line of [
      ['kv', 'import', pipe, 'app'],
      ['kv', 'restore', pipe],
      ['explorer', 'diff', 'workspaces', pipe],
    ]) {
      const reader = start(line, { env, cwd: folder })
      // That there is a reader shows that the command has begun to read.
      const input = await opened(pipe, constants.O_WRONLY)
      reader.child.kill(signal)
      expect((await reader.ended).signal).toBe(signal)
      closeSync(input)
    }

    const large = await serve((_, response) => response.end(`a,b\n${'1,2\n'.repeat(100_000)}`))
    const output = await opened(pipe, constants.O_RDONLY)
    const writer = start(['explorer', 'export', 'workspaces', '-O', pipe, '--force'], { env: large.env, cwd: folder })
    await until(() => readAny(output) > 0)
    writer.child.kill(signal)
    expect((await writer.ended).signal).toBe(signal)
    closeSync(output)
  })

  test.each(['--ca-cert', '--client-cert', '--token-file'])('%s that waits for a writer', async (flag) => {
    const folder = scratchFolder()
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const { env } = await serve((_, response) => json(response, 200, '{}'))
    const { child, ended } = start(['kv', 'list', flag, pipe], { env, cwd: folder })
    const output = await opened(pipe, constants.O_WRONLY)
    child.kill(signal)
    expect((await ended).signal).toBe(signal)
    closeSync(output)
  })

  test('every part of a token_command ends with us', async () => {
    const { child, ended, parts } = startTokenCommand('1m')
    await until(() => parts().length === 2)
    child.kill(signal)
    const { signal: by, stderr } = await ended
    expect(by, stderr).toBe(signal)
    await until(() => !parts().some(isRunning))
  })

  test('profile set leaves no lock that the next run waits for', async () => {
    const folder = scratchFolder()
    const env = { TUG_CONFIG_DIR: join(folder, 'config'), HOME: folder }
    const { child, ended } = start(['profile', 'set', 'x', 'secrets.address=http://127.0.0.1:1'], { env, cwd: folder })
    await until(() => existsSync(join(folder, 'config')) || child.exitCode !== null)
    child.kill(signal)
    await ended
    expect(existsSync(join(folder, 'config', '.lock'))).toBe(false)
  })
})

test('every part of a token_command ends with its time limit', async () => {
  const { ended, parts } = startTokenCommand('1s')
  expect(await ended).toMatchObject({ status: 4, stderr: expect.stringContaining(' 1s') })
  await until(() => !parts().some(isRunning))
})

/** Starts a command whose token comes from a pipeline that goes on and on; `parts` has the process IDs of what has begun. */
function startTokenCommand(timeout: string) {
  const folder = scratchFolder()
  const config = join(folder, 'config')
  mkdirSync(config, { mode: 0o700 })
  const part = (file: string) => `sh -c "echo \\$\\$ > ${file}; exec sleep 60"`
  const profile = { address: 'http://127.0.0.1:1', token_command: `${part('one')} | (${part('two')}; true)` }
  writeFileSync(join(config, 'config.json'), JSON.stringify({ profiles: { slow: { secrets: profile } } }), {
    mode: 0o600,
  })
  const env = { TUG_CONFIG_DIR: config, HOME: folder }
  const started = start(['kv', 'list', '-p', 'slow', '--timeout', timeout], { env, cwd: folder })
  const files = ['one', 'two'].map((name) => join(folder, name))
  return {
    ...started,
    parts: () => files.map((file) => Number(existsSync(file) && readFileSync(file, 'utf8'))).filter((id) => id > 0),
  }
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0)
    return true
  } catch {
    return false
  }
}

/** Resolves when the condition holds; the test's own time limit ends a wait in vain. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((turn) => setTimeout(turn, 5))
}

/** A named pipe, opened without a wait for its other end: to write there must be a reader already. */
async function opened(pipe: string, access: number): Promise<number> {
  let file: number | undefined
  await until(() => {
    try {
      file = openSync(pipe, access | constants.O_NONBLOCK)
    } catch {
      // Nobody reads yet.
    }
    return file !== undefined
  })
  return file as number
}

/** The number of bytes that were there to read, at most one. */
function readAny(file: number): number {
  try {
    return readSync(file, Buffer.alloc(1))
  } catch {
    return 0
  }
}
