import type { IncomingMessage } from 'node:http'
import { failure } from './transport.ts'

/** The body of an answer, piece by piece. */
export interface Body {
  pieces(): AsyncIterable<Uint8Array>
  /** Ends reading, now or as soon as it starts. */
  fail(error: unknown): void
}

/** Pieces that wait for the reader before the connection is told to wait. */
const mostWaiting = 8

/** A body that is read as fast as it is consumed. `silenceTimeout` limits silence only while a piece is awaited. */
export function createBody(response: IncomingMessage, silenceTimeout: number, leave: () => void): Body {
  const arrived: Uint8Array[] = []
  let ended = false
  let failed: { readonly error: unknown } | undefined
  let wake: (() => void) | undefined
  let timer: NodeJS.Timeout | undefined

  function fail(error: unknown): void {
    if (ended) return
    failed ??= { error }
    wake?.()
  }

  // Not `read`, which copies all that has arrived into one piece.
  response.on('data', (piece: Uint8Array) => {
    if (arrived.push(piece) >= mostWaiting) response.pause()
    wake?.()
  })
  response.on('end', () => {
    ended = true
    wake?.()
  })

  /** One timer for the whole body: making one for each piece would take longer than reading it. */
  function limitSilence(): void {
    if (silenceTimeout === 0) return
    timer ??= setTimeout(() => wake !== undefined && fail(failure('BODY_TIMEOUT')), silenceTimeout)
    timer.refresh()
  }

  async function silence(): Promise<void> {
    limitSilence()
    response.resume()
    await new Promise<void>((resolve) => (wake = resolve))
    wake = undefined
  }

  return {
    fail,
    async *pieces() {
      try {
        for (;;) {
          if (failed !== undefined) throw failed.error
          const piece = arrived.shift()
          if (piece !== undefined) yield piece
          else if (ended) return
          else await silence()
        }
      } finally {
        clearTimeout(timer)
        if (!ended) leave()
      }
    },
  }
}
