import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { passInput, withoutDoubledReturns } from '../../../src/commands/job/action/terminal.ts'

/** Standard input of an action: when it counts as empty. */

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function pass(stdin: PassThrough) {
  const sent: unknown[] = []
  const socket = {
    send: (frame: string) => void sent.push(JSON.parse(frame)),
    flushed: () => Promise.resolve(),
  }
  const stop = passInput({ io: { stdin } } as never, socket as never)
  return { sent, stop }
}

const close = { stdin: { close: true } }
const data = { stdin: { data: Buffer.from('late').toString('base64') } }

test('a pipe is waited for, however late its data come', () => {
  const stdin = new PassThrough()
  const { sent, stop } = pass(stdin)
  vi.advanceTimersByTime(60_000)
  expect(sent).toEqual([])
  stdin.emit('data', Buffer.from('late'))
  vi.advanceTimersByTime(60_000)
  expect(sent).toEqual([data])
  stdin.emit('end')
  expect(sent).toEqual([data, close])
  stop()
  expect(stdin.listenerCount('data')).toBe(0)
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

test.each([
  ['a\r\nb\r\n', 'a\nb\n'],
  ['50%\r60%\r', '50%\r60%\r'],
  ['\r\r\n', '\r\n'],
  ['a\n', 'a\n'],
])('a terminal gets %j as %j', (text, shown) => {
  expect(Buffer.from(withoutDoubledReturns(Buffer.from(text))).toString()).toBe(shown)
})
