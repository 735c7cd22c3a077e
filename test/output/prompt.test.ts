import { getEventListeners } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { askLine } from '../../src/output/prompt.ts'
import { says } from '../support/told.ts'

/** A terminal whose keys are typed by the test; `raw` is its mode, `shown` what it displays. */
function world() {
  const stdin = new PassThrough()
  const stderr = new PassThrough()
  const written: string[] = []
  stderr.on('data', (piece: Buffer) => written.push(piece.toString()))
  const state = { raw: false }
  Object.assign(stdin, {
    isTTY: true,
    setRawMode: (raw: boolean) => {
      state.raw = raw
    },
  })
  const exits = new Set<() => void>()
  const host = {
    stdin,
    stderr: Object.assign(stderr, { isTTY: true, columns: 80 }),
    onExit(call: () => void) {
      exits.add(call)
      return () => void exits.delete(call)
    },
  }
  const controller = new AbortController()
  return {
    state,
    exits,
    controller,
    stdin,
    type: (keys: string) => stdin.write(keys),
    end: () => stdin.end(),
    shown: () => written.join(''),
    ask: (hidden: boolean) => askLine(host as never, 'password: ', { hidden, signal: controller.signal }),
  }
}

test.each([
  ['secret\r', 'secret'],
  ['secret\n', 'secret'],
  ['secrer\u007ft\r', 'secret'],
  ['ab\b\b\bsecret\r', 'secret'],
  ['wrong\u0015secret\r', 'secret'],
  ['👩🏽é\u007f\r', '👩🏽'],
  ['\r', ''],
])('the hidden keys %j are the answer %j', async (keys, answer) => {
  const { ask, type, shown, state, exits } = world()
  const answered = ask(true)
  await Promise.resolve()
  expect(state.raw).toBe(true)
  type(keys)
  expect(await answered).toBe(answer)
  expect(shown()).toBe('password: \n')
  expect({ ...state, exits: exits.size }).toEqual({ raw: false, exits: 0 })
})

test('an answer that may be seen is shown while it is typed', async () => {
  const { ask, type, shown, state, exits } = world()
  const answered = ask(false)
  type('yes\r')
  expect(await answered).toBe('yes')
  expect(shown()).toContain('yes')
  expect({ ...state, exits: exits.size }).toEqual({ raw: false, exits: 0 })
})

test.each([
  [true, '\u0004', 'usage'],
  [true, 'abc\u0004', 'usage'],
  [true, '\u0003', 'interrupted'],
  [false, '\u0004', 'usage'],
  [false, 'abc\u0003', 'interrupted'],
])('hidden: %j, the keys %j cancel: %s', async (hidden, keys, code) => {
  const { ask, type, state, exits, shown } = world()
  const answered = ask(hidden)
  type(keys)
  await expect(answered).rejects.toMatchObject({ code })
  expect({ ...state, exits: exits.size }).toEqual({ raw: false, exits: 0 })
  expect(shown().endsWith('\n')).toBe(true)
})

test.each([true, false])(
  'after a question nothing listens any more, and another may be asked, hidden: %j',
  async (hidden) => {
    const { ask, type, stdin, controller } = world()
    const before = ['data', 'end'].map((event) => stdin.listenerCount(event))
    for (const answer of ['first', 'second']) {
      const answered = ask(hidden)
      await Promise.resolve()
      type(`${answer}\r`)
      expect(await answered).toBe(answer)
      expect([stdin.isPaused(), getEventListeners(controller.signal, 'abort').length]).toEqual([true, 0])
      if (hidden) expect(['data', 'end'].map((event) => stdin.listenerCount(event))).toEqual(before)
    }
  },
)

test.each([true, false])('a question that is cancelled says that nothing was changed, hidden: %j', async (hidden) => {
  for (const keys of ['\u0003', '\u0004']) {
    const { ask, type } = world()
    const answered = ask(hidden)
    type(keys)
    await expect(answered).rejects.toMatchObject({ message: says('cancelled; …') })
  }
})

test.each([true, false])('input that ends cancels, hidden: %j', async (hidden) => {
  const { ask, end, state } = world()
  const answered = ask(hidden)
  end()
  await expect(answered).rejects.toMatchObject({ code: 'usage' })
  expect(state.raw).toBe(false)
})

test.each([true, false])('a signal interrupts, before and during the question, hidden: %j', async (hidden) => {
  const during = world()
  const answered = during.ask(hidden)
  during.controller.abort()
  await expect(answered).rejects.toMatchObject({ code: 'interrupted' })
  expect({ ...during.state, exits: during.exits.size }).toEqual({ raw: false, exits: 0 })
  const before = world()
  before.controller.abort()
  await expect(before.ask(hidden)).rejects.toMatchObject({ code: 'interrupted' })
  expect(before.shown()).toBe('')
})

test.each([true, false])('the terminal is restored when the program leaves, hidden: %j', async (hidden) => {
  const { ask, type, state, exits } = world()
  const answered = ask(hidden)
  await Promise.resolve()
  expect(state.raw).toBe(true)
  for (const call of exits) call()
  expect(state.raw).toBe(false)
  type('\r')
  await answered
})
