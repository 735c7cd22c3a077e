import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { spawn } from '@lydell/node-pty'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { lendTerminal, watchUnusedInput } from '../../../src/commands/job/action/terminal.ts'
import { scratchFolder } from '../../support/folder.ts'
import { tug } from '../../support/run.ts'
import { program } from '../../support/process.ts'
import type { Visit } from './action-service.ts'
import { direct, idOf, out, serveScheduler } from './action-service.ts'
import { mentions, says } from '../../support/told.ts'

const terminals = { stdin: true, stdout: 100, stderr: 100 }

describe('--tty', () => {
  test('sends the size and, in the hashicorp dialect, the keys', async () => {
    const { env, visits } = await serveScheduler((visit) => void visit.frames(3).then(() => visit.exit(5)))
    const machine = { env: { ...env, TUG_DIALECT: 'hashicorp' }, terminals, stdin: 'ls\r' }
    expect(await tug(`${direct} --tty`, machine)).toMatchObject({ exit: 5, stderr: '' })
    expect(visits[0]?.query.get('tty')).toBe('true')
    expect(visits[0]?.received.slice(1)).toEqual([
      { tty_size: { height: 40, width: 100 } },
      { stdin: { data: Buffer.from('ls\r').toString('base64') } },
    ])
  })

  test('sends no keys in the neutral dialect', async () => {
    const { env, visits } = await serveScheduler((visit) => void visit.frames(2).then(() => visit.exit()))
    expect(await tug(`${direct} -t`, { env, terminals, stdin: 'ls\r' })).toMatchObject({ exit: 0, stderr: '' })
    expect(visits[0]?.received.slice(1)).toEqual([{ tty_size: { height: 40, width: 100 } }])
  })

  test('asks a service whose dialect is unknown, by the cheapest list', async () => {
    const { env, asked } = await serveScheduler((visit) => void visit.frames(2).then(() => visit.exit()))
    const machine = { env: { ...env, TUG_DIALECT: 'auto' }, terminals }
    expect(await tug(`${direct} -t`, machine)).toMatchObject({ exit: 0 })
    expect(new Set(asked)).toEqual(new Set(['/v1/jobs?per_page=1']))
  })

  test('without a terminal has the default size and reads no keys from a pipe', async () => {
    const { env, visits } = await serveScheduler((visit) => void visit.frames(2).then(() => visit.exit()))
    const machine = { env: { ...env, TUG_DIALECT: 'hashicorp' }, stdin: 'data' }
    const { exit, stderr } = await tug(`${direct} -t`, machine)
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: says('… input has data, …\n') })
    expect(visits[0]?.received.slice(1)).toEqual([{ tty_size: { height: 24, width: 80 } }])
  })

  test('sends Ctrl-C and Ctrl-D first when interrupted from outside', async () => {
    const signals = new Map<string, () => void>()
    const { env, visits } = await serveScheduler((visit) => {
      visit.webSocket.on('close', () => visit.socket.destroy())
      void visit.frames(2).then(() => signals.get('SIGTERM')?.())
    })
    const machine = { env: { ...env, TUG_DIALECT: 'hashicorp' }, terminals, signals }
    const { exit, stderr } = await tug(`${direct} -t`, machine)
    expect(exit).toBe(143)
    expect(stderr).toMatch(mentions(`migrate on ${idOf('9c0f11aa')} … Ctrl-C`))
    expect((await visits[0]?.frames(3))?.[2]).toEqual({ stdin: { data: 'AwQ=' } })
  })

  test("~. leaves an action that doesn't react", async () => {
    const { env, visits } = await serveScheduler((visit) => {
      visit.webSocket.on('close', () => visit.socket.destroy())
    })
    const machine = { env: { ...env, TUG_DIALECT: 'hashicorp' }, terminals, stdin: 'a~.b\r~~c\r~.rest' }
    const { exit, stderr } = await tug(`${direct} -t`, machine)
    expect(exit).toBe(130)
    expect(stderr).toMatch(mentions(`left migrate on ${idOf('9c0f11aa')}, …`))
    const base64 = (keys: string) => Buffer.from(keys).toString('base64')
    expect((await visits[0]?.frames(4))?.slice(2)).toEqual([
      { stdin: { data: base64('a~.b\r~c\r') } },
      { stdin: { data: base64('\u0003\u0004') } },
    ])
  })
})

