/** Starts a generator, so that its first failure comes before anything else is done. */
export async function begun<T>(generator: AsyncGenerator<T>): Promise<AsyncIterable<T>> {
  const first = await generator.next()
  return (async function* all() {
    if (first.done === true) return
    yield first.value
    yield* generator
  })()
}
