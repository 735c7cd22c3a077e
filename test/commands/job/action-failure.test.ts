import { expect, test } from 'vitest'
import type { TugError } from '../../../src/core/errors.ts'
import { readFrame } from '../../../src/commands/job/action/frames.ts'
import { says } from '../../support/told.ts'

/** What the frames of a running action mean. */

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
