import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { connect, serveActions } from '../dev/jobs/action-server.ts'
import type { ActionAllocation, Session } from '../dev/jobs/action-server.ts'

/** The recorded action sessions of a real scheduler, replayed against the local server (docs/servers.md, Actions). */

interface Recording {
  readonly name: string
  readonly request: { readonly path: string; readonly headers: Readonly<Record<string, string>> }
  readonly upgrade_response: { readonly status: number }
  readonly frames: readonly Frame[]
}

interface Frame {
  readonly dir: 'send' | 'recv' | 'note'
  readonly text?: string
  readonly binary?: boolean
  readonly close?: { readonly code: number; readonly reason: string }
  readonly ping?: string
  readonly pong?: string
  readonly event?: 'tcp-closed'
}

/** Reasons from a decoder: only the close code is compared. */
const decoderText = /^invalid character|strconv/

/** Sessions that are not replayed, and why. */
const outOfScope: Readonly<Record<string, string>> = {
  'environment of an action': 'counts the variables and shows the folder of the recorded machine',
  'job ID mismatch in case of namespace parameter: namespace=other is ignored': 'the same command',
  'interactive shell on a tty: prompt, command, resize, exit 5': 'the prompt depends on the shell and the user',
  'shell on a tty: Ctrl-C (0x03) is delivered as data, Ctrl-D (0x04) ends the shell': 'the same prompt',
  'shell on a tty: stdin close frame': 'the same prompt',
  'shell without a tty: commands over stdin then stdin close': 'the shell words its complaint in its own way',
  'tty: Ctrl-C to the action (INT trap exits 8)': 'nothing shows when the trap is set',
  'bulk output of 20000 bytes: chunking': 'the recording cuts its frames short',
  'client closes with code 1000 while the action runs': 'counts processes on the recorded machine',
  'client sends JSON of the wrong shape': 'the reason of a real server is too long for a close frame, ours is not',
  'tty: client vanishes (TCP reset)': 'it is the client that ends it, unseen in the frames',
}

const folder = new URL('./recordings/nomad-ws/', import.meta.url)
const recordings = readdirSync(folder)
  .filter((file) => file.startsWith('ws-'))
  .toSorted()
  .flatMap((file) => {
    const entries = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Recording[]
    return entries.map((entry) => Object.assign(entry, { file }))
  })

test('every recorded session is replayed or omitted for a reason', () => {
  expect(recordings).toHaveLength(75)
  const names = recordings.map(({ name }) => name)
  expect(Object.keys(outOfScope).filter((name) => !names.includes(name))).toEqual([])
})

describe('replayed', () => {
  test.for(recordings.filter(({ name }) => outOfScope[name] === undefined))('$file: $name', async (recording) => {
    const acl = recording.file === 'ws-06-acl.json'
    const token = tokenOf(recording.name)
    const server = await serveActions({ allocations, ...(acl && { tokens: permissions }) })
    const headers = Object.entries(recording.request.headers).map(([name, value]) => [
      name,
      value.replace('<ACL_TOKEN>', token),
    ])
    const session = await connect(server.port, recording.request.path, { headers: Object.fromEntries(headers) })
    expect(recording.upgrade_response.status).toBe(101)
    await replay(session, recording.frames, token)
  })
})

