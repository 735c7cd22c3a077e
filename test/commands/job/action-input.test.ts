import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { passInput } from '../../../src/commands/job/action/terminal.ts'
import { says } from '../../support/told.ts'

/** Standard input of an action: when it counts as empty. */

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function pass(stdin: PassThrough) {
  const sent: unknown[] = []
  const socket = {
    send: (frame: string) => void sent.push(JSON.parse(frame)),
    flushed: () => Promise.resolve(),
  }
  const { failed, stop } = passInput({ io: { stdin } } as never, socket as never)
  return { sent, failed, stop }
}

const close = { stdin: { close: true } }
const data = { stdin: { data: Buffer.from('late').toString('base64') } }

test('a pipe that stays silent is closed, and data after that is an error', async () => {
  const stdin = new PassThrough()
  const { sent, failed, stop } = pass(stdin)
  vi.advanceTimersByTime(1999)
  expect(sent).toEqual([])
  vi.advanceTimersByTime(1)
  expect(sent).toEqual([close])
  const failure = expect(failed).rejects.toMatchObject({
    code: 'tug_failed',
    message: says('… 2s …'),
    hints: [says('…: tug job action … < file')],
  })
  stdin.emit('data', Buffer.from('late'))
  await failure
  stop()
  expect(stdin.listenerCount('data')).toBe(0)
})

test('a pipe that began in time may pause for as long as it likes', () => {
  const stdin = new PassThrough()
  const { sent, stop } = pass(stdin)
  stdin.emit('data', Buffer.from('late'))
  vi.advanceTimersByTime(60_000)
  expect(sent).toEqual([data])
  stdin.emit('end')
  expect(sent).toEqual([data, close])
  stop()
})

test('it is sent in frames of 32 KiB, and the pipe waits until they have left', async () => {
  const stdin = new PassThrough()
  const { sent, stop } = pass(stdin)
  stdin.emit('data', Buffer.alloc(96 * 1024))
  const frames = sent as { stdin: { data: string } }[]
  expect(frames.map((frame) => Buffer.from(frame.stdin.data, 'base64').length)).toEqual([32_768, 32_768, 32_768])
  expect(stdin.isPaused()).toBe(true)
  await Promise.resolve()
  expect(stdin.isPaused()).toBe(false)
  stop()
  expect(stdin.isPaused()).toBe(true)
})

test.each(['end', 'error'])('it is closed once, after %s', (event) => {
  const stdin = new PassThrough()
  const { sent, stop } = pass(stdin)
  stdin.emit(event)
  vi.advanceTimersByTime(60_000)
  stdin.emit('end')
  expect(sent).toEqual([close])
  stop()
  expect(['data', 'end', 'error'].map((name) => stdin.listenerCount(name))).toEqual([0, 0, 0])
})

test('once it is over, silence is no end of the input any more', () => {
  const { sent, stop } = pass(new PassThrough())
  stop()
  vi.advanceTimersByTime(60_000)
  expect(sent).toEqual([])
})

test('input that has ended before is closed at once', async () => {
  const stdin = new PassThrough()
  stdin.end()
  stdin.resume()
  await once(stdin, 'end')
  expect(pass(stdin).sent).toEqual([close])
})

test('a terminal is no input', () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  expect(pass(stdin).sent).toEqual([close])
  expect(stdin.listenerCount('data')).toBe(0)
})
