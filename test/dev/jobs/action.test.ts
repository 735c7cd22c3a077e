import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { describe, expect, test, vi } from 'vitest'
import { connect, serveActions } from './action-server.ts'
import type { ServerOptions } from './action-server.ts'

const allocationId = '46cba92a-087f-0b1f-0b3a-dcfc57a483d4'

function running(name: string, command: string, ...args: string[]): ServerOptions['allocations'] {
  const task = { name: 'main', running: true, actions: [{ name, command, args }] }
  return [{ id: allocationId, jobId: 'batch/one', namespace: 'default', taskGroup: 'tools', tasks: [task] }]
}

function shell(line: string): ServerOptions['allocations'] {
  return running('go', '/bin/sh', '-c', line)
}

const path = `/v1/job/batch%2Fone/action?action=go&task=main&allocID=${allocationId}`
const neutralPath = path.replace('allocID', 'alloc_id')

interface Exchange {
  readonly name: string
  readonly request: { readonly method: string; readonly path: string; readonly headers: Record<string, string> }
  readonly response: { readonly status: number }
}

const upgrades = JSON.parse(
  readFileSync(new URL('../../contract/recordings/nomad-ws/upgrade.json', import.meta.url), 'utf8'),
) as Exchange[]

// The front of the local server refuses every request with an Origin, and the library accepts WebSocket version 8.
const elsewhere = ['upgrade with a foreign Origin', 'upgrade with a bad Sec-WebSocket-Version']
const own = upgrades.filter(({ name }) => !elsewhere.includes(name))

test.for(own)('$name', async ({ request: sent, response }) => {
  const { port } = await serveActions({ allocations: [] })
  const { method, headers } = sent
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const call = request({ port, host: '127.0.0.1', method, path: sent.path, headers, agent: false })
    call.on('error', reject).on('response', (answer) => resolve(answer.resume().statusCode))
    call.end()
  })
  expect(status).toBe(response.status)
})

describe('hashicorp', () => {
  test('output comes in pieces of at most 4096 bytes', async () => {
    const { port } = await serveActions({ allocations: shell('head -c 20000 /dev/zero') })
    const session = await connect(port, path)
    session.send({ stdin: { close: true } })
    await session.ended()
    expect(session.output()).toEqual(Buffer.alloc(20000))
    expect(Math.max(...session.pieces)).toBeLessThanOrEqual(4096)
  })

  test('input of some megabytes waits for a command that is slow to read', async () => {
    const { port } = await serveActions({ allocations: shell('sleep 0.2; wc -c | tr -d " "') })
    const session = await connect(port, path)
    for (let block = 0; block < 2500; block += 1) session.type('x'.repeat(2048))
    session.send({ stdin: { close: true } })
    await session.ended()
    expect(session.text()).toBe('5120000\n')
  })

  test('a terminal takes the size, keys, a change of size, and the end of input', async () => {
    const line = 'stty size; read key; stty size; cat; echo after $key'
    const { port } = await serveActions({ allocations: shell(line) })
    const session = await connect(port, `${path}&tty=true`)
    session.send({ tty_size: { height: 24, width: 80 } })
    await session.until(() => session.text() === '24 80\r\n')
    session.send({ tty_size: { height: 50, width: 132 } })
    session.type('é\r')
    await session.until(() => session.text().endsWith('50 132\r\n'))
    session.type('\u0004')
    await session.ended()
    expect(session.text()).toBe('24 80\r\né\r\n50 132\r\nafter é\r\n')
    expect(session.control).toEqual([{ stdout: { close: true } }, { exited: true, result: {} }])
  })

  test('closing stdin of a terminal does nothing', async () => {
    const { port } = await serveActions({ allocations: shell('echo ready; read key; exit 6') })
    const session = await connect(port, `${path}&tty=true`)
    session.send({ stdin: { close: true } })
    await session.until(() => session.text() === 'ready\r\n')
    await session.roundTrip()
    expect(session.control).toEqual([])
    session.type('\r')
    await session.ended()
    expect(session.control.at(-1)).toEqual({ exited: true, result: { exit_code: 6 } })
  })

  test.for(['false', 'true'])('the close of the service ends connection and command (tty=%s)', async (tty) => {
    const server = await serveActions({ allocations: shell('sleep 300 & echo $$ $!; wait') })
    const session = await connect(server.port, `${path}&tty=${tty}`)
    await session.until(() => session.text().endsWith('\n'))
    const processes = session.text().trim().split(' ').map(Number)
    expect(processes.every(isAlive)).toBe(true)
    server.close()
    await session.ended()
    await vi.waitFor(() => expect(processes.some(isAlive)).toBe(false))
  })

  test('a command outlives its client, and its output does not block it', async () => {
    const server = await serveActions({ allocations: shell('echo $$; seq 1 200000; exec sleep 300') })
    const session = await connect(server.port, path)
    await session.until(() => session.text().includes('\n'))
    const [id = ''] = session.text().split('\n')
    session.socket.terminate()
    await session.ended()
    await vi.waitFor(() => expect(readFileSync(`/proc/${id}/cmdline`, 'utf8')).toBe('sleep\x00300\x00'))
    server.close()
    await vi.waitFor(() => expect(isAlive(Number(id))).toBe(false))
  })

  test('a name without a slash is looked for in PATH', async () => {
    const found = await serveActions({ allocations: running('go', 'printf', 'found') })
    const session = await connect(found.port, path)
    session.send({ stdin: { close: true } })
    await session.ended()
    expect(session.text()).toBe('found')

    const missing = await serveActions({ allocations: running('go', 'no-such-tool-here') })
    const refused = await connect(missing.port, path)
    await refused.ended()
    const reason = 'exec: "no-such-tool-here": executable file not found in $PATH'
    expect(refused.end?.reason).toBe(`rpc error: code = Unknown desc = failed to start command: ${reason}`)
  })
})

