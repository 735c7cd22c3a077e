import type { Duplex } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { allocation, definition, direct, out, serveScheduler } from '../commands/job/action-service.ts'
import type { Visit } from '../commands/job/action-service.ts'
import { serveRaw } from '../http/raw-server.ts'
import { tug } from '../support/run.ts'

/** The ways to run an action; `--all` reports every failure as one of its parts. */
const lines = [
  { line: direct, isAll: false },
  { line: `${direct} --dialect hashicorp`, isAll: false },
  { line: 'job action web migrate --all', isAll: true },
] as const

const lookups = { actions: [definition('migrate')], allocations: [allocation('9c0f11aa', 1)] }

const unknown = /may still be running|outcome is unknown/

/** What is wrong with an outcome. */
function problemsOf(outcome: { exit: number; stderr: string }, exit: number, words: RegExp): string[] {
  return [
    ...(outcome.exit === exit ? [] : [`exit ${outcome.exit}, not ${exit}`]),
    ...(words.test(outcome.stderr) ? [] : [`not ${words}`]),
    ...(/internal error|this is a bug/.test(outcome.stderr) ? ['a bug'] : []),
    ...(exit === 0 || exit === 3 || /^tug: /m.test(outcome.stderr) ? [] : ['no message']),
  ]
}

const head = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'

type Refusal = readonly [name: string, exit: number, bytes: string | undefined]

