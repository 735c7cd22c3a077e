import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isSimpleTerminal, isYes } from '../../src/core/environment.ts'
import { fileText, isErrorList, withoutHeading, firstNames, readableBytes, wrap } from '../../src/core/words.ts'
import { exitCodes, exitMeanings, interrupted, TugError, usageError } from '../../src/core/errors.ts'
import { isSecretHeader, isTokenHeader, urlSecrets, withoutUrlSecrets } from '../../src/core/secret-names.ts'
import type { LineWord } from '../../src/core/shell.ts'
import { commandLine, quoteFor, setVariables, shellQuote, withoutFlag } from '../../src/core/shell.ts'

test.each([
  ['', "''"],
  ['a', 'a'],
  ['a_b@c%d+e=f:g,h.i/j-k', 'a_b@c%d+e=f:g,h.i/j-k'],
  ['a b', "'a b'"],
  ['a ', "'a '"],
  [' a', "' a'"],
  ['=ls', "'=ls'"],
  ['$a', "'$a'"],
  ['a*', "'a*'"],
  ["it's", String.raw`'it'\''s'`],
  ['é', "'é'"],
])('%j is quoted as %s', (word, quoted) => {
  expect(shellQuote(word)).toBe(quoted)
})

test('a file that is too large for a string is too large, not something else', () => {
  const bytes = Object.defineProperty(new Uint8Array(4), 'length', { value: 2 ** 30 })
  expect(() => fileText(bytes, 'a.json')).toThrow(/^a\.json is too large: 1\.1 GB/)
})

test('variables that mean no', () => {
  expect([undefined, '', '0', 'false', 'no', 'f', 'n', 'FALSE', 'No'].map(isYes)).toEqual(Array(9).fill(false))
  expect(['1', 'true', 'yes', 'x', '00'].map(isYes)).toEqual(Array(5).fill(true))
  expect(isSimpleTerminal({ TUG_ACCESSIBLE: '1' })).toBe(true)
  expect(isSimpleTerminal({ TUG_ACCESSIBLE: '0' })).toBe(false)
  expect(isSimpleTerminal({ TERM: 'dumb' })).toBe(true)
  expect(isSimpleTerminal({ TERM: 'xterm' })).toBe(false)
})

test.each([
  ['plain', 'plain', false],
  ['rpc error: plain', 'plain', false],
  ['said: rpc error: plain', 'said: rpc error: plain', false],
  ['rpc error: code = Unknown desc = plain', 'plain', false],
  ['1 error occurred:\n\t* one\n\n', 'one', true],
  ['2 errors occurred:\n\t* one\n\t* two\n\n', 'one; two', true],
  ['12 errors occurred:\n  * one', 'one', true],
  ['2 errors occurred:\n\t* one \na * b', 'one; a * b', true],
  ['rpc error: 1 error occurred:\n\t* one', 'one', true],
  ['1 error occurred:\n\t* 1 error occurred:\n\t* one', 'one', true],
  [
    '2 errors occurred:\n\t* 1 error occurred: in a line\n\t* in 2 errors occurred:',
    '1 error occurred: in a line; in 2 errors occurred:',
    true,
  ],
  ['1 error occurred:\n\n \t* one\n  * \n', 'one', true],
  [
    '1 error occurred:\n\t* Group a failed: 1 error occurred:\n\t* Task b failed: 1 error occurred:\n\t* one\n\n\n\n',
    'Group a failed: Task b failed: one',
    true,
  ],
  [
    '3 errors occurred:\n\t* one\n\t* Group a failed: 3 errors occurred:\n\t* two\n\t* Task b failed: 1 error occurred:\n\t* three\n\n\n\t* four\n\n\t* Group c failed: 1 error occurred:\n\t* five\n\n\n',
    'one; Group a failed (two; Task b failed: three; four); Group c failed: five',
    true,
  ],
  ['said: 1 error occurred:\n\t* one', 'said: 1 error occurred:\n\t* one', false],
])('%j is shown as %j', (words, shown, isList) => {
  expect(withoutHeading(words)).toBe(shown)
  expect(isErrorList(words)).toBe(isList)
})

