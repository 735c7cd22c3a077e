import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { createBody } from '../../src/http/transport-node.ts'

test('the connection waits while eight pieces are unread, and goes on when all are read', async () => {
  const said: string[] = []
  const response = Object.assign(new EventEmitter(), {
    pause: () => said.push('pause'),
    resume: () => said.push('resume'),
  })
  const body = createBody(response as unknown as IncomingMessage, 0, () => said.push('leave'))
  const pieces = body.pieces()[Symbol.asyncIterator]()
  const arrive = (count: number) => {
    for (let at = 0; at < count; at += 1) response.emit('data', Uint8Array.of(at))
  }
  arrive(7)
  expect(said).toEqual([])
  arrive(1)
  expect(said).toEqual(['pause'])
  for (let at = 0; at < 8; at += 1) await pieces.next()
  expect(said).toEqual(['pause'])
  const next = pieces.next()
  await new Promise((turn) => setImmediate(turn))
  expect(said).toEqual(['pause', 'resume'])
  arrive(1)
  expect((await next).value).toEqual(Uint8Array.of(0))
  response.emit('end')
  expect((await pieces.next()).done).toBe(true)
  expect(said).toEqual(['pause', 'resume'])
})
