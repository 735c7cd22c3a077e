interface Owned {
  readonly id: string
  readonly namespace: string
  readonly jobId: string
}

/** Things that belong to jobs, by their own ID and by job. */
export class Table<Item extends Owned> {
  private readonly items = new Map<string, Item>()
  private readonly jobs = new Map<string, Item[]>()

  add(item: Item): void {
    this.items.set(item.id, item)
    const key = keyOf(item.namespace, item.jobId)
    const others = this.jobs.get(key)
    if (others === undefined) this.jobs.set(key, [item])
    else others.push(item)
  }

  get(id: string): Item | undefined {
    return this.items.get(id)
  }

  /** All items, oldest first. */
  values(): Iterable<Item> {
    return this.items.values()
  }

  /** The items of a job, of any registration, oldest first. */
  ofJob(namespace: string, id: string): readonly Item[] {
    return this.jobs.get(keyOf(namespace, id)) ?? []
  }
}

/** A key for a job. */
export function keyOf(namespace: string, id: string): string {
  return `${namespace}\u0000${id}`
}
