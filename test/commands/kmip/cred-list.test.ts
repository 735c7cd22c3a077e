import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { hiddenClock } from '../../support/stopped-clock.ts'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { issue } from './credentials.ts'
import { mentions, told } from '../../support/told.ts'

const { certificate } = issue()
const serials = Array.from({ length: 100 }, (_, index) => `${10n ** 47n + BigInt(index)}`)

/** A role with a hundred certificates; `odd` overrides some answers. */
function role(odd: Readonly<Record<string, readonly [status: number, body: string]>> = {}) {
  return serve(({ url }, response) => {
    if (url.endsWith('list=true')) return json(response, 200, JSON.stringify({ data: { keys: serials } }))
    const serial = /serial_number=(\d+)/.exec(url)?.[1] ?? ''
    const [status, body] = odd[serial] ?? [200, JSON.stringify({ data: { certificate, serial_number: serial } })]
    json(response, status, body)
  })
}

test('a slow list says what it does', async () => {
  const waiting: (() => void)[] = []
  let written = ''
  let clock = 0
  const { env } = await serve(({ url }, response) => {
    const answer = JSON.stringify({ data: { certificate, serial_number: '1' } })
    if (url.includes('list=true')) json(response, 200, '{"data":{"keys":["1","2","3"]}}')
    else if (written.includes(' of 3')) json(response, 200, answer)
    else waiting.push(() => json(response, 200, answer))
  })
  const { stderr } = await tug('kmip cred list s r --details', {
    env: { ...env, TUG_ACCESSIBLE: '1' },
    terminals: { stderr: 80 },
    // A line is printed at most every five seconds.
    monotonic: () => (clock += 6000),
    onWrite: (stream, text) => {
      if (stream === 'stderr') written += text
      if (written.includes(' of 3')) for (const go of waiting.splice(0)) go()
    },
  })
  expect(stderr).toMatch(mentions('…: 0 of 3\n'))
})

test('each of a hundred certificates is looked up once and shown in list order', async () => {
  const { env, seen } = await role()
  const { exit, stdout, stderr } = await tug('kmip cred list s r --details -o name', { env })
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  expect(stdout.trim().split('\n')).toEqual(serials)
  expect(seen).toHaveLength(101)
})

test('failed lookups are named, the others are shown, and the exit code is 10', async () => {
  const [, denied = '', unreadable = ''] = serials
  const { env } = await role({
    [denied]: [403, '{"errors":["permission denied"]}'],
    [unreadable]: [200, '{"data":{"certificate":"odd"}}'],
  })
  for (const more of ['', '--expiring 9999d --exit-code']) {
    const { exit, stdout, stderr } = await tug(`kmip cred list s r --details -o json ${more}`, { env })
    expect(exit).toBe(10)
    expect(JSON.parse(stdout)).toHaveLength(98)
    expect(stderr).toMatch(told(`warning: ${denied}: permission denied\nwarning: ${unreadable}: …\n`))
  }
})

test('if every lookup fails alike, the exit code is that of the failure', async () => {
  const { env } = await role(Object.fromEntries(serials.map((serial) => [serial, [403, '{"errors":["x"]}']])))
  expect(await tug('kmip cred list s r --details -o json', { env })).toMatchObject({ exit: 4, stdout: '' })
})

test('a certificate revoked since the list was read is not a failure', async () => {
  const { env } = await role({ [serials[50] as string]: [404, '{"errors":[]}'] })
  const { exit, stdout, stderr } = await tug('kmip cred list s r --details -o name', { env })
  expect({ exit, stderr, count: stdout.trim().split('\n').length }).toEqual({ exit: 0, stderr: '', count: 99 })
})

test('Ctrl-C ends the lookups', async () => {
  const signals = new Map<string, () => void>()
  const { env, seen } = await serve(({ url }, response) => {
    if (url.endsWith('list=true')) return json(response, 200, JSON.stringify({ data: { keys: serials } }))
    return signals.get('SIGINT')?.()
  })
  expect(await tug('kmip cred list s r --details', { env, signals })).toMatchObject({ exit: 130, stdout: '' })
  expect(seen.length).toBeLessThan(20)
})

test.each([
  ['kmip cred list absent', 'no certificates in absent, or no such scope\n'],
  ['kmip cred list storage absent', 'no certificates in storage/absent, or no such role\n'],
  ['kmip cred list absent --expiring 30d', 'no certificates in absent, or no such scope\n'],
  ['kmip cred list storage absent --expiring 30d', 'no certificates in storage/absent, or no such role\n'],
  ['kmip cred list storage backup --expiring 1s', /^none of \d+ certificates expires within 1s\n$/],
])('%s says what an empty answer can mean', async (line, words) => {
  const { env } = await startDevServer({ clock: hiddenClock })
  const { exit, stderr } = await tug(line, { env, terminals: { stdout: 100 } })
  expect(exit).toBe(0)
  expect(stderr).toMatch(words)
})

test.each(['storage backup', 'storage', 'storage backup --details'])(
  'the column of the serial numbers has one name, whatever is listed: %s',
  async (args) => {
    const { env } = await startDevServer({ clock: hiddenClock })
    const { exit, stdout } = await tug(`kmip cred list ${args} -o csv --columns serial_number`, { env })
    expect({ exit, head: stdout.split('\n')[0] }).toEqual({ exit: 0, head: 'serial_number' })
  },
)

test('-o wide shows serial numbers as openssl does, too', async () => {
  const keys = ['10', '256', '65535', 'x']
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify({ data: { keys } })))
  const { stdout } = await tug('kmip cred list storage backup -o wide', { env })
  const rows = stdout.trim().split('\n').slice(1)
  expect(rows.map((row) => row.split(/ +/))).toEqual([['10', '0a'], ['256', '01:00'], ['65535', 'ff:ff'], ['x']])
})
