import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { tug } from '../../support/run.ts'
import { serve } from '../../support/serve.ts'
import { stoppedClock } from '../../support/stopped-clock.ts'
import { mentions } from '../../support/told.ts'

const file = join(mkdtempSync(join(tmpdir(), 'tug-progress-')), 'secrets.json')
writeFileSync(file, JSON.stringify({ 'staging/db': { a: '1' }, 'staging/api': { a: '2' } }))

const template = '{{ secret "secret/data/app/db" }}'
const job = JSON.stringify({
  ID: 'web',
  Datacenters: ['dc1'],
  TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't', Driver: 'docker', Templates: [{ EmbeddedTmpl: template }] }] }],
})

/** A request about one secret or job. */
const isOfOne = /\/(?:data|subkeys|metadata)\/\w+\/\w+(?:\?version.*)?$|\/v1\/job\/\w+\?/

test.for([
  ['kv delete app --recursive --yes', 'GET', 'delet… 0'],
  ['kv copy app staging --recursive', 'POST', 'cop… 0'],
  ['kv move app staging --recursive --yes --without-deleted', 'POST', 'mov… 0'],
  [`kv import ${file}`, 'POST', 'import… 0 of 2'],
  ['kv export app', 'GET', 'export… 0'],
  ['kv diff app team --recursive', 'GET', 'compar… 0 of 8'],
  ['kv find o app --keys', 'GET', 'search… 0'],
  ['kv audit', 'GET', 'read… 0'],
  ['kv undelete app --recursive', 'GET', 'restor… 0'],
  ['kv rollback app/ --at 2026-11-20', 'GET', 'roll… 0'],
  ['kv copy app staging --recursive --update --prune --yes', 'GET', 'cop… 0'],
  ['kv backup app -O -', 'GET', 'read… 0'],
  ['kv verify app.tugkv', 'GET', 'compar… 0', 'kv backup app -O app.tugkv'],
  ['kv restore app.tugkv new', 'GET', 'restor… 0', 'kv backup app -O app.tugkv'],
] as const)('a slow %s says what it does', async ([line, slow, shown, before]) => {
  const { origin, env } = await startDevServer({ clock: stoppedClock })
  const cwd = scratchFolder()
  if (before !== undefined) expect((await tug(before, { env, cwd, stdin: job })).exit).toBe(0)
  let written = ''
  let clock = 0
  const waiting: (() => void)[] = []
  const isShown = () => mentions(`${shown}\n`).test(written)
  const held = async (isSlow: boolean) => {
    if (isSlow && !isShown()) await new Promise<void>((resolve) => waiting.push(resolve))
  }
  const forwarder = await serve((request, response) => {
    const forward = async () => {
      await held(`${request.method} ${request.url}`.startsWith(slow) && isOfOne.test(request.url))
      const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
      const answer = await fetch(origin + request.url, {
        method: request.method,
        headers: headers as Record<string, string>,
        ...(request.body === '' ? {} : { body: request.body }),
      })
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
      response.end(Buffer.from(await answer.arrayBuffer()))
    }
    void forward()
  })
  const { exit, stderr } = await tug(line, {
    cwd,
    env: { ...env, TUG_SECRETS_ADDR: forwarder.origin, TUG_SCHEDULER_ADDR: forwarder.origin, TUG_ACCESSIBLE: '1' },
    terminals: { stderr: 80 },
    // A line is printed at most every five seconds.
    monotonic: () => (clock += 6000),
    onWrite: (stream, text) => {
      if (stream === 'stderr') written += text
      if (isShown()) for (const resume of waiting.splice(0)) resume()
    },
  })
  expect({ exit, stderr }, stderr).toMatchObject({ exit: 0 })
  expect(stderr).toMatch(mentions(`${shown}\n`))
})