describe('neutral', () => {
  test.for([path, neutralPath])('ends by itself, with a close frame: %s', async (address) => {
    const { port } = await serveActions({ dialect: 'neutral', allocations: shell('echo out; echo err >&2; exit 3') })
    const session = await connect(port, address)
    await session.ended()
    expect([session.text('stdout'), session.text('stderr')]).toEqual(['out\n', 'err\n'])
    expect(session.control).toEqual([
      { stderr: { close: true } },
      { stdout: { close: true } },
      { exited: true, result: { exit_code: 3 } },
    ])
    expect(session.end?.code).toBe(1000)
  })

  test('takes no input', async () => {
    const { port } = await serveActions({ dialect: 'neutral', allocations: shell('cat; echo end') })
    const session = await connect(port, neutralPath)
    session.type('ignored')
    session.send({ tty_size: { height: 1, width: 1 } })
    await session.ended()
    expect(session.text()).toBe('end\n')
    expect(session.control.at(-1)).toEqual({ exited: true, result: {} })
  })

  test('a terminal takes no input', async () => {
    const line = 'trap "exit 5" WINCH; echo ready; read word; echo "got $word"'
    const { port } = await serveActions({ dialect: 'neutral', allocations: shell(line) })
    const session = await connect(port, `${neutralPath}&tty=true`)
    session.send({ tty_size: { height: 24, width: 80 } })
    await session.until(() => session.text() === 'ready\r\n')
    session.type('keys\n')
    session.send({ tty_size: { height: 25, width: 80 } })
    await session.ended()
    expect(session.text()).toBe('ready\r\n')
    expect(session.control.at(-1)).toEqual({ exited: true, result: { exit_code: 5 } })
  })

  test('a terminal takes what is typed by a client that shows no dialect', async () => {
    const allocations = shell('read word; echo "got $word"')
    const { port } = await serveActions({ dialect: 'neutral', assumed: true, allocations })
    const session = await connect(port, `${neutralPath}&tty=true`)
    session.type('keys\n')
    await session.ended()
    expect(session.text()).toContain('got keys\r\n')
  })

  test('a command knows where it runs', async () => {
    const { port } = await serveActions({ dialect: 'neutral', allocations: shell('env | grep ^SCHEDULER_ | sort') })
    const session = await connect(port, neutralPath)
    await session.ended()
    expect(session.text().trim().split('\n')).toEqual([
      `SCHEDULER_ALLOC_ID=${allocationId}`,
      'SCHEDULER_ALLOC_INDEX=0',
      'SCHEDULER_GROUP_NAME=tools',
      'SCHEDULER_JOB_ID=batch/one',
      'SCHEDULER_NAMESPACE=default',
      'SCHEDULER_TASK_NAME=main',
    ])
  })
})

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0)
    return !readFileSync(`/proc/${id}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}
