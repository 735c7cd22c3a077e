import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'

/** A service whose folder `f` has eight folders, the first of which has two; it answers once `most` lists are open. */
async function folders(most: number) {
  const open: ServerResponse[] = []
  let highest = 0
  const { env, seen } = await serve(({ url }, response) => {
    const path = /^\/v1\/secret\/metadata\/([^?]*)\?list=true$/.exec(url)?.[1]
    if (path === undefined) return json(response, 200, '{"data":{"data":{},"metadata":{"version":1}}}')
    const names = Array.from({ length: 8 }, (_, index) => `s${7 - index}/`)
    if (path === 'f') return json(response, 200, JSON.stringify({ data: { keys: names } }))
    if (path === 'f/s0') return json(response, 200, '{"data":{"keys":["a/","b/"]}}')
    if (path === 'f/s0/b') return json(response, 200, '{"data":{"keys":[]}}')
    open.push(response)
    highest = Math.max(highest, open.length)
    if (open.length < most && seen.length < 11) return undefined
    // One more would be here by then.
    for (const one of open.splice(0)) setImmediate(() => json(one, 200, '{"data":{"keys":["x"]}}'))
    return undefined
  })
  return {
    env,
    highest: () => highest,
    lists: () => seen.map(({ url }) => url).filter((url) => url.includes('list=true')),
  }
}

test.each([
  ['kv tree f --parallel 3', 3],
  ['kv tree f --parallel 1', 1],
  ['kv export f/', 4],
])('%s lists no more than %i folders at a time, and each once', async (line, most) => {
  const { env, highest, lists } = await folders(most)
  const { exit } = await tug(line, { env })
  expect([exit, highest()]).toEqual([0, most])
  expect(new Set(lists()).size).toBe(11)
  expect(lists()).toHaveLength(11)
})
