import { expect, test } from 'vitest'
import type { SocketEnd } from '../../../src/core/connection.ts'
import { TugError } from '../../../src/core/errors.ts'
import { endedEarly } from '../../../src/commands/job/action/session.ts'
import { readFrame } from '../../../src/commands/job/action/frames.ts'
import { says } from '../../support/told.ts'
import { plainLine } from '../../support/line.ts'

/** How a session that ends early is explained: code, message, then each hint. */

const context = { commandLine: plainLine }
const run = { job: 'web', action: 'migrate', allocation: '9c0f11aa' }
const told = (end: SocketEnd, started = false) => {
  const { code, message, hints, facts } = endedEarly(context, end, run, started)
  expect(facts.service).toBe('scheduler')
  return [code, message, ...hints]
}
const closed = (reason: string, code = 1008): SocketEnd => ({ kind: 'close-frame', code, reason })
const dropped = (cause?: TugError): SocketEnd => ({ kind: 'dropped', cause }) as SocketEnd

const unknown = says('migrate … 9c0f11aa; …')
const actions = says('…: tug job actions web')
const allocs = says('…: tug job allocs web')
const capability = [
  says('needed: namespace:alloc-exec, and namespace:alloc-node-exec …'),
  says('… token …: tug status …'),
]

test.each<[reason: string, code: string, ...hints: string[]]>([
  ['Permission denied', 'not_allowed', ...capability],
  ['failed to parse signed token', 'not_allowed', ...capability],
  ['ACL token not found', 'not_allowed', ...capability],
  ['action "x" not found in task', 'not_found', actions],
  ['command is not present', 'not_found', actions],
  ['task "x" not found in allocation', 'not_found', actions],
  ['Unknown allocation "x"', 'not_found', allocs],
  ['job web does not have allocation x', 'not_found', allocs],
  ['task "server" is not running.', 'not_found', allocs],
])('%s', (reason, code, ...hints) => {
  expect(told(closed(reason))).toEqual([code, reason, ...hints])
  expect(told(closed(`rpc error: ${reason}`))).toEqual([code, reason, ...hints])
  expect(told(closed(`rpc error: code = Unknown desc = ${reason}`))).toEqual([code, reason, ...hints])
  // After output nothing proves that it did not run.
  const early = says(`… session … exit status: ${reason}`)
  expect(told(closed(reason), true)).toEqual(['tug_failed', early, unknown])
})

test('any other end leaves the outcome unknown, unless the command could not be started', () => {
  expect(told(closed('failed to start command: fork/exec /x: none'))).toEqual([
    'tug_failed',
    expect.stringMatching(/^[^:]*: fork\/exec \/x: none$/),
  ])
  const early = '… session … exit status'
  expect(told(closed('', 1000))).toEqual(['tug_failed', says(`${early}: … 1000`), unknown])
  for (const words of ['oh: command is not present', 'no rpc error: x', 'it failed to start command: x'])
    expect(told(closed(words))).toEqual(['tug_failed', says(`${early}: ${words}`), unknown])
  expect(told(closed('no reason of ours'))).toEqual(['tug_failed', says(`${early}: no reason of ours`), unknown])
})

test('of two reasons in one the first of the list counts, and a command line may have several lines', () => {
  expect(told(closed('Permission denied: task is not running'))[0]).toBe('not_allowed')
  expect(told(closed('command is not present, task is not running'))).toContainEqual(actions)
  expect(told(closed('failed to start command: a\nb'))[1]).toMatch(/: a\nb$/)
})

test('a dropped connection says why, and before any output what else it can be', () => {
  const message = '… connection… exit status'
  const check = says('…; …: tug job actions web')
  expect(told(dropped())).toEqual(['tug_failed', says(message), unknown, check])
  expect(told(dropped(), true)).toEqual(['tug_failed', says(message), unknown])
  const cause = new TugError('unreachable', '… 20s')
  expect(told(dropped(cause), true)).toEqual(['tug_failed', says(`${message}: … 20s`), unknown])
})

const long = 'x'.repeat(61)
test.each([
  ['not json', '…: not json'],
  [long, `a frame that isn't a JSON object: ${long.slice(1)}`],
  ['[1]', "a frame that isn't a JSON object: [1]"],
  ['{"stdout":{"data":"a b="}}', 'stdout …: a b='],
  ['{"stdout":{"data":"abc"}}', 'stdout …: abc'],
  ['{"stdout":{"data":"a==="}}', 'stdout …: a==='],
  ['{"stderr":{"data":{}}}', 'stderr …: !'],
  [`{"stderr":{"data":"${long}"}}`, `stderr that isn't base64: ${long.slice(1)}`],
  ['{"exited":true}', '…: {"exited":true}'],
  ['{"exited":1,"result":{}}', '…: {"exited":1,"result":{}}'],
  ['{"exited":true,"result":{"status":3}}', '…: {"exited":true,"result":{"status":3}}'],
  ['{"exited":true,"result":{"exit_code":null}}', '…: {"exited":true,"result":{"exit_code":null}}'],
  ['{"stdout":"text"}', '…: {"stdout":"text"}'],
  ['{"exited":true,"result":{"exit_code":1.5}}', '…: {"exited":true,"result":{"exit_code":1.5}}'],
])('the frame %s is unreadable, so the exit status is lost', (frame, words) => {
  let error: unknown
  try {
    readFrame(frame)
  } catch (thrown) {
    error = thrown
  }
  const { code, message, hints } = error as TugError
  expect([code, message, ...hints]).toEqual(['tug_failed', says(`… ${words}`), expect.any(String)])
})

test.each([
  ['{"stderr":{"data":"YQ=="}}', 'a'],
  ['{"stderr":{"close":true}}', ''],
  ['{"stderr":null}', ''],
  ['{"stderr":"oops"}', 'oops\n'],
  ['{"stderr":{"text":"oops"}}', '{"text":"oops"}\n'],
])('of the frame %s, standard error gets %j', (frame, text) => {
  const written = readFrame(frame).output.map(({ stream, bytes }) => `${stream} ${Buffer.from(bytes).toString()}`)
  expect(written.join('')).toBe(text === '' ? '' : `stderr ${text}`)
})

test.each<[string, number | undefined]>([
  ['{}', undefined],
  ['{"exited":false}', undefined],
  ['{"exited":null}', undefined],
  ['{"exited":true,"result":{}}', 0],
  ['{"exited":true,"result":{"exit_code":0}}', 0],
  ['{"exited":true,"result":{"exit_code":255}}', 255],
  ['{"exited":true,"result":{"exit_code":256}}', 255],
  ['{"exited":true,"result":{"exit_code":-1}}', 255],
])('the frame %s has the exit status %s', (frame, code) => expect(readFrame(frame).exitCode).toBe(code))
