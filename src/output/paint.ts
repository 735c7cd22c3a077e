import type { Paint, Tone } from '../core/output.ts'
import type { Host, OutputStream } from '../process/host.ts'
import { widthOf } from './streams.ts'

/** No colour, 16 colours, 256 colours, true colour. */
export type ColorLevel = 0 | 1 | 2 | 3

export interface ColorOptions {
  /** The value of `--color`. */
  readonly flag: 'auto' | 'always' | 'never' | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether the output stream is a terminal. */
  readonly isTerminal: boolean
}

/**
 * The colour level of a stream. The first of these that is set wins: `--color`, `NO_COLOR`, `FORCE_COLOR`,
 * `CLICOLOR_FORCE`, `CLICOLOR=0`, `TERM=dumb`; otherwise terminals get colours. Empty variables count as unset.
 */
export function colorLevel(options: ColorOptions): ColorLevel {
  const { env, flag } = options
  if (flag === 'never') return 0
  if (flag === 'always') return depth(env)
  if (isSet(env['NO_COLOR'])) return 0
  if (isSet(env['FORCE_COLOR'])) return forcedLevel(env['FORCE_COLOR'], env)
  if (isSet(env['CLICOLOR_FORCE']) && env['CLICOLOR_FORCE'] !== '0') return depth(env)
  if (env['CLICOLOR'] === '0' || env['TERM'] === 'dumb' || !options.isTerminal) return 0
  return depth(env)
}

/** The paint for a colour level. Level 0 loads nothing and leaves text unchanged. */
export async function createPaint(level: ColorLevel): Promise<Paint> {
  if (level === 0) return (_, text) => text
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level })
  const tones: Readonly<Record<Tone, (text: string) => string>> = {
    good: chalk.green,
    bad: chalk.red.bold,
    warn: chalk.yellow,
    change: chalk.cyan,
    dim: chalk.dim,
    strong: chalk.bold,
    heading: chalk.bold,
  }
  return (tone, text) => tones[tone](text)
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== ''
}

/** The level that `FORCE_COLOR` sets. */
function forcedLevel(value: string, env: ColorOptions['env']): ColorLevel {
  if (value === '0' || value === 'false') return 0
  if (value === '2') return 2
  return value === '3' ? 3 : depth(env)
}

/** The level that a terminal supports. */
function depth(env: ColorOptions['env']): ColorLevel {
  if (/^(?:truecolor|24bit)$/i.test(String(env['COLORTERM']))) return 3
  return /256(?:color)?$/i.test(String(env['TERM'])) ? 2 : 1
}

/** Colours and width for a page of text. */
export interface PageStyle {
  readonly paint: Paint
  /** Columns: the terminal's, at most 120; otherwise 100. */
  readonly width: number
}

/** The style for a page on this stream. */
export async function pageStyle(stream: OutputStream, { env }: Pick<Host, 'env'>): Promise<PageStyle> {
  return {
    paint: await createPaint(colorLevel({ flag: undefined, env, isTerminal: stream.isTTY === true })),
    width: Math.min(widthOf(stream, env) ?? 100, 120),
  }
}
