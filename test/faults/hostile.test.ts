import { expect, test } from 'vitest'
import { serveBetween } from '../support/between.ts'
import { startDevServer } from '../support/dev.ts'
import { scratchFolder } from '../support/folder.ts'
import type { Outcome } from '../support/run.ts'
import { tug } from '../support/run.ts'
import { runs, writeFiles } from './lines.ts'

/** Every command reads the local server's answers, with hostile text in every string that isn't needed to go on. */

const hostile = '\u001b]0;owned\u0007\u009b31m\u202e\n::stop-commands::x\n ##[group]y'

/** What commands look up or decide by; hostile text in it would end most of them early. */
const needed =
  /(?:id|type|status|state|time|date|at|index|version|serial_number|certificate|chain|key|ca_pem|duration|ttl)$/i

/** Those whose output is unchanged bytes: of a file of the service, of secrets as a file, of an action. */
const unchanged = ['explorer export', 'explorer views export', 'kv export', 'kmip ca', 'job action', 'kv exec']

function poisoned(value: unknown, key = '', added = hostile): unknown {
  if (typeof value === 'string') return needed.test(key) ? value : value + added
  if (Array.isArray(value)) return value.map((item) => poisoned(item, key, added))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, poisoned(member, name, added)]))
}

/** The local server behind a door that changes its answers, successes and failures. */
async function hostileServer(change: (value: unknown) => unknown = (value) => poisoned(value)) {
  return serveBetween((await startDevServer()).env, {
    change: ({ headers, body }) =>
      headers['content-type']?.includes('json') === true && body !== ''
        ? { body: JSON.stringify(change(JSON.parse(body))) }
        : {},
  })
}

/** Lines that control a terminal, or hold a command of the workflow that isn't ours. */
function faultsOf({ stdout, stderr }: Outcome): string[] {
  const lines = (stdout + stderr).split('\n').filter((line) => !/^::(?:add-mask|error title=tug[\w ]*)::/.test(line))
  return lines
    .filter((line) => /(?!\t)[\p{Cc}\p{Bidi_Control}]|^\s*::|##\[/u.test(line))
    .map((line) => JSON.stringify(line))
}

test.each(['table', 'json', 'md'])(
  "a server's text neither controls a terminal nor starts a workflow command, whatever the command: -o %s",
  async (format) => {
    const cwd = scratchFolder()
    writeFiles(cwd)
    const env = { ...(await hostileServer()), TUG_CONFIG_DIR: `${cwd}/config`, GITHUB_ACTIONS: 'true' }
    const faults: string[] = []
    let shown = 0
    for (const [path, line] of runs.filter(([name]) => !unchanged.includes(name))) {
      const outcome = await tug(`${line} -o ${format} --color never --retries 0`, {
        env,
        cwd,
        terminals: { stdout: 100 },
      })
      faults.push(...faultsOf(outcome).map((fault) => `${path}: ${fault}`))
      if (`${outcome.stdout}${outcome.stderr}`.includes('stop-commands')) shown += 1
    }
    expect(faults.join('\n')).toBe('')
    // Enough of the outcomes must have some of it.
    expect(shown).toBeGreaterThan(30)
  },
)

/** A line break and a hint of somebody else's behind every text, IDs and names included. */
function forged(value: unknown, key = ''): unknown {
  const isFixed = /(?:type|status|state|time|date|version|serial_number|certificate|chain|_pem|duration|ttl)$/i.test(
    key,
  )
  if (typeof value === 'string') return isFixed || value === '' ? value : `${value}\nhint: forged\r\ntug: forged\u2028`
  if (Array.isArray(value)) return value.map((item) => forged(item, key))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, forged(member, name)]))
}

/** Everything is changed, or only what commands don't look up. */
const forgers = {
  'every text': forged,
  'every text but IDs': (value: unknown) => poisoned(value, '', '\nhint: forged\r\ntug: forged\u2028'),
}

