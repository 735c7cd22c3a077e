import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { otherTools } from '../../src/cli/other-tools.ts'
import { targetSpellings } from '../../src/core/shell.ts'
import { catalogue, environment, changesNothing, leftOut, runs, writeFiles } from '../faults/lines.ts'
import { sharedDevServer, startDevServer } from '../support/dev.ts'
import { scratchFolder } from '../support/folder.ts'
import { shellWords, tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'

/**
 * Every command line that `tug` suggests keeps the flags that chose the target: whoever pastes it meets the same server, with the
 * same profile, and the same place in it.
 */

const groups: Readonly<Record<string, string>> = { kv: '--mount', kmip: '--mount', explorer: '--org', job: '--region' }
const values: Readonly<Record<string, string>> = { '--mount': 'place', '--org': 'acme', '--region': 'eu' }

/** The flags of a line that a suggested command must have, too. */
function keptBy(suggested: string, typed: readonly (readonly [flag: string, value: string])[]) {
  const [group = ''] = suggested.split(' ')
  return typed.filter(([flag]) => !(flag in values) || groups[group] === flag)
}

const known = new RegExp(
  `(?<![\\w/-])tug (${[...catalogue.map(({ path }) => path), 'login', 'status', 'logout']
    .toSorted((one, other) => other.length - one.length)
    .join('|')})(?![\\w-])`,
  'g',
)

/** Commands that ask no service, or name the profile themselves. */
const offline = new Set(Object.keys(leftOut).filter((path) => !['status', 'logout'].includes(path)))

/** The command lines in a text, each up to the next one or the end of its line. */
function suggestionsIn(text: string): { path: string; line: string }[] {
  // What the local server is asked, and how a command is used, has no target.
  const lines = text.replaceAll(/tug dev -- tug .*|usage: tug .*/g, '').split('\n')
  return lines.flatMap((line) => {
    const found = [...line.matchAll(known)]
    return found.map((match, index) => ({
      path: match[1] as string,
      line: line.slice(match.index, found[index + 1]?.index),
    }))
  })
}

/** What is wrong with the suggestions of a run. */
function problemsOf(
  line: string,
  stderr: string,
  typed: readonly (readonly [flag: string, value: string])[],
): string[] {
  return suggestionsIn(stderr)
    .filter(({ path, line: one }) => !offline.has(path) && !one.includes(`tug ${path} --help`))
    .flatMap((one) => {
      const missing = keptBy(one.path, typed).filter(([flag, value]) => {
        // All namespaces, or another dialect, may be what is suggested.
        if (flag === '-n' && one.line.includes("-n '*'")) return false
        if (flag === '--dialect' && stderr.includes('--dialect auto,')) return false
        return !one.line.includes(`${flag} ${value}`) && !one.line.includes(`${flag}=${value}`)
      })
      return missing.map(([flag]) => `tug ${line}: ${flag} is not in: ${one.line}`)
    })
}

let suggested = 0

/** A function that runs lines in one new folder, and returns what is wrong with their suggestions. */
function checker() {
  const cwd = scratchFolder()
  writeFiles(cwd)
  mkdirSync(join(cwd, 'config'))
  const config = join(cwd, 'config', 'config.json')
  return async (line: string, env: Readonly<Record<string, string>>, flags: Readonly<Record<string, string>>) => {
    writeFileSync(config, '{"profiles":{"stage":{"output":"table"}}}', { mode: 0o600 })
    const [group = ''] = line.split(' ')
    const own = groups[group]
    const typed = Object.entries(flags).filter(([flag]) => !(flag in values) || flag === own)
    const outcome = await tug([...typed.flat(), ...shellWords(line)], {
      env: { ...env, TUG_CONFIG_DIR: join(cwd, 'config') },
      cwd,
    })
    suggested += suggestionsIn(outcome.stderr).length
    return problemsOf(line, outcome.stderr, typed)
  }
}

const answers: readonly (readonly [status: number, body: string])[] = [
  [401, '{"errors":["not allowed"]}'],
  [403, '{"errors":["permission denied"]}'],
  [403, 'Permission denied'],
  [404, '{"errors":[]}'],
  [404, '{"errors":["no handler for route \\"x\\""]}'],
  [500, 'job not found'],
  [400, '{"errors":["check-and-set parameter did not match the current version"]}'],
  [503, '{"errors":["Vault is sealed"]}'],
  [502, ''],
  [200, '{"data":{}}'],
  [200, '[]'],
]

test.each(runs)('tug %s, whatever goes wrong', async (_, line) => {
  let answer = answers[0] as (typeof answers)[number]
  const { origin } = await serve((_request, response) => json(response, ...answer))
  const place = { ...values, '-p': 'stage', '-n': 'team', '--address': origin, '--dialect': 'neutral' }
  const check = checker()
  const problems: string[] = []
  for (answer of answers) problems.push(...(await check(`${line} --retries 0`, environment(origin), place)))
  const { '--address': __, ...nowhere } = place
  const refused = { ...place, '--address': 'http://127.0.0.1:1' }
  problems.push(...(await check(line, environment('http://127.0.0.1:1'), refused)))
  problems.push(...(await check(line, {}, nowhere)), ...(await check(line, {}, place)))
  expect(problems.join('\n')).toBe('')
})

const shared = sharedDevServer()
const reads = new Set(catalogue.filter(changesNothing).map(({ path }) => path))

test.each(runs)('tug %s, with a local server that has data', async (path, line) => {
  const { env } = reads.has(path) ? shared() : await startDevServer()
  expect((await checker()(line, env, { '-p': 'stage', '--dialect': 'neutral' })).join('\n')).toBe('')
})

/** The others are in the lines above, or are not for `login`. */
const loginFlags = Object.values(targetSpellings).filter((flag) => !(flag in values) && flag !== '--token-file')

test.each([...loginFlags, '--insecure'])('a hint to log in keeps %s', async (flag) => {
  const given: Record<string, string> = { '-p': 'stage', '--dialect': 'neutral', '--address': 'http://127.0.0.1:1' }
  const typed = flag === '--insecure' ? flag : `${flag} ${given[flag] ?? 'place'}`
  const folder = scratchFolder()
  writeFileSync(join(folder, 'config.json'), '{"profiles":{"stage":{"output":"table"}}}', { mode: 0o600 })
  // There is no address, or no token for it.
  const { stderr } = await tug(`kv list ${typed}`, { env: { TUG_CONFIG_DIR: folder }, cwd: folder })
  expect(suggestionsIn(stderr).find(({ path }) => path === 'login')?.line).toMatch(
    new RegExp(`${typed.replaceAll('.', '\\.')}( |$)`),
  )
})

test('a hint keeps --token-file', async () => {
  const { origin } = await serve((_, response) => json(response, 404, '{"errors":[]}'))
  const { stderr } = await tug(`kv get app/db --token-file - --address ${origin}`, { stdin: 'token' })
  expect(suggestionsIn(stderr).map(({ line }) => line)).toEqual([expect.stringContaining('--token-file=-')])
})

test.each([
  ...otherTools.map(([where, words]) => {
    const [word = ''] = words.split(', ')
    if (!word.startsWith('-')) return `${where} ${word} name`.trim()
    const place = where === '' || where === 'job' ? 'job list' : where.replace(/ (?:export|import)$/, '$& one')
    return `${place} ${word.length === 2 ? word : `-${word}`} x`
  }),
  'kv get secret/app/db',
  'kv put secret/app/db a=b',
  'kv get app/db password',
  'kmip cred lookup storage backup',
  'kmip cred renew storage backup --out-dir x',
  'job apply',
  'job dispatch nightly rows.ndjson extra',
  'explorer usage providers',
  'explorer summary workspaces',
])('tug %s, which is not understood', async (line) => {
  const place = { ...values, '-p': 'stage', '-n': 'team', '--address': 'http://127.0.0.1:1', '--dialect': 'neutral' }
  expect((await checker()(line, {}, place)).join('\n')).toBe('')
})

test('profile set suggests to store a token where it was meant', async () => {
  const { stderr } = await tug('profile set stage secrets.token=x')
  expect(suggestionsIn(stderr).map(({ line }) => line)).toEqual(['tug login secrets -p stage'])
})

test('most commands suggest something', () => {
  expect(suggested).toBeGreaterThan(500)
})
