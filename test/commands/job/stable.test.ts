import { describe, expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { json, serve } from '../../support/serve.ts'
import { tug } from '../../support/run.ts'
import { mentions } from '../../support/told.ts'

/** A server with version 3 as the current one; marking a version makes that the current one. */
function scheduler() {
  let current = 3
  const stable = new Map([
    [1, true],
    [2, false],
    [3, false],
  ])
  return serve(({ method, url, body }, response) => {
    if (method === 'POST') {
      const { JobVersion, Stable } = JSON.parse(body) as { JobVersion: number; Stable: boolean }
      if (stable.has(JobVersion)) stable.set((current = JobVersion), Stable)
      return json(response, 200, '{"Index":9}')
    }
    const jobs = [...stable].map(([Version, Stable]) => ({ ID: 'web', Version, Stable }))
    const all = { Versions: jobs }
    json(response, 200, JSON.stringify(url.endsWith('/versions') ? all : jobs.find((one) => one.Version === current)))
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
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST', 'GET'])
  })

  test('asks nothing in the neutral dialect, where a mark changes no current version', async () => {
    const { env, seen } = await scheduler()
    const done = await tug('job stable web 2 --dialect neutral', { env })
    expect(done).toMatchObject({ exit: 0, stderr: 'marked version 2 of web as stable\n' })
    // Where a question could have been asked, both are read again before the write.
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'GET', 'POST', 'GET'])
  })

  test('a version that is marked already is left alone, without a question', async () => {
    const { env, seen } = await scheduler()
    for (const line of ['1', '1 --plan', '2 --unset'])
      expect(JSON.parse((await tug(`job stable web ${line} -o json`, { env })).stdout)).toMatchObject({
        changed: false,
      })
    expect(seen.every(({ method }) => method === 'GET')).toBe(true)
  })

  test('asks before it marks another version, and names the command that shows what is current afterwards', async () => {
    const { env, seen } = await scheduler()
    const unasked = await tug('job stable web 2', { env })
    expect(unasked).toMatchObject({ exit: 2, stdout: '' })
    expect(unasked.stderr).toMatch(mentions('… web is 3.'))
    const refused = await tug('job stable web 2', { env, terminals: { stdin: true, stderr: 100 }, stdin: 'n\n' })
    expect(refused.exit).toBe(2)
    const done = await tug('job stable web 2 --yes', { env })
    expect(done).toMatchObject({
      exit: 0,
      stderr: `marked version 2 of web as stable\n${hint}`,
    })
    expect(seen.map(({ method }) => method).join(' ')).toBe('GET GET GET GET GET GET POST GET')
  })

  test('a version that is gone is not found, although the server would report success', async () => {
    const { env } = await scheduler()
    const { exit, stderr } = await tug('job stable web 0 --yes', { env })
    expect([exit, stderr]).toEqual([3, expect.stringMatching(mentions('web … version 0'))])
  })

  test('asks, and then sends the request, where the job may not be read', async () => {
    const { env, seen } = await serve(({ method }, response) =>
      method === 'POST' ? json(response, 200, '{"Index":9}') : json(response, 403, 'Permission denied'),
    )
    expect((await tug('job stable web 3', { env })).exit).toBe(2)
    expect(seen.map(({ method }) => method)).toEqual(['GET'])
    const done = await tug('job stable web 3 --yes -o json', { env })
    expect([done.exit, JSON.parse(done.stdout)]).toMatchObject([0, { changed: null, confirmed: false }])
    expect(seen.slice(1).map(({ method }) => method)).toEqual(['GET', 'POST', 'GET'])
  })

  test('works against the local server', async () => {
    const { env } = await startDevServer()
    const plan = await tug('job stable web 2 --unset --plan --dialect hashicorp', { env })
    expect(plan.stdout).toMatch(mentions('2 … current … 3'))
    // Its headers show the neutral dialect.
    const { exit, stderr } = await tug('job stable web 2 --unset', { env })
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: 'marked version 2 of web as not stable\n' })
    expect((await tug('job stable nope 2', { env })).exit).toBe(3)
  })
})
