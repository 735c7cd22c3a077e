import { describe, expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { json, serve } from '../../support/serve.ts'
import { tug } from '../../support/run.ts'

/** A server with version 3 as the current one; marking a version makes that the current one. */
function scheduler() {
  let current = 3
  return serve(({ method, body }, response) => {
    if (method === 'POST') current = (JSON.parse(body) as { JobVersion: number }).JobVersion
    json(response, 200, method === 'POST' ? '{"Index":9}' : `{"ID":"web","Version":${current}}`)
  })
}

describe('job stable', () => {
  test('marks the current version without a question', async () => {
    const { env, seen } = await scheduler()
    const done = await tug('job stable web 3', { env })
    expect(done).toMatchObject({
      exit: 0,
      stderr: 'marked version 3 of web as stable; the current version is 3\n',
    })
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'POST'])
  })

  test('asks before it marks another version, and says what is current afterwards', async () => {
    const { env, seen } = await scheduler()
    const unasked = await tug('job stable web 2', { env })
    expect(unasked).toMatchObject({ exit: 2, stdout: '' })
    expect(unasked.stderr).toContain('The current version of web is 3.')
    const refused = await tug('job stable web 2', { env, terminals: { stdin: true, stderr: 100 }, stdin: 'n\n' })
    expect(refused.exit).toBe(2)
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'GET'])
    const done = await tug('job stable web 2 --unset --yes', { env })
    expect(done).toMatchObject({
      exit: 0,
      stderr: 'marked version 2 of web as not stable; the current version is 2\n',
    })
  })

  test('works against the local server', async () => {
    const { env } = await startDevServer()
    const { exit, stderr } = await tug('job stable web 2 --yes', { env })
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: expect.stringMatching(/^marked version 2 of web as stable; the current version is \d\n$/) as string,
    })
    expect((await tug('job stable nope 2', { env })).exit).toBe(3)
  })
})
