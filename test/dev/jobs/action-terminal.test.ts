import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import type { RunningProcess } from '../../../src/dev/jobs/action/process.ts'
import { startInTerminal } from '../../../src/dev/jobs/action/terminal.ts'

interface Run {
  readonly searchPath?: string
  /** Called with the first output. */
  readonly heard?: (running: RunningProcess) => void
}

/** Runs a shell line in a terminal; resolves with all output and the exit code. */
function run(
  line: string,
  { searchPath = process.env['PATH'] ?? '', heard }: Run = {},
): Promise<readonly [string, number]> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let running: RunningProcess | undefined
    const command = {
      file: '/bin/sh',
      args: ['-c', line],
      folder: tmpdir(),
      env: { PATH: searchPath, NOTE: "it's" },
    }
    const listener = {
      output: (_stream: string, bytes: Buffer) => {
        if (pieces.push(bytes) === 1 && running !== undefined) heard?.(running)
      },
      drained: () => {},
      exited: (code: number) => resolve([Buffer.concat(pieces).toString(), code]),
      failed: (reason: string) => reject(new Error(reason)),
    }
    running = startInTerminal(command, { height: 30, width: 100 }, listener)
  })
}

test('a command runs in a terminal of the size that is asked for', async () => {
  expect(await run('test -t 1 && stty size; echo "$NOTE"; exit 3')).toEqual(["30 100\r\nit's\r\n", 3])
})

test('a signal counts as 128 and its number', async () => {
  expect(await run('kill -9 $$')).toEqual(['', 137])
})

test('a new size reaches the command', async () => {
  const line = `echo ready; until [ "$(stty size)" = "40 120" ]; do sleep 0.02; done; exit 4`
  const ended = run(line, { heard: (running) => running.resize({ height: 40, width: 120 }) })
  expect(await ended).toEqual(['ready\r\n', 4])
})

test('without script the command runs with pipes, and its output says so', async () => {
  const notice = 'tug dev: this action runs without a terminal because script (util-linux) is missing\r\n'
  expect(await run('test -t 1 || echo piped >&2; exit 3', { searchPath: '/nowhere' })).toEqual([`${notice}piped\n`, 3])
})
