import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import type { RunningProcess } from '../../../src/dev/jobs/action/process.ts'
import { startInTerminal } from '../../../src/dev/jobs/action/terminal.ts'
import type { PtyModule } from '../../../src/dev/jobs/action/terminal.ts'

const noPty = () => Promise.reject(new Error('no build for this machine'))

interface Run {
  readonly searchPath?: string
  readonly load?: () => Promise<PtyModule>
  readonly started?: (running: RunningProcess) => void
}

/** Runs a shell line in a terminal; resolves with all output and the exit code. */
function run(
  line: string,
  { searchPath = process.env['PATH'] ?? '', load, started }: Run = {},
): Promise<readonly [string, number]> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    const command = {
      file: '/bin/sh',
      args: ['-c', line],
      folder: tmpdir(),
      env: { PATH: searchPath, NOTE: "it's" },
    }
    const listener = {
      output: (_stream: string, bytes: Buffer) => void pieces.push(bytes),
      drained: () => {},
      exited: (code: number) => resolve([Buffer.concat(pieces).toString(), code]),
      failed: (reason: string) => reject(new Error(reason)),
    }
    startInTerminal(command, { height: 30, width: 100 }, listener, load).then(started, reject)
  })
}

test('without the optional package `script` gives the terminal', async () => {
  expect(await run('test -t 1 && stty size; echo "$NOTE"; exit 3', { load: noPty })).toEqual(["30 100\r\nit's\r\n", 3])
})

test('a signal counts as 128 and its number there too', async () => {
  expect(await run('kill -9 $$', { load: noPty })).toEqual(['', 137])
})

test('what a command leaves behind is read though its end comes while nobody reads', async () => {
  const ended = run('printf %01000d 7; exit 5', { started: (running) => running.pause() })
  expect(await ended).toEqual(['7'.padStart(1000, '0'), 5])
})

test('all that a command writes just before its end is read', async () => {
  const ends = Array.from({ length: 20 }, () => run('printf %015000d 7; exit 5'))
  for (const end of ends) expect(await end).toEqual(['7'.padStart(15000, '0'), 5])
})

test('a machine with neither says so', async () => {
  await expect(run('true', { searchPath: '/nowhere', load: noPty })).rejects.toThrow(
    'this machine offers no pseudo-terminal: neither @lydell/node-pty nor script is there',
  )
})