test('headers of tokens, and other secret ones', () => {
  for (const name of ['Authorization', 'Proxy-Authorization', 'X-Secrets-Token', 'x-scheduler-token', 'X-Vault-Token'])
    expect([isTokenHeader(name), isSecretHeader(name)]).toEqual([true, true])
  for (const name of ['X-Nomad-Token', 'X-Consul-Token']) expect(isTokenHeader(name)).toBe(true)
  for (const name of ['My-Authorization', 'X-Vault-Token-2', 'X-Other-Token']) expect(isTokenHeader(name)).toBe(false)
  for (const name of ['Cookie', 'Set-Cookie', 'X-Other-Token', 'X-Secret', 'X-Password', 'X-Api-Key', 'apikey'])
    expect(isSecretHeader(name)).toBe(true)
  for (const name of [
    'X-Credential',
    'X-Signature',
    'X-Auth',
    'Auth-Info',
    'X-Auth-Info',
    'Auth',
    'X-Secrets-Other',
    'X-Secrets-Namespace-Id',
    'My-X-Secrets-Namespace',
  ])
    expect(isSecretHeader(name)).toBe(true)
  for (const name of [
    'X-Secrets-Namespace',
    'x-secrets-request',
    'X-Secrets-Wrap-TTL',
    'Author',
    'X-Authored',
    'Accept',
  ])
    expect(isSecretHeader(name)).toBe(false)
})

test('credentials of URLs are removed from a text', () => {
  expect(withoutUrlSecrets('a https://u:p@h/x and http://t@h')).toBe('a https://<redacted>@h/x and http://<redacted>@h')
  expect(withoutUrlSecrets('https://h/x?a=1&token=t#f')).toBe('https://h/x?a=1&token=<redacted>#f')
  expect(withoutUrlSecrets('https://h/a@b "https://h" x@y')).toBe('https://h/a@b "https://h" x@y')
})

test.each([
  ['https://u:p@h/x?a=1&token=t%201#f', ['p', 't%201']],
  ['http://u:@h http://:q@h', ['q']],
  ['a ?sshkey=k&X-Amz-Signature=s "?sig=g"', ['k', 's', 'g']],
  ['?design=x&sigma=y&token=', []],
])('the secrets of the URLs in %s are %j', (text, secrets) => {
  expect(urlSecrets(text)).toEqual(secrets)
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [9400, '9.4 kB'],
  [99_949, '99.9 kB'],
  [100_000, '100 kB'],
  [1_000_000, '1.0 MB'],
  [2_500_000_000, '2.5 GB'],
  [1e13, '10000 GB'],
])('%i bytes are %s', (bytes, text) => {
  expect(readableBytes(bytes)).toBe(text)
})

test('the first ten names of a question', () => {
  const names = 'abcdefghijk'.split('')
  expect(firstNames(names.slice(0, 10))).toBe('a, b, c, d, e, f, g, h, i, j')
  expect(firstNames(names)).toBe('a, b, c, d, e, f, g, h, i, j, …')
})

test.each([
  ['a bc d', 4, ['a bc', 'd']],
  ['a bc d', 3, ['a', 'bc', 'd']],
  ['abcdef g', 3, ['abcdef', 'g']],
  ['', 3, ['']],
])('%j in lines of %i', (text, width, lines) => {
  expect(wrap(text, width)).toEqual(lines)
})

test.each([
  [['-p', 'prod', '--mount', 'a b'], 'kv list', ['x y'], "tug kv list 'x y' -p prod --mount 'a b'"],
  [['-p', 'prod', '--mount', 'team'], 'kmip scope list', [], 'tug kmip scope list -p prod --mount team'],
  [['--mount', 'team', '-p', 'prod'], 'job list', [], 'tug job list -p prod'],
  [['--mount', 'team', '--org', 'acme'], 'explorer query', [], 'tug explorer query --org acme'],
  [['--org', 'acme', '--token-file', 't'], 'login explorer', [], 'tug login explorer --org acme'],
  [['--org', 'acme', '--region', 'eu'], 'login secrets', [], 'tug login secrets'],
  [['--region', 'eu', '--token-file', 't'], 'job get', ['web'], 'tug job get web --region eu --token-file t'],
  [['-n', '--mount', '-p', 'a'], 'job list', [], 'tug job list -n=--mount -p a'],
  [['-p', 'a'], 'job get', ['--address=x', ['--diffs']], 'tug job get --diffs -p a -- --address=x'],
  [[], 'job list', [['--prefix', '-p']], 'tug job list --prefix=-p'],
  [[], 'job run', ['-'], 'tug job run -'],
  [['--mount', 'm', '--org', 'o', '--region', 'r'], 'help kv job explorer', ['x'], 'tug help kv job explorer x'],
  [['-p', 'a'], 'kv exec app/db -- env', [], 'tug kv exec app/db -p a -- env'],
])('with %j, a hint of %s %j is the line %s', (targetFlags, words, args, line) => {
  expect(commandLine(targetFlags, words, ...(args as readonly LineWord[]))).toBe(line)
})