test.each([
  ['every text', 'table', forgers['every text']],
  ['every text', 'md', forgers['every text']],
  ['every text but IDs', 'table', forgers['every text but IDs']],
] as const)("a server's text never begins a line, whatever the command: %s, -o %s", async (_, format, forge) => {
  const cwd = scratchFolder()
  writeFiles(cwd)
  const env = { ...(await hostileServer((value) => forge(value))), TUG_CONFIG_DIR: `${cwd}/config` }
  const faults: string[] = []
  let shown = 0
  for (const [path, line] of runs.filter(([name]) => !unchanged.includes(name))) {
    const { stdout, stderr } = await tug(`${line} -o ${format} --retries 0`, { env, cwd, terminals: { stdout: 200 } })
    const isForged = /^(?:hint|tug): forged/
    // A card and a box show the lines of a value indented, and between bars.
    const lines = [...stdout.split('\n'), ...stderr.split('\n').map((text) => text.replace(/^\W+/, ''))]
    shown += lines.filter((text) => text.includes('forged')).length
    faults.push(...lines.filter((text) => isForged.test(text)).map((text) => `${path}: ${text}`))
  }
  expect(faults.join('\n')).toBe('')
  expect(shown).toBeGreaterThan(30)
})

/** Some of the texts replaced by a name that every object inherits, and such members added. */
function inherited(value: unknown, isNext: () => boolean): unknown {
  if (typeof value === 'string') return isNext() ? 'constructor' : value
  if (Array.isArray(value)) return value.map((item) => inherited(item, isNext))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, inherited(member, isNext)] as const)
  return Object.fromEntries(isNext() ? [...members, ['constructor', 1] as const] : members)
}

test.each([0, 1, 2, 3])(
  'a server can use names that every object inherits, whatever the command: each fifth, from the one at %i',
  async (first) => {
    const cwd = scratchFolder()
    writeFiles(cwd)
    let count = first
    const server = await hostileServer((value) => inherited(value, () => (count += 1) % 5 === 0))
    const env = { ...server, TUG_CONFIG_DIR: `${cwd}/config` }
    const faults: string[] = []
    for (const [path, line] of runs) {
      const wait = / --(?:wait|until)\b|^job (?:apply|restart|wait)\b/.test(line) ? ' --wait-timeout 1s' : ''
      const format = unchanged.includes(path) ? '' : ' -o tsv'
      const { stderr } = await tug(`${line}${wait}${format} --retries 0`, { env, cwd })
      if (/internal error/.test(stderr)) faults.push(`${line}: ${stderr}`)
    }
    expect(faults.join('\n')).toBe('')
  },
)

/** Every number and every moment of an answer replaced. */
function filled(value: unknown, number: number, moment: string): unknown {
  if (typeof value === 'number') return number
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT/.test(value) ? moment : value
  if (Array.isArray(value)) return value.map((item) => filled(item, number, moment))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member, number, moment)]))
}

test.each([
  [1e22, 'yesterday'],
  [2 ** 53 - 1, '+999999-01-01T00:00:00Z'],
  [-(2 ** 63), '0000-00-00T00:00:00Z'],
])('whatever the numbers and moments of an answer are, every command ends in order: %d, %j', async (number, moment) => {
  const cwd = scratchFolder()
  writeFiles(cwd)
  const server = await hostileServer((value) => filled(value, number, moment))
  const env = { ...server, TUG_CONFIG_DIR: `${cwd}/config` }
  const faults: string[] = []
  for (const [path, line] of runs) {
    const wait = / --(?:wait|until)\b|^job (?:apply|restart|wait)\b/.test(line) ? ' --wait-timeout 1s' : ''
    const format = unchanged.includes(path) ? '' : ' -o wide'
    const { stderr } = await tug(`${line}${wait}${format} --retries 0`, { env, cwd, terminals: { stdout: 100 } })
    if (/internal error/.test(stderr)) faults.push(`${line}: ${stderr}`)
  }
  expect(faults.join('\n')).toBe('')
})
