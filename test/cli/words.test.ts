import { expect, test } from 'vitest'
import type { Word } from '../../src/cli/words.ts'
import { programFlags, readWords, withValues } from '../../src/cli/words.ts'
import type { Command } from '../../src/core/command.ts'
import type { Params } from '../../src/core/param.ts'
import { argument, flag, passThrough, path } from '../../src/core/param.ts'
import { shellWords } from '../support/run.ts'

const params: Params = {
  path: path.segments('the secret'),
  key: argument.text('a key'),
  version: flag.integer('which version', { min: 1 }),
  field: flag.text('a field', { short: 'f' }),
  output: flag.text('the format', { short: 'o' }),
  all: flag.boolean('everything', { short: 'a' }),
  quiet: flag.boolean('no messages', { short: 'q' }),
  yes: flag.boolean('no question', { short: 'y' }),
  noVerify: flag.boolean('no reads'),
  depth: flag.integer('levels'),
  hcl1: flag.boolean('the old form'),
}

function read(line: string, more: Params = {}, names: readonly number[] = []): string {
  const command = { params: { ...params, ...more } } as unknown as Command
  const flags = Object.fromEntries(
    Object.entries({ help: programFlags.help, ...command.params }).filter(([, { kind }]) => kind === 'flag'),
  )
  const isMember = (word: string) => word === 'get'
  return shown(readWords(shellWords(line), { command, flags, names: new Set(names), isMember }))
}

/** `flag field=x` for each word; a fault follows after `!`. */
function shown(words: readonly Word[]): string {
  return words
    .map(({ role, key, value, text, fault }) => {
      const named = key === undefined ? text : key + (value === undefined ? '' : `=${value}`)
      return `${role} ${named}${fault === undefined ? '' : ` !${fault}`}`
    })
    .join(', ')
}

test.each([
  ['--field x a', 'flag field, value field=x, argument path=a'],
  ['--field=x a', 'flag field=x, argument path=a'],
  ['-field=x a', 'flag field=x, argument path=a'],
  ['-field x a', 'flag field, value field=x, argument path=a'],
  ['-f=x a', 'flag field=x, argument path=a'],
  ['-f -x a', 'flag field, value field=-x, argument path=a'],
  ['--field=--all', 'flag field=--all'],
  ['--field= a', 'flag field=, argument path=a'],
  ['--field -- --all', 'flag field !valueless, dashes --, argument path=--all'],
  ['--field --all', 'flag field !valueless, flag all=true'],
  ['--field --help', 'flag field !valueless, flag help=true'],
  ['--field', 'flag field !valueless'],
  ['-ojson', 'flag output=json'],
  ['-oxml', 'flag -oxml !unknown'],
  ['-aq', 'flag all=true, flag quiet=true'],
  ['-af x', 'flag -af !unknown, value x'],
  ['-ah', 'flag -ah !unknown'],
  ['-hcl1', 'flag hcl1=true'],
  ['-yes', 'flag -yes !unknown'],
  ['--all=false', 'flag all=false'],
  ['--all=maybe', 'flag all=maybe !valued'],
  ['-q=true', 'flag -q=true !unknown'],
  ['--no-verify', 'flag noVerify=true'],
  ['--noVerify', 'flag --noVerify !unknown'],
  ['--recursive a', 'flag --recursive, argument path=a'],
  ['-r', 'flag -r'],
  ['--recursive=false', 'flag --recursive=false !unknown'],
  ['--nope x a', 'flag --nope !unknown, value x, argument path=a'],
  ['--nope get', 'flag --nope !unknown, argument path=get'],
  ['--nope --all', 'flag --nope !unknown, flag all=true'],
  ['--nope=x a', 'flag --nope=x !unknown, argument path=a'],
  ['--constructor', 'flag --constructor !unknown'],
  ['-1', 'flag -1 !unknown'],
  ['-', 'argument path=-'],
  ["''", 'argument path='],
  ['--=x', 'flag --=x !unknown'],
  ['a b', 'argument path=a, argument key=b'],
  ['a b 3', 'argument path=a, argument key=b, argument version=3'],
  ['a b 3 4', 'argument path=a, argument key=b, argument version=3, argument 4 !surplus'],
  ['a b more', 'argument path=a, argument key=b, argument more !surplus'],
  ['--versions 3 a', 'flag version, value version=3, argument path=a'],
  ['a -- --all -- b', 'argument path=a, dashes --, argument key=--all, argument -- !surplus, argument b !surplus'],
])('%s', (line, words) => {
  expect(read(line)).toBe(words)
})

test.each([
  ['a b c', 'argument path=a, argument to=b, argument more=c'],
  ['a --to b c', 'argument path=a, flag to, value to=b, argument more=c'],
  ['--to=b a c d', 'flag to=b, argument path=a, argument more=c, argument more=d'],
])('arguments get their params after all flags are read: %s', (line, words) => {
  const { path: first } = params
  const command = { params: { path: first, to: argument.text('the end'), more: argument.texts('more') } }
  const place = { command: command as unknown as Command, flags: {}, names: new Set<number>(), isMember: () => false }
  expect(shown(readWords(line.split(' '), place))).toBe(words)
})

test('names of a command are no arguments, and a flag before them takes none of them', () => {
  expect(read('kv --nope get --field x a', {}, [0, 2])).toBe(
    'name kv, flag --nope !unknown, name get, flag field, value field=x, argument path=a',
  )
  expect(read('--field get a', {}, [1])).toBe('flag field !valueless, name get, argument path=a')
})

test('what follows the dashes is passed on', () => {
  const words = { words: passThrough('the command') }
  expect(read('a --all -- env --all -x', words)).toBe(
    'argument path=a, flag all=true, dashes --, passed words=env, passed words=--all, passed words=-x',
  )
})

test('the words of a cluster have the place of their word', () => {
  const flags = { all: params['all'], quiet: params['quiet'] } as Params
  const place = { flags, names: new Set<number>(), isMember: () => false }
  expect(readWords(['x', '-aq', 'y'], place).map(({ at }) => at)).toEqual([0, 1, 1, 2])
})

test('-v is the version of the program only where --version is', () => {
  const at = (flags: Params) => shown(readWords(['-v'], { flags, names: new Set(), isMember: () => false }))
  expect(at(programFlags)).toBe('flag version=true')
  expect(at({ version: params['version'] as Params[string] })).toBe('flag -v !unknown')
})

test.each([
  ['a --field=x -q', { field: 'y' }, 'a --field y -q'],
  ['a -f x -q', { field: 'y' }, 'a --field y -q'],
  ['a -q', { field: 'y', all: 'true' }, 'a -q --field y --all'],
  ['a --field x -qa', { field: undefined }, 'a -qa'],
  ['a -f x -f y', { field: 'z' }, 'a --field z'],
  ['a -- b', { all: 'true' }, 'a --all -- b'],
])('%s with %o is %s', (line, changes, words) => {
  const command = { params } as unknown as Command
  const flags = Object.fromEntries(Object.entries(params).filter(([, { kind }]) => kind === 'flag'))
  const place = { command, flags, names: new Set<number>(), isMember: () => false }
  expect(withValues(readWords(line.split(' '), place), changes).join(' ')).toBe(words)
})
