import { expect, test } from 'vitest'
import { counted } from '../../src/output/progress.ts'

function recorder() {
  const shown: string[] = []
  const io = {
    progress(label: string) {
      shown.push(label)
      return { update: (text: string) => shown.push(text), end: () => shown.push('end') }
    },
  }
  return { io, shown }
}

async function* items(...all: number[]): AsyncGenerator<number> {
  yield* all
}

test.each([
  [undefined, ['work: 0', 'work: 1', 'work: 2', 'end']],
  [2, ['work: 0 of 2', 'work: 1 of 2', 'work: 2 of 2', 'end']],
])('items are counted while they pass, with a total of %s', async (total, labels) => {
  const { io, shown } = recorder()
  const passed: number[] = []
  for await (const item of counted(io, 'work', items(7, 8), total)) passed.push(item)
  expect(passed).toEqual([7, 8])
  expect(shown).toEqual(labels)
})

test('the count is removed when the reader stops early, and when the work fails', async () => {
  const early = recorder()
  for await (const _ of counted(early.io, 'work', items(7, 8))) break
  expect(early.shown.at(-1)).toBe('end')
  const failing = recorder()
  async function* broken(): AsyncGenerator<number> {
    yield 1
    throw new Error('no more')
  }
  const read = async () => {
    for await (const _ of counted(failing.io, 'work', broken())) continue
  }
  await expect(read()).rejects.toThrow('no more')
  expect(failing.shown).toEqual(['work: 0', 'work: 1', 'end'])
})
