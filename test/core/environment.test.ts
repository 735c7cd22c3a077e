import { expect, test } from 'vitest'
import { cachePlace, isSimpleTerminal, isYes } from '../../src/core/environment.ts'

test.each<[Record<string, string>, string, string, [base: string, below: string] | undefined]>([
  [{ LOCALAPPDATA: '/c' }, '/home/ann', 'linux', ['/home/ann', '.cache/tug']],
  [{ XDG_CACHE_HOME: '/c' }, '/home/ann', 'linux', ['/c', 'tug']],
  [{ XDG_CACHE_HOME: '/c' }, '/Users/ann', 'darwin', ['/c', 'tug']],
  [{ XDG_CACHE_HOME: 'c' }, '/home/ann', 'linux', ['/home/ann', '.cache/tug']],
  [{ XDG_CACHE_HOME: '' }, '/home/ann', 'linux', ['/home/ann', '.cache/tug']],
  [{}, '/Users/ann', 'darwin', ['/Users/ann', 'Library/Caches/tug']],
  [{}, '', 'linux', undefined],
  [{}, 'ann', 'linux', undefined],
  [
    { LOCALAPPDATA: String.raw`D:\Local` },
    String.raw`C:\Users\ann`,
    'win32',
    [String.raw`D:\Local`, String.raw`tug\cache`],
  ],
  [
    { LOCALAPPDATA: 'Local' },
    String.raw`C:\Users\ann`,
    'win32',
    [String.raw`C:\Users\ann`, String.raw`AppData\Local\tug\cache`],
  ],
  [{ XDG_CACHE_HOME: '/c' }, '', 'win32', undefined],
])('the cache with %j, home %j on %s is in %j', (env, home, platform, expected) => {
  const place = cachePlace(env, home, platform)
  expect(place && [place.base, place.below]).toEqual(expected)
  // Only the folder that the XDG specification names is made.
  expect(place?.isCreated).toBe(expected && expected[0] === '/c')
})

test.each([
  [undefined, false],
  ['', false],
  ['0', false],
  ['False', false],
  ['no', false],
  ['1', true],
  ['yes', true],
])('%j as a boolean is %s', (text, expected) => {
  expect(isYes(text)).toBe(expected)
})

test.each([
  [{ TUG_ACCESSIBLE: '1' }, true],
  [{ TUG_ACCESSIBLE: '0', TERM: 'xterm' }, false],
  [{ TERM: 'dumb' }, true],
  [{}, false],
])('with %j a terminal is simple: %s', (env, expected) => {
  expect(isSimpleTerminal(env)).toBe(expected)
})