/** Answers to the upgrade in bytes; the connection stays open after those without an end. */
const refusals: readonly Refusal[] = [
  ['no answer', 7, undefined],
  ['closed without an answer', 7, ''],
  ['closed in the headers', 7, 'HTTP/1.1 101 Switching Prot'],
  ['no HTTP', 7, 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['101 without a key', 1, `${head}\r\n`],
  ['101 with a wrong key', 1, `${head}Sec-WebSocket-Accept: bm90IHRoaXMga2V5\r\n\r\n`],
  ['101 to another protocol', 1, 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n'],
  ...(
    [
      [200, 1],
      [204, 1],
      [302, 1],
      [400, 1],
      [401, 4],
      [403, 4],
      [404, 3],
      [405, 1],
      [409, 5],
      [418, 6],
      [422, 6],
      [426, 1],
      [429, 7],
      [500, 1],
      [501, 1],
      [502, 1],
      [503, 1],
      [504, 1],
    ] as const
  ).map(([status, exit]): Refusal => {
    return [`status ${status}`, exit, `HTTP/1.1 ${status} Some words\r\nContent-Length: 0\r\n\r\n`]
  }),
  ['a status with half a body', 1, 'HTTP/1.1 500 Some words\r\nContent-Length: 100\r\n\r\nNo cluster le'],
]

describe('an upgrade that is not answered by one has the exit code of its answer', () => {
  test.each(refusals)('%s: %i', async (_, exit, bytes) => {
    const { origin } = await serveRaw((socket, request) => {
      const body = JSON.stringify(/\/actions/.test(request) ? lookups.actions : lookups.allocations)
      if (!/^upgrade: websocket/im.test(request))
        socket.write(
          `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        )
      else if (bytes !== undefined) socket.end(bytes)
    })
    const env = { TUG_SCHEDULER_ADDR: origin, TUG_SCHEDULER_TOKEN: 'scheduler-token' }
    for (const { line, isAll } of lines) {
      // The time limit would meet the look-ups too.
      if (isAll && bytes === undefined) continue
      const flags = bytes === undefined ? '--timeout 20ms' : ''
      const outcome = await tug(`${line} ${flags} --retries 0`, { env })
      expect(problemsOf(outcome, isAll ? 10 : exit, /^tug: /m), outcome.stderr).toEqual([])
      expect(outcome.stdout).toBe('')
    }
  })
})

test.each([
  [429, 3],
  [503, 1],
])('an upgrade that is answered %i is asked for %i times with --retries 2', async (status, times) => {
  let upgrades = 0
  const { origin } = await serveRaw((socket) => {
    upgrades += 1
    socket.end(`HTTP/1.1 ${status} Some words\r\nContent-Length: 0\r\n\r\n`)
  })
  const env = { TUG_SCHEDULER_ADDR: origin, TUG_SCHEDULER_TOKEN: 'scheduler-token' }
  await tug(`${direct} --dialect hashicorp --retries 2`, { env })
  expect(upgrades).toBe(times)
})

/** One frame as bytes: its first byte (FIN, reserved bits, opcode) and what follows. */
function frame(first: number, payload: Buffer | string, isMasked = false): Buffer {
  const bytes = Buffer.from(payload)
  const length = bytes.length < 126 ? Buffer.of(bytes.length) : Buffer.of(126, bytes.length >> 8, bytes.length & 255)
  if (isMasked) length[0] = (length[0] as number) | 0x80
  return Buffer.concat([Buffer.of(first), length, isMasked ? Buffer.alloc(4) : Buffer.alloc(0), bytes])
}

function raw(...frames: readonly Buffer[]) {
  return ({ socket }: { socket: Duplex }) => void socket.write(Buffer.concat(frames))
}

function close(code: number) {
  return frame(0x88, Buffer.of(code >> 8, code & 255))
}

const exited = (code: number) => JSON.stringify({ exited: true, result: { exit_code: code } })

/** Ends of a session without an exit status. */
const ends: readonly (readonly [name: string, end: (visit: Visit) => void])[] = [
  ...[1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 4000, 4999].map(
    (code) => [`close code ${code}`, raw(close(code))] as const,
  ),
  // Those that must not be sent.
  ...[0, 999, 1004, 1005, 1006, 1015, 2000, 5000].map(
    (code) => [`invalid close code ${code}`, raw(close(code))] as const,
  ),
  ['a close frame without a code', raw(frame(0x88, ''))],
  ['a close frame of one byte', raw(frame(0x88, 'x'))],
  ['a close frame with broken UTF-8', raw(frame(0x88, Buffer.of(3, 240, 255, 254)))],
  ['the end of the connection', ({ socket }) => void socket.end()],
  ['a reset', ({ socket }) => (socket as Duplex & { resetAndDestroy(): void }).resetAndDestroy()],
  ['half a frame', ({ socket }) => void socket.end(frame(0x81, '{"stdout":{}}').subarray(0, 5))],
  ['a text that is no JSON', raw(frame(0x81, 'hello'))],
  ['JSON that is no object', raw(frame(0x81, '[1]'))],
  ['null', raw(frame(0x81, 'null'))],
  ['deep JSON', raw(frame(0x81, '['.repeat(60_000)))],
  ['an empty frame', raw(frame(0x81, ''))],
  ['output that is no base64', raw(frame(0x81, '{"stdout":{"data":"a b="}}'))],
  ['output that is a number', raw(frame(0x81, '{"stdout":{"data":7}}'))],
  ['broken UTF-8', raw(frame(0x81, Buffer.of(0xff, 0xfe)))],
  ['binary nonsense', raw(frame(0x82, Buffer.of(0, 1, 2)))],
  ['an unknown opcode', raw(frame(0x83, '{}'))],
  ['an unknown control frame', raw(frame(0x8b, ''))],
  ['a reserved bit', raw(frame(0xc1, '{}'))],
  ['a masked frame', raw(frame(0x81, exited(0), true))],
  ['a continuation of nothing', raw(frame(0x80, exited(0)))],
  ['a fragment that is never continued', raw(frame(0x01, '{"exited":'), frame(0x81, exited(0)))],
  ['a fragmented control frame', raw(frame(0x09, ''))],
  ['a control frame that is too long', raw(frame(0x89, 'x'.repeat(126)))],
  ['a frame that is too long', raw(Buffer.of(0x81, 127, 0, 0, 0, 0, 2, 0, 0, 0))],
  ['a length beyond counting', raw(Buffer.of(0x81, 127, 255, 255, 255, 255, 255, 255, 255, 255))],
  ...[
    '{"exited":"true"}',
    '{"exited":1,"result":{}}',
    '{"exited":null}',
    '{"exited":true}',
    '{"exited":true,"result":null}',
    '{"exited":true,"result":[]}',
    '{"exited":true,"result":{"exit_code":"0"}}',
    '{"exited":true,"result":{"exit_code":null}}',
    '{"exited":true,"result":{"exit_code":0.5}}',
  ].map((text) => [`the exit frame ${text}`, raw(frame(0x81, text), close(1000))] as const),
]

async function session(play: (visit: Visit) => void) {
  const { env } = await serveScheduler(play, lookups)
  return (line: string) => tug(line, { env })
}

describe(`${ends.length * 2} ends of a session without an exit status are 125`, () => {
  test.each(ends)('%s', async (_, end) => {
    for (const output of ['', 'halfway']) {
      const run = await session((visit) => {
        if (output !== '') visit.say(out('stdout', output))
        end(visit)
      })
      for (const { line, isAll } of lines) {
        const outcome = await run(line)
        expect(problemsOf(outcome, isAll ? 10 : 125, unknown), outcome.stderr).toEqual([])
        expect(outcome.stdout).toBe(output === '' ? '' : isAll ? `9c0f11aa | ${output}\n` : output)
      }
    }
  })

  // Some of each kind: nothing is read after the exit status.
  test.each(ends.filter((_, index) => index % 4 === 0))(
    'after the exit status it makes no difference: %s',
    async (_, end) => {
      for (const code of [0, 3]) {
        const run = await session((visit) => {
          visit.say({ exited: true, result: { exit_code: code } })
          end(visit)
        })
        for (const { line, isAll } of lines) {
          const outcome = await run(line)
          expect(problemsOf(outcome, isAll && code !== 0 ? 10 : code, /^/), outcome.stderr).toEqual([])
        }
      }
    },
  )
})

/** Unusual frames that are allowed. */
const unusual: readonly (readonly [name: string, frames: readonly Buffer[]])[] = [
  [
    'an exit frame in fragments',
    [frame(0x01, exited(3).slice(0, 9)), frame(0x00, exited(3).slice(9, 20)), frame(0x80, exited(3).slice(20))],
  ],
  [
    'a ping within a fragmented frame',
    [frame(0x01, exited(3).slice(0, 9)), frame(0x89, 'x'), frame(0x80, exited(3).slice(9))],
  ],
  ['a binary exit frame', [frame(0x82, exited(3))]],
  ['an unknown frame first', [frame(0x81, '{"unknown":{"data":"eA=="}}'), frame(0x81, exited(3))]],
  ['a heartbeat and a ping first', [frame(0x81, '{}'), frame(0x89, ''), frame(0x8a, ''), frame(0x81, exited(3))]],
  ['empty output first', [frame(0x81, '{"stdout":{"data":""},"stderr":null}'), frame(0x81, exited(3))]],
  ['a second exit frame', [frame(0x81, exited(3)), frame(0x81, exited(0))]],
  ['unknown members', [frame(0x81, '{"exited":true,"result":{"exit_code":3,"more":1},"more":{}}')]],
]

test.each(unusual)('%s: the exit status counts', async (_, frames) => {
  const run = await session(raw(...frames))
  for (const { line, isAll } of lines) expect(await run(line)).toMatchObject({ exit: isAll ? 10 : 3, stdout: '' })
})
