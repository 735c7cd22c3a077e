import { getEventListeners } from 'node:events'
import { expect, test, vi } from 'vitest'
import { runTokenCommand } from '../../src/config/token-command.ts'
import type { Host } from '../../src/process/host.ts'
import { refusalOf } from '../support/refusal.ts'
import { says } from '../support/told.ts'

/** A host; `ended` has the groups of processes that were ended, `exits` what is called when the program leaves. */
function host({ isTTY = false, ...more }: { isTTY?: boolean; platform?: NodeJS.Platform; cwd?: string } = {}) {
  const ended: number[] = []
  const exits = new Set<() => void>()
  const partial: Partial<Host> = {
    platform: process.platform,
    env: process.env,
    cwd: process.cwd(),
    ...more,
    onExit(call) {
      exits.add(call)
      return () => exits.delete(call)
    },
    endGroup(id) {
      ended.push(id)
      process.kill(more.platform === 'win32' ? id : -id)
    },
  }
  return { ended, exits, host: { ...partial, stdin: { isTTY } } as unknown as Host }
}

test.runIf(process.platform !== 'win32')(
  'a command that begins after an interrupt ends at once, as a whole',
  async () => {
    const { host: machine, ended, exits } = host()
    const running = runTokenCommand('sleep 60 | sleep 60', machine, { signal: AbortSignal.abort(), timeout: 600_000 })
    await expect(running).rejects.toMatchObject({ code: 'interrupted' })
    expect([ended.length, exits.size]).toEqual([1, 0])
  },
)

test.runIf(process.platform !== 'win32').each([
  [{ isTTY: false }, 1],
  [{ isTTY: true }, 0],
  [{ platform: 'win32' }, 1],
] as const)('a command that takes too long is ended; with %j, %i groups of processes are', async (machine, groups) => {
  const { host: own, ended, exits } = host(machine)
  const { signal } = new AbortController()
  const line = 'platform' in machine || groups === 0 ? 'exec sleep 60' : 'sleep 60 | sleep 60'
  expect(await refusalOf(() => runTokenCommand(line, own, { signal, timeout: 1 }))).toEqual({
    code: 'not_allowed',
    message: says('token_command … 1ms (--timeout)'),
    hints: [says('run it by hand …')],
  })
  expect([ended.length, exits.size, getEventListeners(signal, 'abort')]).toEqual([groups, 0, []])
})

test('the token is what the command prints, without blanks around it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { host: machine, exits } = host()
  const signal = new AbortController().signal
  expect(await runTokenCommand('echo " of-a-command "', machine, { signal, timeout: 600_000 })).toBe('of-a-command')
  // Nothing of it is left to be ended.
  expect([exits.size, getEventListeners(signal, 'abort'), vi.getTimerCount()]).toEqual([0, [], 0])
  vi.useRealTimers()
})

test.runIf(process.platform !== 'win32').each([
  ['exit 1', {}, '… 1'],
  ['exit 3', {}, '… 3'],
  ['echo token; exit 1', {}, '… 1'],
  ['kill -TERM $$', {}, '… SIGTERM'],
  ['true', {}, '… no token'],
  ['echo " "', {}, '… no token'],
  ['echo token', { cwd: '/nonexistent' }, '…: spawn …sh ENOENT'],
])('the command %j with %j fails', async (line, more, message) => {
  const { host: machine, exits } = host(more)
  const { signal } = new AbortController()
  expect(await refusalOf(() => runTokenCommand(line, machine, { signal, timeout: 600_000 }))).toEqual({
    code: 'not_allowed',
    message: says(`token_command ${message}`),
    hints: [says('run it by hand …')],
  })
  expect([exits.size, getEventListeners(signal, 'abort')]).toEqual([0, []])
})
