import { isWrite } from '../../src/core/request.ts'
import type { Outcome } from '../support/run.ts'
import type { Fault } from './kinds.ts'
import { catalogue, token } from './lines.ts'

/** True if the request is one of the command's writes. */
export function isWriteOf(path: string, { method, url }: { method: string; url: string }): boolean {
  const endpoints = catalogue.find((one) => one.path === path)?.command.endpoints ?? []
  const target = url.replace(/\?.*/, '')
  const match = endpoints.find(
    (one) =>
      one.method === method &&
      new RegExp(`^${one.path.replace('{path}', '.+').replace(/\{\w+\}/g, '[^/]+')}$`).test(target),
  )
  return isWrite(match ?? { method })
}

/** Commands with a write whose answer isn't specified: any success counts, whatever its body. */
const unspecified: readonly string[] = [
  ...['delete', 'undelete', 'destroy', 'config set'].map((name) => `kv ${name}`),
  ...['put', 'patch', 'delete'].map((name) => `kv metadata ${name}`),
  ...['config set', 'role set', 'cred revoke'].map((name) => `kmip ${name}`),
]

/** Bodies of successes that are of no endpoint's shape. */
const oddBodies: readonly string[] = [
  'an empty object',
  'another object',
  'an empty array',
  'null',
  'an array of null',
  'an array of numbers',
  'an array of empty objects',
  'a number',
  'a text',
  'JSON that is cut short',
  'deep JSON',
]

/** True for a success with such a body. */
function hasOddBody({ name }: Fault): boolean {
  return oddBodies.includes(name)
}

/** True if a command's write succeeds although its answer is odd. */
export function countsAsSuccess(path: string, fault: Fault): boolean {
  return unspecified.includes(path) && hasOddBody(fault)
}

/** Commands whose result is a row for each of their items, of one that failed too. */
const rowCommands = ['kv import', 'kv restore']

/** True if all that was shown are rows of items that failed. */
function isFailedRows(path: string, stdout: string): boolean {
  return rowCommands.includes(path) && /^(?:! \S.*\n)+$/.test(stdout)
}

/** What is wrong with an outcome, whatever the command: its exit code by the fault, what it says and what it shows. */
export function problemsOf(
  fault: Fault,
  { exit, stdout, stderr }: Outcome,
  expected: { path: string; writes: boolean; exit: number; streams?: boolean },
): string[] {
  const inDoubt = expected.writes && fault.doubt === true
  const claims: readonly (readonly [boolean, string])[] = [
    [exit !== expected.exit, `exit ${exit}, not ${expected.exit}`],
    [
      exit !== 0 && stdout !== '' && expected.streams !== true && !isFailedRows(expected.path, stdout),
      'stdout has something',
    ],
    [exit !== 0 && !/^tug: /m.test(stderr), 'no message'],
    [/internal error|this is a bug|^ +at /m.test(stderr), 'a bug'],
    [stderr.includes(token) || stdout.includes(token), 'the token is shown'],
    [inDoubt !== stderr.includes('the outcome is unknown'), inDoubt ? 'no doubt' : 'doubt without a reason'],
    [inDoubt && /nothing (?:new )?was/.test(stderr), 'a claim that nothing was done'],
    [/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(stderr), 'control characters'],
    [/^::(?!add-mask::|error title=tug[\w -]*::)/m.test(stderr), 'a workflow command'],
    [stderr.includes('::add-mask::<redacted>'), 'a mask of what is masked'],
  ]
  return claims.filter(([isBroken]) => isBroken).map(([, name]) => name)
}