describe('a borrowed terminal', () => {
  function lend(keys = true) {
    const calls: string[] = []
    const handlers = new Map<string, () => void>()
    const stdin = Object.assign(new PassThrough(), { setRawMode: (raw: boolean) => calls.push(`raw ${raw}`) })
    const stdout = { isTTY: true, rows: 24, columns: 80 }
    const context = {
      io: { stdin },
      terminalSize: () => ({ rows: stdout.rows, columns: stdout.columns }),
      onResize: (call: () => void) => {
        handlers.set('SIGWINCH', call)
        return () => handlers.delete('SIGWINCH')
      },
      onExit: (call: () => void) => {
        handlers.set('exit', call)
        return () => handlers.delete('exit')
      },
    } as unknown as Parameters<typeof lendTerminal>[0]
    const giveBack = lendTerminal(context, {
      resized: ({ rows, columns }) => calls.push(`${rows} x ${columns}`),
      typed: keys ? (bytes) => calls.push(Buffer.from(bytes).toString()) : undefined,
      left: () => calls.push('left'),
    })
    return { calls, handlers, stdin, stdout, giveBack }
  }

  test('reports its size at the start and at each change, and is raw until it is returned', () => {
    const { calls, handlers, stdout, giveBack } = lend()
    Object.assign(stdout, { rows: 50, columns: 132 })
    handlers.get('SIGWINCH')?.()
    giveBack()
    expect(calls).toEqual(['24 x 80', 'raw true', '50 x 132', 'raw false'])
    expect([...handlers]).toEqual([])
  })

  test('is restored on every way out of the process', () => {
    const { calls, handlers, stdin } = lend()
    handlers.get('exit')?.()
    expect(calls.at(-1)).toBe('raw false')
    expect(stdin.listenerCount('data')).toBe(0)
  })

  test('is never raw if no keys are sent', () => {
    const { calls, handlers, giveBack } = lend(false)
    giveBack()
    expect(calls).toEqual(['24 x 80'])
    expect([...handlers]).toEqual([])
  })

  test('recognises the escape when its keys arrive one by one', () => {
    const { calls, stdin } = lend()
    for (const key of ['~', '~', '\r', '~', 'x', '\n', '~', '.']) {
      stdin.emit('data', Buffer.from(key))
    }
    expect(calls.slice(2)).toEqual(['~', '\r', '~x', '\n', 'left'])
  })
})

describe('unused input', () => {
  test('a silent pipe is released', () => {
    const stdin = new PassThrough()
    const said = vi.fn<() => void>()
    const release = watchUnusedInput({ stdin, note: said })
    expect(stdin.readableFlowing).toBe(true)
    release()
    expect(stdin.readableFlowing).toBe(false)
    expect(stdin.listenerCount('data')).toBe(0)
    expect(said).not.toHaveBeenCalled()
  })

  test('is reported once and the pipe is read no further', async () => {
    const stdin = new PassThrough()
    const said = vi.fn<() => void>()
    watchUnusedInput({ stdin, note: said })
    stdin.write('one')
    stdin.write('two')
    await vi.waitFor(() => expect(said).toHaveBeenCalledTimes(1))
    expect(stdin.isPaused()).toBe(true)
  })

  test.for([
    ['data', 1],
    ['', 0],
  ] as const)('a file holding "%s" is not read', ([content, times]) => {
    const path = join(scratchFolder(), 'input')
    writeFileSync(path, content)
    const fd = openSync(path, 'r')
    const stdin = Object.assign(new PassThrough(), { fd })
    const said = vi.fn<() => void>()
    watchUnusedInput({ stdin, note: said })
    closeSync(fd)
    expect(said).toHaveBeenCalledTimes(times)
    expect(stdin.listenerCount('data')).toBe(0)
  })

  test('what is not a file is watched like a pipe, even if it cannot be read', () => {
    const fd = openSync(scratchFolder(), 'r')
    const stdin = Object.assign(new PassThrough(), { fd })
    const said = vi.fn<() => void>()
    const release = watchUnusedInput({ stdin, note: said })
    closeSync(fd)
    expect(stdin.listenerCount('data')).toBe(1)
    stdin.emit('error', new Error('gone'))
    release()
    expect(said).not.toHaveBeenCalled()
  })

  test('a terminal is not unused input', () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    watchUnusedInput({ stdin, note: () => undefined })
    expect(stdin.listenerCount('data')).toBe(0)
  })
})

