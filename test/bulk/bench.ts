import { join } from 'node:path'
import type { BulkInput } from '../../src/bulk/flags.ts'
import type { Bulk } from '../../src/bulk/engine.ts'
import { openBulk } from '../../src/bulk/engine.ts'
import type { Context } from '../../src/core/context.ts'
import type { HttpRequest } from '../../src/core/request.ts'
import { scratchFolder } from '../support/folder.ts'

/** A context for the engine alone, whose clock moves only when something waits for it. */
export function bench(
  send: (request: HttpRequest) => Promise<unknown> = async () => answer,
  limits: Partial<Context['settings']['limits']> = {},
) {
  let clock = 0
  const controller = new AbortController()
  const cwd = scratchFolder()
  const notes: string[] = []
  const warnings: string[] = []
  const context = {
    http: {
      async send(request: HttpRequest) {
        await request.ready?.()
        return send(request)
      },
      connection: { address: () => ({ origin: 'https://vault', basePath: '' }) },
    },
    io: {
      cwd,
      note: (line: string) => void notes.push(line),
      doubt: (line: string) => void warnings.push(line),
      progress: () => ({ update: () => undefined, end: () => undefined }),
      withoutSecrets: (text: string) => text.replaceAll('s3cret', '…'),
    },
    settings: { service: 'secrets', format: 'json', outputFlags: {}, route: { mount: 'secret' }, limits },
    user: 'ann',
    commandPath: ['kv', 'copy'],
    typed: ['a', 'b', '--journal', 'j', '--yes'],
    signal: controller.signal,
    now: () => new Date(clock),
    monotonic: () => clock,
    sleep: async (milliseconds: number) => void (clock += milliseconds),
    elsewhere: () => context,
  } as unknown as Context
  return {
    context,
    notes,
    warnings,
    cwd,
    file: (name: string) => join(cwd, name),
    clock: () => clock,
    interrupt: () => controller.abort(),
    open: (input: BulkInput = {}, parallel = 4): Promise<Bulk> =>
      openBulk(context, input, { action: 'copy', parallel }),
  }
}

const answer = { status: 200, body: Buffer.from('{"request_id":"r1"}'), json: () => ({ request_id: 'r1' }) }

/** A write of an item. */
export function post(item: string): HttpRequest {
  return { method: 'POST', path: `/v1/${item}` }
}
