import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { serveScheduler } from '../commands/job/action-service.ts'
import { tug } from '../support/run.ts'

/** Plays the frames that a real scheduler sent in the recorded action sessions to `job action` (docs/servers.md, Actions). */

interface Recording {
  readonly name: string
  readonly file: string
  readonly request: { readonly path: string }
  readonly frames: readonly Frame[]
}

interface Frame {
  readonly dir: 'send' | 'recv' | 'note'
  readonly text?: string
  /** Present if the recording truncated the text. */
  readonly text_length?: number
  readonly close?: { readonly code: number; readonly reason: string }
  readonly event?: 'tcp-closed'
}

const folder = new URL('./recordings/nomad-ws/', import.meta.url)
const recordings = readdirSync(folder)
  .filter((file) => file.startsWith('ws-'))
  .toSorted()
  .flatMap((file) =>
    (JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Recording[]).map((entry) =>
      Object.assign(entry, { file }),
    ),
  )

/** Complete sessions with the parameters that the client always sends. */
const replayed = recordings.filter(
  ({ request, frames }) =>
    frames.some((frame) => frame.dir === 'recv' && frame.event === 'tcp-closed') &&
    frames.every((frame) => frame.text_length === undefined) &&
    ['action', 'task', 'allocID'].every((name) => queryOf(request.path).has(name)) &&
    queryOf(request.path).get('allocID')?.length === 36,
)

function queryOf(path: string): URLSearchParams {
  return new URL(path, 'http://localhost').searchParams
}

interface Answer {
  stdout?: { data?: string }
  stderr?: { data?: string }
  exited?: boolean
  result?: { exit_code?: number }
}

/** The expected outcome of the frames (docs/servers.md, Actions). */
function meaning(frames: readonly Frame[]) {
  const answers = frames.flatMap(({ dir, text }) =>
    dir === 'recv' && text !== undefined ? [JSON.parse(text) as Answer] : [],
  )
  const bytes = (stream: 'stdout' | 'stderr') =>
    Buffer.concat(answers.map((answer) => Buffer.from(answer[stream]?.data ?? '', 'base64'))).toString()
  const exit = answers.find(({ exited }) => exited === true)
  const hasOutput = answers.some((answer) => answer.stdout?.data !== undefined || answer.stderr?.data !== undefined)
  const reason = frames.find(({ close }) => close !== undefined)?.close?.reason
  const refusal = hasOutput ? 125 : statusOf(reason ?? '')
  return {
    stdout: bytes('stdout'),
    stderr: bytes('stderr'),
    reason,
    exit: exit === undefined ? refusal : (exit.result?.exit_code ?? 0),
  }
}

function statusOf(reason: string): number {
  if (/Permission denied|signed token/.test(reason)) return 4
  return /not found in|Unknown allocation|does not have|is not running/.test(reason) ? 3 : 125
}

test('most recorded sessions can be replayed', () => {
  expect(recordings).toHaveLength(75)
  expect(replayed.length).toBeGreaterThan(50)
})

describe('replayed', () => {
  test.for(replayed)('$file: $name', async ({ request, frames }) => {
    const query = queryOf(request.path)
    const tty = query.get('tty') === 'true'
    const { env, visits } = await serveScheduler((visit) => {
      void visit.frames(2).then(() => {
        for (const { dir, text, close } of frames) {
          if (dir !== 'recv') continue
          if (text !== undefined) visit.webSocket.send(text)
          if (close !== undefined) visit.webSocket.close(close.code, close.reason)
        }
        if (frames.every(({ close }) => close === undefined)) visit.socket.end()
      })
    })
    const words = ['--alloc', query.get('allocID') ?? '', '--task', query.get('task') ?? '', ...(tty ? ['--tty'] : [])]
    const job = /^\/v1\/job\/(.*)\/action\?/.exec(request.path)?.[1] ?? ''
    const outcome = await tug(['job', 'action', decodeURIComponent(job), query.get('action') ?? '', ...words], {
      env: { ...env, TUG_DIALECT: 'hashicorp' },
    })

    const expected = meaning(frames)
    expect({ exit: outcome.exit, stdout: outcome.stdout }).toEqual({ exit: expected.exit, stdout: expected.stdout })
    expect(outcome.stderr.startsWith(expected.stderr)).toBe(true)
    if (expected.exit !== 125 && expected.reason !== undefined)
      expect(outcome.stderr).toContain(expected.reason.replace(/^rpc error: /, ''))
    expect(visits[0]?.received).toEqual([
      { version: 1, auth_token: 'scheduler-token' },
      tty ? { tty_size: { height: 24, width: 80 } } : { stdin: { close: true } },
    ])
  })
})
