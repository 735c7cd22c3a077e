import type { Paint } from '../core/output.ts'
import type { Host, OutputStream } from '../process/host.ts'
import { widthOf } from './io.ts'
import { colorLevel, createPaint } from './paint.ts'

/** How a text for people may look on a stream. */
export interface Look {
  readonly paint: Paint
  /** Columns: those of the terminal, at most 120; 100 elsewhere. */
  readonly width: number
}

/** Colours and width for a page of text on a stream. */
export async function lookOf(stream: OutputStream, { env }: Pick<Host, 'env'>): Promise<Look> {
  return {
    paint: await createPaint(colorLevel({ flag: undefined, env, isTerminal: stream.isTTY === true })),
    width: Math.min(widthOf(stream, env) ?? 100, 120),
  }
}
