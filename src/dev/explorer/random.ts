const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Numbers that look random but are the same at every start (mulberry32). */
export class Random {
  private state: number

  constructor(seed: number) {
    this.state = seed
  }

  /** From 0 up to but not including 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** True with this probability. */
  chance(share: number): boolean {
    return this.next() < share
  }

  /** An integer between the two, inclusive. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  /** An item of a list that is not empty. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length - 1)] as Item
  }

  /** Up to `most` items, in the order of the list. */
  sample<Item>(items: readonly Item[], most: number): Item[] {
    const left = new Set<Item>()
    for (let count = this.integer(0, most); count > 0; count -= 1) left.add(this.pick(items))
    return items.filter((item) => left.has(item))
  }

  /** An ID in the service's form: prefix, dash, 16 letters and digits. */
  id(prefix: string): string {
    const letters = Array.from({ length: 16 }, () => alphabet[this.integer(0, alphabet.length - 1)])
    return `${prefix}-${letters.join('')}`
  }
}
