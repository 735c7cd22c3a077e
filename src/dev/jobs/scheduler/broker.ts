import type { Store } from '../state/store.ts'

/** Hands evaluations to the scheduler, or holds them while it is paused. */
export class Broker {
  private readonly store: Store
  private held: (() => void)[] | undefined
  /** The index of the last change of the configuration. */
  configuredAt = 1

  constructor(store: Store) {
    this.store = store
  }

  /** True while evaluations are held. */
  get paused(): boolean {
    return this.held !== undefined
  }

  /** Pauses or resumes, and returns the index of this change. Resuming processes what was held. */
  setPaused(paused: boolean): number {
    this.configuredAt = this.store.write()
    const waiting = this.held ?? []
    this.held = paused ? waiting : undefined
    if (!paused) for (const proceed of waiting) proceed()
    return this.configuredAt
  }

  /** Processes an evaluation now, or once the scheduler is resumed. */
  process(proceed: () => void): void {
    if (this.held === undefined) proceed()
    else this.held.push(proceed)
  }
}
