import { onTestFinished } from 'vitest'
import { credentials } from './credentials.ts'
import { serverVariables } from '../../src/dev/credentials.ts'
import { parseFault } from '../../src/dev/faults.ts'
import type { DevClock, Dialect } from '../../src/dev/http.ts'
import { systemClock } from '../../src/dev/http.ts'
import { startServer } from '../../src/dev/server.ts'

/** The local server on a free port, and the environment for it; it ends with the test. */
export async function startDevServer(
  options: { dialect?: Dialect; strict?: boolean; faults?: readonly string[]; clock?: DevClock; empty?: boolean } = {},
): Promise<{ origin: string; env: Record<string, string>; writes: readonly string[]; close(): Promise<void> }> {
  const server = await startServer({
    port: 0,
    faults: (options.faults ?? []).map(parseFault),
    dialect: options.dialect ?? 'neutral',
    strict: options.strict ?? false,
    clock: options.clock ?? systemClock,
    credentials,
    empty: options.empty ?? false,
  })
  onTestFinished(() => server.close())
  const env = Object.fromEntries(Object.entries(serverVariables(server)).filter(([name]) => name.startsWith('TUG_')))
  return {
    origin: server.origin,
    env: {
      ...env,
      ...(options.dialect === 'hashicorp' && options.strict !== true ? { TUG_DIALECT: 'hashicorp' } : {}),
    },
    writes: server.writes,
    close: () => server.close(),
  }
}
