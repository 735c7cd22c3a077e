import { writeFileSync } from 'node:fs'
import { createServer, Server } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { tug } from '../../support/run.ts'
import { scratchFolder } from '../../support/folder.ts'
import { says } from '../../support/told.ts'

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
    stderr: says(`tug: … ${port}: …\nhint: … --port …\n`),
  })
})

test.each([
  ['EADDRINUSE', '… in use'],
  ['EACCES', '… permitted'],
  ['EMFILE', 'listen failed'],
])('a server that cannot listen for %s says: %s', async (code, reason) => {
  const listen = vi.spyOn(Server.prototype, 'listen').mockImplementation(function fail(this: Server) {
    queueMicrotask(() => this.emit('error', Object.assign(new Error('listen failed'), { code })))
    return this
  })
  onTestFinished(() => listen.mockRestore())
  const { exit, stderr } = await tug('dev --port 4646 -- true', { env: { PATH: process.env['PATH'] } })
  expect({ exit, stderr }).toEqual({
    exit: 1,
    stderr: says(`tug: … 4646: ${reason}\nhint: … --port …\n`),
  })
})

test.each([
  ['bash', '… shell … http://127.0.0.1:0; …\n'],
  ['bash -i', '… shell … http://127.0.0.1:0; …\n'],
  ['bash script', ''],
  ['other', ''],
])('a terminal is told that %s is a shell for the local server, if it is one', async (words, said) => {
  const folder = scratchFolder()
  for (const name of ['bash', 'other']) writeFileSync(join(folder, name), '#!/bin/sh\nexit 7\n', { mode: 0o755 })
  const run = async (flags: string, terminals: object) =>
    tug(`dev ${flags} -- ${folder}/${words}`, {
      env: { PATH: process.env['PATH'], NO_COLOR: '1' },
      terminals,
      cwd: folder,
    })
  const { exit, stderr } = await run('', { stderr: 80 })
  expect({ exit, stderr: stderr.replace(/:\d+(?=;)/, ':0') }).toEqual({ exit: 7, stderr: says(said) })
  expect((await run('--quiet', { stderr: 80 })).stderr).toBe('')
  expect((await run('', {})).stderr).toBe('')
})
