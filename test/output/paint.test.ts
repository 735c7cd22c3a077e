import { expect, test } from 'vitest'
import type { Tone } from '../../src/core/output.ts'
import { colorLevel, createPaint, pageStyle } from '../../src/output/paint.ts'
import type { ColorOptions } from '../../src/output/paint.ts'
import { tug } from '../support/run.ts'

test('level 0 leaves text unchanged', async () => {
  const paint = await createPaint(0)
  expect(paint('bad', 'x')).toBe('x')
})

test('every tone colours its text and resets', async () => {
  const paint = await createPaint(1)
  const tones: Tone[] = ['good', 'bad', 'warn', 'change', 'dim', 'strong', 'heading']
  for (const tone of tones) expect(paint(tone, 'x')).toMatch(/^(?:\x1b\[\d+m)+x(?:\x1b\[\d+m)+$/)
  expect(paint('good', 'ok')).toBe('\x1b[32mok\x1b[39m')
})

const terminal: ColorOptions = { flag: undefined, env: { TERM: 'xterm' }, isTerminal: true }
const pipe: ColorOptions = { ...terminal, isTerminal: false }

test.each<[string, ColorOptions, number]>([
  ['a terminal', terminal, 1],
  ['a pipe', pipe, 0],
  ['auto on a pipe', { ...pipe, flag: 'auto' }, 0],
  ['always on a pipe', { ...pipe, flag: 'always', env: { NO_COLOR: '1', TERM: 'dumb' } }, 1],
  ['never on a terminal', { ...terminal, flag: 'never', env: { FORCE_COLOR: '3' } }, 0],
  ['NO_COLOR over FORCE_COLOR', { ...terminal, env: { NO_COLOR: '1', FORCE_COLOR: '1' } }, 0],
  ['an empty NO_COLOR', { ...terminal, env: { NO_COLOR: '' } }, 1],
  ['FORCE_COLOR on a pipe', { ...pipe, env: { FORCE_COLOR: '1', CLICOLOR: '0' } }, 1],
  ['CLICOLOR_FORCE on a pipe', { ...pipe, env: { CLICOLOR_FORCE: '1', CLICOLOR: '0' } }, 1],
  ['CLICOLOR_FORCE=0', { ...pipe, env: { CLICOLOR_FORCE: '0' } }, 0],
  ['NO_COLOR over CLICOLOR_FORCE', { ...pipe, env: { NO_COLOR: '1', CLICOLOR_FORCE: '1' } }, 0],
  ['FORCE_COLOR=3', { ...pipe, env: { FORCE_COLOR: '3' } }, 3],
  ['FORCE_COLOR=0', { ...terminal, env: { FORCE_COLOR: '0' } }, 0],
  ['FORCE_COLOR=2', { ...pipe, env: { FORCE_COLOR: '2' } }, 2],
  ['FORCE_COLOR=false', { ...terminal, env: { FORCE_COLOR: 'false' } }, 0],
  ['FORCE_COLOR=true', { ...pipe, env: { FORCE_COLOR: 'true', TERM: 'screen-256' } }, 2],
  ['an empty FORCE_COLOR', { ...pipe, env: { FORCE_COLOR: '' } }, 0],
  ['24 bits', { ...terminal, env: { COLORTERM: '24BIT' } }, 3],
  ['another COLORTERM', { ...terminal, env: { COLORTERM: 'not-truecolor' } }, 1],
  ['a longer COLORTERM', { ...terminal, env: { COLORTERM: 'truecolors' } }, 1],
  ['another TERM with 256', { ...terminal, env: { TERM: 'x256colors' } }, 1],
  ['a terminal without TERM', { ...terminal, env: {} }, 1],
  ['CLICOLOR=1 on a pipe', { ...pipe, env: { CLICOLOR: '1' } }, 0],
  ['CLICOLOR=0', { ...terminal, env: { CLICOLOR: '0' } }, 0],
  ['TERM=dumb', { ...terminal, env: { TERM: 'dumb' } }, 0],
  ['256 colours', { ...terminal, env: { TERM: 'xterm-256color' } }, 2],
  ['true colour', { ...terminal, env: { TERM: 'xterm-256color', COLORTERM: 'truecolor' } }, 3],
])('%s', (_, options, level) => {
  expect(colorLevel(options)).toBe(level)
})

test.each([
  ['--color always', { stderr: undefined }, '\u001b[31m\u001b[1mtug:\u001b[22m\u001b[39m'],
  ['--color never', { stderr: 80 }, 'tug:'],
  ['', { stderr: 80 }, '\u001b[31m\u001b[1mtug:\u001b[22m\u001b[39m'],
  ['', { stderr: undefined }, 'tug:'],
])('an error has colour as asked: "%s" on a terminal of %j', async (flags, { stderr: columns }, shown) => {
  const terminals = columns === undefined ? {} : { stderr: columns }
  const { exit, stderr } = await tug(`kv get app/db --address nowhere ${flags}`, { terminals })
  expect(exit).toBe(2)
  expect(stderr.startsWith(`${shown} `)).toBe(true)
})

test.each([
  [{ isTTY: true, columns: 80 }, 80, true],
  [{ isTTY: true, columns: 119 }, 119, true],
  [{ isTTY: true, columns: 120 }, 120, true],
  [{ isTTY: true, columns: 150 }, 120, true],
  [{ isTTY: false, columns: 150 }, 100, false],
  [{}, 100, false],
])('a page on %j is %i wide, and coloured: %s', async (stream, width, isColoured) => {
  const style = await pageStyle(stream as never, { env: {} })
  expect([style.width, style.paint('good', 'x') !== 'x']).toEqual([width, isColoured])
})
