import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { credentials } from './credentials.ts'
import { serverVariables } from '../../src/dev/credentials.ts'
import { parseFault } from '../../src/dev/faults.ts'
import type { DevClock, Dialect } from '../../src/dev/http.ts'
import { systemClock } from '../../src/dev/http.ts'
import { startServer } from '../../src/dev/server.ts'

interface Options {
  readonly dialect?: Dialect
  readonly strict?: boolean
  readonly faults?: readonly string[]
  readonly clock?: DevClock
  readonly empty?: boolean
}

/** The local server on a free port, and the environment for it; it ends with the test. */
export async function startDevServer(options: Options = {}) {
  const server = await start(options)
  onTestFinished(server.close)
  return server
}

/** One local server for all tests of a file, for those that change nothing on it: to start one with its demo data takes time. */
export function sharedDevServer(options: Options = {}) {
  let server: Awaited<ReturnType<typeof start>> | undefined
  beforeAll(async () => {
    server = await start(options)
  })
  afterAll(() => server?.close())
  return () => server as NonNullable<typeof server>
}

async function start({
  faults = [],
  dialect = 'neutral',
  strict = false,
  clock = systemClock,
  empty = false,
}: Options) {
  const server = await startServer({
    port: 0,
    faults: faults.map(parseFault),
    dialect,
    strict,
    clock,
    credentials,
    empty,
  })
  const variables = Object.entries(serverVariables(server)).filter(([name]) => name.startsWith('TUG_'))
  const env: Record<string, string> = Object.fromEntries(variables)
  if (dialect === 'hashicorp' && !strict) env['TUG_DIALECT'] = 'hashicorp'
  return { origin: server.origin, env, writes: server.writes, close: () => server.close() }
}
