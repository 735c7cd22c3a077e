import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { tug } from '../../support/run.ts'

test.each(['', 'a b', 'é'])('--token %j is refused', async (token) => {
  const { exit, stderr } = await tug(['dev', '--token', token, '--', 'true'], { env: {} })
  expect(exit).toBe(2)
  expect(stderr).toContain('--token')
})

test.each([['SIGINT', 130] as const, ['SIGTERM', 143] as const])(
  '%s while the server starts keeps the command from running',
  async (signal, status) => {
    const signals = new Map<string, () => void>()
    const running = tug(['dev', '--', 'sh', '-c', 'exit 7'], { env: { PATH: process.env['PATH'] }, signals })
    while (!signals.has(signal)) await new Promise(setImmediate)
    signals.get(signal)?.()
    expect((await running).exit).toBe(status)
  },
)

test('a dry run starts no command', async () => {
  const { exit } = await tug('dev --dry-run -- sh -c "exit 7"', { env: { PATH: process.env['PATH'] } })
  expect(exit).toBe(0)
})

test('--port listens on that port, or says why it cannot', async () => {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const { exit, stderr } = await tug(`dev --port ${port} -- true`, { env: { PATH: process.env['PATH'] } })
  expect({ exit, stderr }).toEqual({
    exit: 1,
    stderr: `tug: cannot listen on port ${port}: it is in use\nhint: omit --port to use any free port\n`,
  })
})
