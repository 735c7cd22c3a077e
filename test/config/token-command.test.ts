import { expect, test } from 'vitest'
import { runTokenCommand } from '../../src/config/token-command.ts'
import type { Host } from '../../src/process/host.ts'

/** A host without a terminal; `ended` has the groups of processes that were ended. */
function host() {
  const ended: number[] = []
  const partial: Partial<Host> = {
    platform: process.platform,
    env: process.env,
    cwd: process.cwd(),
    onExit: () => () => undefined,
    endGroup(id) {
      ended.push(id)
      process.kill(-id)
    },
  }
  return { ended, host: { ...partial, stdin: { isTTY: false } } as unknown as Host }
}

test.runIf(process.platform !== 'win32')(
  'a command that begins after an interrupt ends at once, as a whole',
  async () => {
    const { host: machine, ended } = host()
    const running = runTokenCommand('sleep 60 | sleep 60', machine, { signal: AbortSignal.abort(), timeout: 600_000 })
    await expect(running).rejects.toMatchObject({ code: 'interrupted' })
    expect(ended).toHaveLength(1)
  },
)

test.runIf(process.platform !== 'win32')('a command that takes too long is ended as a whole', async () => {
  const { host: machine, ended } = host()
  const { signal } = new AbortController()
  const running = runTokenCommand('sleep 60 | sleep 60', machine, { signal, timeout: 1 })
  await expect(running).rejects.toMatchObject({ code: 'not_allowed' })
  expect(ended).toHaveLength(1)
})

test('the token is what the command prints, without blanks around it', async () => {
  const { host: machine } = host()
  const signal = new AbortController().signal
  expect(await runTokenCommand('echo " of-a-command "', machine, { signal, timeout: 600_000 })).toBe('of-a-command')
})