/** Replays the frames: sends the client's, waits for the server's. Only the chunks of the output may differ. */
async function replay(session: Session, frames: readonly Frame[], token: string): Promise<void> {
  const expected = { stdout: '', stderr: '' }
  const control: unknown[] = []
  let close: Frame['close']
  let gaveUp = false
  for (const frame of frames) {
    if (frame.dir === 'note') {
      if (frame.text?.includes('recorder') !== true) continue
      if (session.end === undefined) await session.roundTrip()
      session.socket.terminate()
      gaveUp = true
    } else if (frame.dir === 'send') {
      if (frame.ping !== undefined) session.socket.ping(frame.ping)
      else session.socket.send(frame.text?.replace('<ACL_TOKEN>', token) ?? '', { binary: frame.binary ?? false })
    } else if (frame.pong !== undefined) {
      const { pong } = frame
      await session.until(() => session.pongs.includes(pong))
    } else if (frame.close !== undefined) {
      close = frame.close
      await session.ended()
    } else if (frame.event !== undefined) {
      await session.ended()
    } else {
      const message = JSON.parse(frame.text ?? '') as { stdout?: { data?: string }; stderr?: { data?: string } }
      const stream = message.stdout?.data === undefined ? 'stderr' : 'stdout'
      const data = message[stream]?.data
      if (data === undefined) {
        control.push(message)
        await session.until(() => session.control.length >= control.length)
      } else {
        expected[stream] += Buffer.from(data, 'base64').toString('latin1')
        await session.until(() => session.output(stream).length >= expected[stream].length)
      }
    }
  }
  expect(session.output('stdout').toString('latin1')).toBe(expected.stdout)
  expect(session.output('stderr').toString('latin1')).toBe(expected.stderr)
  expect(session.control).toEqual(control)
  if (close !== undefined)
    expect(session.end).toEqual(
      decoderText.test(close.reason) ? { code: close.code, reason: expect.any(String) } : close,
    )
  else if (!gaveUp) expect(session.end).toEqual({ code: 1006, reason: '' })
}

const tokens = {
  management: '10000000-0000-4000-8000-000000000001',
  reader: '10000000-0000-4000-8000-000000000002',
  writer: '10000000-0000-4000-8000-000000000003',
  execer: '10000000-0000-4000-8000-000000000004',
  execnode: '10000000-0000-4000-8000-000000000005',
}

/** The token that a recording's placeholder names. */
function tokenOf(name: string): string {
  const holder = (['reader', 'writer', 'execer', 'execnode'] as const).find((word) =>
    new RegExp(`^(token ${word} |${word} token)`).test(name),
  )
  return tokens[holder ?? 'management']
}

/** Only two of the tokens may run commands of a driver without isolation. */
const permissions = new Map(
  Object.entries(tokens).map(([name, token]) => [
    token,
    name === 'management' || name === 'execnode' ? ('everything' as const) : ('read' as const),
  ]),
)

/** The recorded job with shorter sleeps; it waits for the terminal's second size. */
const actions = {
  mixed: ['/bin/sh', '-c', "echo to-stdout; echo to-stderr 1>&2; printf 'no newline \\303\\251'; exit 3"],
  'echo-stdin': ['/bin/cat'],
  'term-size': [
    '/bin/sh',
    '-c',
    'a=$(stty size); echo $a; if [ "$a" != "0 0" ]; then while [ "$(stty size)" = "$a" ]; do sleep 0.01; done; fi; stty size',
  ],
  slow: ['/bin/sh', '-c', 'for i in 1 2 3; do echo tick $i; sleep 0.2; done'],
  long: ['/bin/sh', '-c', 'while true; do sleep 0.2; done'],
  shell: ['/bin/sh', '-i'],
  'missing-bin': ['/nonexistent/tool'],
  killed: ['/bin/sh', '-c', 'kill -9 $$'],
}

const toolbox = {
  jobId: 'toolbox',
  namespace: 'default',
  taskGroup: 'tools',
  tasks: [
    {
      name: 'main',
      running: true,
      actions: Object.entries(actions).map(([name, [command = '', ...args]]) => ({ name, command, args })),
    },
  ],
}

const allocations: readonly ActionAllocation[] = [
  { id: '46cba92a-087f-0b1f-0b3a-dcfc57a483d4', ...toolbox },
  { id: 'd6bbcf0d-d65a-01fe-5495-19c2c20662dd', ...toolbox },
  {
    id: '3ef8d58d-9a51-a059-edab-6bbc5e5d6bb7',
    jobId: batchJob(),
    namespace: 'default',
    taskGroup: 'g',
    tasks: [{ name: 't', running: false, actions: [{ name: 'hi', command: '/bin/echo', args: ['hi'] }] }],
  },
]

function batchJob(): string {
  const recording = recordings.find(({ name }) => name === 'task of a completed batch allocation')
  return recording?.request.path.split('/')[3] ?? ''
}
