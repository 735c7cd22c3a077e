import { expect, test } from 'vitest'
import { eachOf, forEachOf } from '../../src/core/each-of.ts'

async function all<T>(from: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const one of from) found.push(one)
  return found
}

/** Calls that end when they are told to. */
function calls() {
  const open = new Map<number, () => void>()
  const work = async (item: number) => {
    await new Promise<void>((end) => open.set(item, end))
    open.delete(item)
    return item
  }
  const turn = () => new Promise((go) => setImmediate(go))
  return { open, work, turn }
}

test('no more than so many are under way, and a slow one holds up no other', async () => {
  const { open, work, turn } = calls()
  async function* source() {
    yield* [1, 2, 3, 4, 5, 6]
  }
  for (const items of [[1, 2, 3, 4, 5, 6], source()]) {
    const ended: number[] = []
    const working = forEachOf(items, async (item) => void ended.push(await work(item)), 2)
    for (const item of [2, 3, 4, 5, 6]) {
      await turn()
      expect([...open.keys()]).toEqual([1, item])
      open.get(item)?.()
    }
    await turn()
    expect(ended).toEqual([2, 3, 4, 5, 6])
    open.get(1)?.()
    await working
    expect(ended.at(-1)).toBe(1)
  }
})

test('after an error, nothing more is started and the source is closed', async () => {
  const begun: number[] = []
  let closed = false
  async function* source() {
    try {
      yield* [1, 2, 3, 4, 5, 6]
    } finally {
      closed = true
    }
  }
  const work = async (item: number) => {
    begun.push(item)
    if (item === 2) throw new Error('two')
    await new Promise((go) => setImmediate(go))
  }
  for (const items of [[1, 2, 3, 4, 5, 6], source()]) {
    begun.length = 0
    await expect(forEachOf(items, work, 2)).rejects.toThrow('two')
    await new Promise((go) => setTimeout(go))
    expect(begun).toEqual([1, 2])
  }
  expect(closed).toBe(true)
})

test('after an error, an item that was still being read is not started', async () => {
  const begun: number[] = []
  let go = () => {}
  async function* source() {
    yield 1
    await new Promise<void>((arrive) => (go = arrive))
    yield 2
  }
  const work = async (item: number) => {
    begun.push(item)
    await new Promise((turn) => setImmediate(turn))
    setImmediate(() => go())
    throw new Error('one')
  }
  await expect(forEachOf(source(), work, 2)).rejects.toThrow('one')
  expect(begun).toEqual([1])
})

test('results wait for their turn while others go on', async () => {
  const { open, work, turn } = calls()
  const reading = all(eachOf([1, 2, 3, 4], work, { parallel: 2 }))
  for (const item of [2, 3, 4, 1]) {
    await turn()
    open.get(item)?.()
  }
  expect(await reading).toEqual([1, 2, 3, 4])
})

test('so much may wait for a slow one, and no more', async () => {
  const { open, work, turn } = calls()
  const begun: number[] = []
  const large = async (item: number) => {
    begun.push(item)
    if (item === 1) await work(item)
    return item
  }
  const options = { parallel: 2, sizeOf: () => 1024 * 1024 }
  const reading = all(
    eachOf(
      Array.from({ length: 100 }, (_, index) => index + 1),
      large,
      options,
    ),
  )
  await turn()
  await turn()
  expect(begun.length).toBe(33)
  open.get(1)?.()
  expect(await reading).toHaveLength(100)
})

test('failures of the work and of the source reach the reader', async () => {
  const failing = async (item: number) => {
    if (item === 2) throw new Error('two')
    return item
  }
  await expect(all(eachOf([1, 2, 3], failing, { parallel: 1 }))).rejects.toThrow('two')
  async function* source() {
    yield 1
    throw new Error('no more')
  }
  await expect(all(eachOf(source(), failing, { parallel: 2 }))).rejects.toThrow('no more')
  await expect(forEachOf(source(), async (item) => void (await failing(item)), 2)).rejects.toThrow('no more')
})

test('a reader that leaves ends the source', async () => {
  let closed = false
  async function* source() {
    try {
      for (let item = 0; ; item += 1) yield item
    } finally {
      closed = true
    }
  }
  for await (const item of eachOf(source(), async (one) => one, { parallel: 3 })) if (item === 5) break
  expect(closed).toBe(true)
})
