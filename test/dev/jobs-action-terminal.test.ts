import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { startInTerminal } from '../../src/dev/jobs-action-terminal.ts'

const noPty = () => Promise.reject(new Error('no build for this machine'))

/** Runs a shell line without the optional package; resolves with all output and the exit code. */
function run(line: string, searchPath = process.env['PATH'] ?? ''): Promise<readonly [string, number]> {
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
    startInTerminal(command, { height: 30, width: 100 }, listener, noPty).catch(reject)
  })
}

test('without the optional package `script` gives the terminal', async () => {
  expect(await run('test -t 1 && stty size; echo "$NOTE"; exit 3')).toEqual(["30 100\r\nit's\r\n", 3])
})

test('a signal counts as 128 and its number there too', async () => {
  expect(await run('kill -9 $$')).toEqual(['', 137])
})

test('what a command leaves behind is read though its end comes while nobody reads', async () => {
  const pieces: Buffer[] = []
  const code = await new Promise<number>((resolve, reject) => {
    const command = { file: '/bin/sh', args: ['-c', 'printf %01000d 7; exit 5'], folder: tmpdir(), env: {} }
    const listener = {
      output: (_stream: string, bytes: Buffer) => void pieces.push(bytes),
      drained: () => {},
      exited: resolve,
      failed: (reason: string) => reject(new Error(reason)),
    }
    startInTerminal(command, undefined, listener).then((running) => running.pause(), reject)
  })
  expect([code, Buffer.concat(pieces).toString()]).toEqual([5, '7'.padStart(1000, '0')])
})

test('a machine with neither says so', async () => {
  await expect(run('true', '/nowhere')).rejects.toThrow(
    'this machine offers no pseudo-terminal: neither @lydell/node-pty nor script is there',
  )
})