describe('on Windows', () => {
  beforeEach(() => quoteFor('win32', {}))
  afterEach(() => quoteFor('linux', {}))

  test.each([
    ['', '""'],
    ['a', 'a'],
    ['C:\\jobs\\web.nomad', 'C:\\jobs\\web.nomad'],
    ['--address=https://a', '--address=https://a'],
    ['-a.b', '"-a.b"'],
    ['--', '"--"'],
    ['a b', '"a b"'],
    ['C:\\my jobs\\', '"C:\\my jobs\\\\"'],
    ['@file', '"@file"'],
    ['a,b', '"a,b"'],
    ["it's", `"it's"`],
    ['$a', "'$a'"],
    ['50%', "'50%'"],
    ['it\'s "x"', "'it''s \"x\"'"],
  ])('%j is quoted as %s', (word, quoted) => expect(shellQuote(word)).toBe(quoted))

  test('lines are those of PowerShell, and those of a POSIX shell in Git Bash', () => {
    expect(commandLine(['-p', 'a'], 'kv exec x -- env')).toBe('tug kv exec x -p a "--" env')
    expect(setVariables({ A: "it's", B: '…' })).toBe("$env:A = 'it''s'; $env:B = '…'")
    quoteFor('win32', { MSYSTEM: 'MINGW64' })
    expect(commandLine(['-p', 'a'], 'kv exec x -- env')).toBe('tug kv exec x -p a -- env')
    expect(setVariables({ A: "it's", B: '…' })).toBe(String.raw`export A='it'\''s' B=…`)
  })
})

test('flags of the target without one of them', () => {
  expect(withoutFlag(['-p', 'a', '-n', 'b', '--org', 'c'], '-n')).toEqual(['-p', 'a', '--org', 'c'])
})

test('exit codes are what scripts rely on', () => {
  expect(exitCodes).toEqual({
    failed: 1,
    usage: 2,
    not_found: 3,
    not_allowed: 4,
    conflict: 5,
    invalid: 6,
    unreachable: 7,
    outcome_failed: 8,
    differences: 9,
    partial: 10,
    wait_timeout: 124,
    tug_failed: 125,
    hung_up: 129,
    interrupted: 130,
    closed_pipe: 141,
    terminated: 143,
  })
  expect(exitMeanings.flatMap(([code]) => code.split(', ').map(Number)).toSorted((a, b) => a - b)).toEqual([
    0,
    ...Object.values(exitCodes).toSorted((a, b) => a - b),
  ])
})

test('an error keeps its facts when it gets others', () => {
  const error = new TugError('conflict', 'a', { hints: ['h'], status: 409, reason: 'in_doubt' })
  expect(error.toRecord()).toEqual({
    code: 'conflict',
    reason: 'in_doubt',
    exit: 5,
    message: 'a',
    hint: 'h',
    status: 409,
    service: null,
    method: null,
    path: null,
    requestId: null,
  })
  const other = error.with({ message: 'b', service: 'secrets', method: 'GET', path: '/x', requestId: 'r', hints: [] })
  expect(other).toMatchObject({ code: 'conflict', reason: 'in_doubt', hints: [] })
  expect(other.toRecord()).toEqual({
    code: 'conflict',
    reason: 'in_doubt',
    exit: 5,
    message: 'b',
    hint: null,
    status: 409,
    service: 'secrets',
    method: 'GET',
    path: '/x',
    requestId: 'r',
  })
  expect([true, false].map((applied) => error.with({ applied }).toRecord()['applied'])).toEqual([true, undefined])
  expect(error.with({ code: 'failed', hints: ['1', '2'] }).toRecord()).toMatchObject({ exit: 1, hint: '1\n2' })
  expect(usageError('m', 'h')).toMatchObject({ name: 'TugError', exit: 2, message: 'm', hints: ['h'] })
  expect(interrupted()).toMatchObject({ exit: 130, message: 'interrupted', hints: [] })
})
