import type { Body } from './transport.ts'
import { failure } from './transport.ts'

/** What fills a body. */
export interface BodySource {
  /** True if the source may send more; after false it waits for `resume`. */
  push(piece: Uint8Array): boolean
  end(): void
  /** Stops reading, now or as soon as it starts. */
  fail(error: unknown): void
}

/** The connection of a body. */
interface Connection {
  resume(): void
  /** Called if the reader stops before the end. */
  leave(): void
  /** Milliseconds of silence after which reading fails; it counts only while a chunk is awaited. 0: no limit. */
  readonly silenceTimeout: number
}

/** Buffered chunks after which the connection is paused. */
const mostWaiting = 8

/** A body with backpressure, and its source. */
export function createBody({ resume, leave, silenceTimeout }: Connection): BodySource & { readonly body: Body } {
  const pieces: Uint8Array[] = []
  let ended = false
  let failed: { readonly error: unknown } | undefined
  let wake: (() => void) | undefined
  let timer: NodeJS.Timeout | undefined

  function fail(error: unknown): void {
    if (ended) return
    failed ??= { error }
    wake?.()
  }

  /** One timer for the whole body: one per chunk would take longer than reading it. */
  function limitSilence(): void {
    if (silenceTimeout === 0) return
    timer ??= setTimeout(() => wake !== undefined && fail(failure('BODY_TIMEOUT')), silenceTimeout)
    timer.refresh()
  }

  async function nextPiece(): Promise<void> {
    limitSilence()
    resume()
    await new Promise<void>((go) => (wake = go))
    wake = undefined
  }

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        if (failed !== undefined) throw failed.error
        const piece = pieces.shift()
        if (piece !== undefined) yield piece
        else if (ended) return
        else await nextPiece()
      }
    } finally {
      clearTimeout(timer)
      if (!ended) leave()
    }
  }

  return {
    push(piece) {
      pieces.push(piece)
      wake?.()
      return pieces.length < mostWaiting
    },
    end() {
      ended = true
      wake?.()
    },
    fail,
    body: {
      arrived: () => (ended && failed === undefined ? pieces : undefined),
      [Symbol.asyncIterator]: read,
    },
  }
}
