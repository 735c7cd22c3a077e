import { describe, expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { json, serve } from '../../support/serve.ts'
import { tug } from '../../support/run.ts'
import { mentions } from '../../support/told.ts'

/** A server with version 3 as the current one; marking a version makes that the current one. */
function scheduler() {
  let current = 3
  return serve(({ method, body }, response) => {
    if (method === 'POST') current = (JSON.parse(body) as { JobVersion: number }).JobVersion
    json(response, 200, method === 'POST' ? '{"Index":9}' : `{"ID":"web","Version":${current}}`)
  })
}

const hint = 'hint: version 3 was the current one before; to see which is now: tug job get web\n'

describe('job stable', () => {
  test('marks the current version without a question', async () => {
    const { env, seen } = await scheduler()
    const done = await tug('job stable web 3', { env })
    expect(done).toMatchObject({
      exit: 0,
      stderr: 'marked version 3 of web as stable\n',
    })
    // Where a question could have been asked, it is read again before the write.
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST'])
  })

  test('asks nothing in the neutral dialect, where a mark changes no current version', async () => {
    const { env, seen } = await scheduler()
    const done = await tug('job stable web 2 --dialect neutral', { env })
    expect(done).toMatchObject({ exit: 0, stderr: 'marked version 2 of web as stable\n' })
    // Where a question could have been asked, it is read again before the write.
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST'])
  })

  test('asks before it marks another version, and names the command that shows what is current afterwards', async () => {
    const { env, seen } = await scheduler()
    const unasked = await tug('job stable web 2', { env })
    expect(unasked).toMatchObject({ exit: 2, stdout: '' })
    expect(unasked.stderr).toMatch(mentions('… web is 3.'))
    const refused = await tug('job stable web 2', { env, terminals: { stdin: true, stderr: 100 }, stdin: 'n\n' })
    expect(refused.exit).toBe(2)
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'GET'])
    const done = await tug('job stable web 2 --unset --yes', { env })
    expect(done).toMatchObject({
      exit: 0,
      stderr: `marked version 2 of web as not stable\n${hint}`,
    })
    expect(seen.slice(2).map(({ method }) => method)).toEqual(['GET', 'POST'])
  })

  test('asks, and then sends the request, where the job may not be read', async () => {
    const { env, seen } = await serve(({ method }, response) =>
      method === 'POST' ? json(response, 200, '{"Index":9}') : json(response, 403, 'Permission denied'),
    )
    expect((await tug('job stable web 3', { env })).exit).toBe(2)
    expect(seen.map(({ method }) => method)).toEqual(['GET'])
    expect((await tug('job stable web 3 --yes', { env })).exit).toBe(0)
    expect(seen.slice(1).map(({ method }) => method)).toEqual(['GET', 'POST'])
  })

  test('works against the local server', async () => {
    const { env } = await startDevServer()
    const { exit, stderr } = await tug('job stable web 2 --yes', { env })
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: `marked version 2 of web as stable\n${hint}` })
    expect((await tug('job stable nope 2', { env })).exit).toBe(3)
  })
})
