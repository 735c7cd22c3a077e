import type { Server } from 'node:http'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Dialect } from '../../src/core/service.ts'
import { dialects } from '../../src/core/service.ts'
import type { Machine } from './run.ts'
import { configured, tug } from './run.ts'
import { sharedDevServer } from './dev.ts'
import { stoppedClock } from './stopped-clock.ts'

/**
 * One line in, one line out: each pair is a command line (without `tug`) and the requests of its `--dry-run` in the neutral
 * dialect: the reads that the local server with its demo data answers, then the writes that are printed, or the first request of a command
 * that only reads; without the parts that all share (`curl -X`, the origin, the token's header). Each line is tried in all dialects,
 * or in those named: the lines of one that isn't neutral stand there as they are. A list is written as GET, although neutral begins with the method LIST.
 */
export function requests(
  title: string,
  pairs: readonly (readonly [line: string, ...requests: string[]])[],
  machine: Machine = {},
  spokenIn: readonly Dialect[] = dialects,
): void {
  const isNeutral = spokenIn.includes('neutral')
  const server = recorder()
  for (const [line, ...expected] of pairs) {
    test.each(spokenIn)(`${title}, %s: ${line}`, async (dialect) => {
      const env = { ...configured, ...machine.env, ...server.env(), TUG_DIALECT: dialect }
      server.seen.length = 0
      const { exit, stdout, stderr } = await tug(withDryRun(line), { ...machine, env })
      const lines = stdout.split('\n').filter((one) => one !== '')
      for (const one of lines) expect(one.startsWith('# '), one).toBe(/<redacted>/.test(one))
      const sent = [...server.seen, ...lines.map((one) => bare(one, server.origin()))]
      const isByMethod = expected.some((one) => one.startsWith('LIST '))
      const found = isByMethod ? sent : sent.map((one) => one.replace(/^LIST (\S+)$/, 'GET $1?list=true'))
      expect(found, stderr).toEqual(isNeutral ? expected.map((one) => spoken(one, dialect)) : expected)
      const note = lines.length === 0 ? expect.stringMatching(/^nothing to send: .+\n$/) : ''
      expect([exit, stderr]).toEqual([0, note])
    })
  }
}

/** The local server, shared by the tests of a file; every request that it gets is recorded. */
function recorder() {
  const server = sharedDevServer({ clock: stoppedClock })
  const seen: string[] = []
  let front: Server | undefined
  let origin = ''
  beforeAll(async () => {
    const back = new URL(server().origin)
    front = createServer((message, response) => {
      seen.push(`${message.method} ${message.url}`)
      const { method, url: path } = message
      const headers = { ...message.headers, host: back.host }
      const onward = send({ host: back.hostname, port: back.port, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      })
      message.pipe(onward)
    })
    await new Promise<void>((done) => front?.listen(0, '127.0.0.1', done))
    origin = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  })
  afterAll(() => {
    front?.closeAllConnections()
    front?.close()
  })
  const env = () => {
    const moved = Object.entries(server().env).map(([name, value]) => [name, value.replace(server().origin, origin)])
    return Object.fromEntries(moved) as Record<string, string>
  }
  return { seen, env, origin: () => origin }
}

function withDryRun(line: string): string {
  return line.includes(' -- ') ? line.replace(' -- ', ' --dry-run -- ') : `${line} --dry-run`
}

/** A curl line without the parts that all share. */
function bare(line: string, origin: string): string {
  return (
    withoutParsedJob(line)
      .replace(/^(?:# )?curl -X /, '')
      .replace(/ {2}# withheld\b.*$/, '')
      .replace(origin, '')
      .replaceAll(/ -H "[^"]*\$TUG_\w+_TOKEN"/g, '')
      .replace(" -H 'X-Vault-Request: true'", '')
      .replace(/ -H 'Content-Type: application\/(?:vnd\.api\+)?json'/, '')
      // That of a demo job depends on whether its periodic job has run in the night before.
      .replace(/"JobModifyIndex":\d{3,}/, '"JobModifyIndex":…')
      .replaceAll("'", '')
  )
}

/** The text without a job that was parsed, which is as long as the scheduler likes. */
function withoutParsedJob(text: string): string {
  const start = text.indexOf('"Job":{"Affinities"')
  if (start < 0) return text
  let depth = 0
  let end = start + '"Job":'.length
  do {
    if (text[end] === '{') depth += 1
    if (text[end] === '}') depth -= 1
    end += 1
  } while (depth > 0)
  return `${text.slice(0, start)}"Job":…${text.slice(end)}`
}

/** What is a product's spelling of a part of a line; `auto` sends both. */
const spellings: readonly (readonly [part: RegExp, product: string, between: string])[] = [
  [/-H X-Secrets-Namespace: (\S+)/, '-H X-Vault-Namespace: $1', ' '],
  [/-H X-Secrets-Wrap-TTL: (\S+)/, '-H X-Vault-Wrap-TTL: $1', ' '],
  [/\bIdempotencyToken=([^& ]+)/, 'idempotency_token=$1', '&'],
  [/"SecretsToken":"([^"]+)"/, '"VaultToken":"$1"', ','],
  [/"DiscoveryToken":"([^"]+)"/, '"ConsulToken":"$1"', ','],
]

/** A line of the neutral dialect in another one. */
function spoken(line: string, dialect: Dialect): string {
  if (dialect === 'neutral') return line
  let words = line
  for (const [part, product, between] of spellings) {
    words = words.replace(part, (found) => {
      const other = found.replace(part, product)
      return dialect === 'auto' ? found + between + other : other
    })
  }
  return words
}
