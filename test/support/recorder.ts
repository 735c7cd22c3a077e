import type { Server } from 'node:http'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'
import { serverVariables } from '../../src/dev/credentials.ts'
import { systemClock } from '../../src/dev/http.ts'
import { startServer } from '../../src/dev/server.ts'
import { credentials } from './credentials.ts'

/** The local server with its demo data, shared by the tests of a file; every request that it gets is recorded. */
export function recorder() {
  const seen: string[] = []
  const local: { close?: () => Promise<void>; front?: Server; env: Record<string, string>; origin: string } = {
    env: {},
    origin: '',
  }
  beforeAll(async () => {
    const server = await startServer({
      port: 0,
      faults: [],
      dialect: 'neutral',
      strict: false,
      clock: systemClock,
      credentials,
      empty: false,
    })
    const back = new URL(server.origin)
    const front = createServer((message, response) => {
      seen.push(`${message.method} ${message.url}`)
      const { method, url: path } = message
      const headers = { ...message.headers, host: back.host }
      const onward = send({ host: back.hostname, port: back.port, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      })
      message.pipe(onward)
    })
    await new Promise<void>((done) => front.listen(0, '127.0.0.1', done))
    local.origin = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
    const variables = Object.entries(serverVariables(server)).filter(([name]) => name.startsWith('TUG_'))
    local.env = Object.fromEntries(variables.map(([name, value]) => [name, value.replace(server.origin, local.origin)]))
    local.front = front
    local.close = () => server.close()
  })
  afterAll(async () => {
    local.front?.closeAllConnections()
    local.front?.close()
    await local.close?.()
  })
  return { seen, env: () => local.env, origin: () => local.origin }
}
