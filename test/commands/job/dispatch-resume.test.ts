import { writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { still } from '../../support/story.ts'
import { scratchFolder } from '../../support/folder.ts'
import { tug } from '../../support/run.ts'

/** How many rows; `TUG_TEST_ROWS` for more than the suite has time for. */
const count = Number(process.env['TUG_TEST_ROWS'] ?? 100)

/** Passes requests on to a server, which dies while the given dispatches are under way: it has carried them out, and answers nothing more. */
async function mortal(origin: string, deaths: readonly number[]) {
  let dispatches = 0
  let isDead = false
  const sockets = new Set<Socket>()
  const server = createServer((message, response) => {
    if (isDead) {
      message.socket.destroy()
      return
    }
    const dies = message.method === 'POST' && deaths.includes((dispatches += 1))
    const { method, url = '' } = message
    const headers = { ...message.headers, host: new URL(origin).host }
    const onward = request(new URL(url, origin), { method, headers }, (answer) => {
      if (dies) isDead = true
      if (isDead) for (const socket of sockets) socket.destroy()
      else {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      }
    })
    message.pipe(onward)
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    comeBack: () => (isDead = false),
  }
}

test('each row is started once, though the server dies twice', async () => {
  const dev = await startDevServer({ clock: still })
  const { origin, comeBack } = await mortal(dev.origin, [Math.floor(count * 0.3), Math.floor(count * 0.8)])
  const cwd = scratchFolder()
  const rows = Array.from({ length: count }, (_, row) => ({ meta: { source: `row ${row}` } }))
  writeFileSync(join(cwd, 'rows.ndjson'), rows.map((row) => JSON.stringify(row)).join('\n'))
  const run = async (...flags: string[]) => {
    const line = ['job dispatch nightly --from rows.ndjson --retries 1', ...flags].join(' ')
    const ended = await tug(line, { env: { ...dev.env, TUG_SCHEDULER_ADDR: origin }, cwd })
    comeBack()
    return ended
  }
  const first = await run()
  const continued = `--run ${/^run (\S+)/m.exec(first.stderr)?.[1]}`
  expect([first.exit, (await run(continued)).exit, (await run(continued)).exit]).toEqual([10, 10, 0])
  const line = 'job list --prefix nightly/dispatch- --meta -o json --query [].Meta.source'
  const started = JSON.parse((await tug(line, { env: dev.env })).stdout) as string[]
  expect(started.filter((source) => source.startsWith('row ')).toSorted()).toEqual(
    rows.map(({ meta }) => meta.source).toSorted(),
  )
})