describe('silence', () => {
  afterEach(() => void vi.useRealTimers())

  /** Advances timers while the network keeps working. */
  function tick(milliseconds: number): void {
    vi.advanceTimersByTime(milliseconds)
  }

  test('the hashicorp dialect sends a heartbeat and a ping every ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { env, visits } = await serveScheduler((visit) => {
      void visit.frames(2).then((frames) => {
        tick(9_999)
        expect(frames).toHaveLength(2)
        tick(1)
      })
      visit.webSocket.once('ping', () => void visit.frames(3).then(() => visit.exit()))
    })
    expect(await tug(direct, { env: { ...env, TUG_DIALECT: 'hashicorp' } })).toMatchObject({ exit: 0 })
    expect(visits[0]?.received[2]).toEqual({})
  })

  test('the neutral dialect sends pings only', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { env, visits } = await serveScheduler((visit) => {
      visit.webSocket.once('ping', () => visit.exit())
      tick(10_000)
    })
    expect(await tug(direct, { env })).toMatchObject({ exit: 0 })
    expect(visits[0]?.received).toHaveLength(1)
  })

  test('a dead server is noticed', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { env } = await serveScheduler((visit) => {
      visit.socket.pause()
      tick(30_000)
    })
    const { exit, stderr } = await tug(direct, { env })
    expect(exit).toBe(125)
    expect(stderr).toMatch(mentions('… 20s'))
  })
})

describe('the built program on a real terminal', () => {
  const looks = /^modes \S+(?=\r\n)/gm

  /** Runs it between two readings of the terminal's modes; the shell stays until both are read. */
  function start(env: Record<string, string>) {
    const look = 'echo "modes $(stty -g)"'
    const run = `'${process.execPath}' '${program}' ${direct} --tty`
    const line = `${look}; ${run}; echo "ended with $?"; ${look}; read -r key`
    const terminal = spawn('/bin/sh', ['-c', line], {
      cols: 80,
      rows: 24,
      env: { PATH: process.env['PATH'] ?? '', TUG_CONFIG_DIR: '/nonexistent', TUG_DIALECT: 'hashicorp', ...env },
    })
    let shown = ''
    let seen = false
    terminal.onData((text) => {
      shown += text
      if (seen || shown.match(looks)?.length !== 2) return
      seen = true
      terminal.write('\n')
    })
    return {
      terminal,
      ended: new Promise<string>((resolve) => terminal.onExit(() => resolve(shown))),
    }
  }

  function expectRestored(shown: string): void {
    const modes = shown.match(looks) ?? []
    expect(modes).toHaveLength(2)
    expect(modes[0]).toBe(modes[1])
  }

  test('resizes and keys are passed on and the terminal is restored', async () => {
    const { env, visits } = await serveScheduler((visit) => {
      void visit
        .frames(2)
        .then(() => {
          terminal.resize(100, 30)
          return visit.frames(3)
        })
        .then(() => {
          terminal.write('\u0003q')
          return visit.frames(4)
        })
        .then(() => {
          visit.say(out('stdout', 'bye\n'))
          visit.exit(5)
        })
    })
    const { terminal, ended } = start(env)
    const shown = await ended
    expect(visits[0]?.received.slice(1)).toEqual([
      { tty_size: { height: 24, width: 80 } },
      { tty_size: { height: 30, width: 100 } },
      { stdin: { data: Buffer.from('\u0003q').toString('base64') } },
    ])
    expect(shown).toMatch(/bye\r+\nended with 5\r\n/)
    expectRestored(shown)
  })

  const ends: readonly (readonly [string, number, (visit: Visit) => unknown])[] = [
    ['a lost connection', 125, ({ socket }) => socket.destroy()],
    ['a broken frame', 125, ({ webSocket }) => webSocket.send('oops')],
    ['an end by the service', 4, ({ webSocket }) => webSocket.close(1011, 'Permission denied')],
  ]

  test.for(ends)('after %s the terminal is restored', async ([, exit, end]) => {
    const { env } = await serveScheduler((visit) => void visit.frames(2).then(() => end(visit)))
    const shown = await start(env).ended
    expect(shown).toContain(`ended with ${exit}`)
    expectRestored(shown)
  })

  test('after ~. the terminal is restored', async () => {
    const { env } = await serveScheduler((visit) => {
      visit.webSocket.on('close', () => visit.socket.destroy())
      void visit.frames(2).then(() => terminal.write('~.'))
    })
    const { terminal, ended } = start(env)
    const shown = await ended
    expect(shown).toContain(`left migrate on ${idOf('9c0f11aa')}`)
    expectRestored(shown)
  })
})
