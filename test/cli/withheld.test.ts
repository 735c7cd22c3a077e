import { expect, test } from 'vitest'
import { commandsOf, loadProgram } from '../../src/cli/catalogue.ts'
import { findRoute } from '../../src/cli/route.ts'
import { withholdMisplaced } from '../../src/misplaced.ts'
import { withheld } from '../../src/withheld.ts'
import type { Word } from '../../src/cli/words.ts'
import { accepts } from '../../src/cli/words.ts'
import { parseLine } from '../../src/cli/parse.ts'
import { TugError } from '../../src/core/errors.ts'
import { createRedactor } from '../../src/output/redact.ts'
import { tree, version } from '../../src/commands/index.ts'
import { flagName, paramsOf } from '../../src/core/param.ts'
import { scratchFolder } from '../support/folder.ts'
import { startDevServer } from '../support/dev.ts'
import { stoppedClock } from '../support/stopped-clock.ts'
import { shellWords, tug } from '../support/run.ts'

const planted = 'hunter-two-forever'

test.each([
  `kv put app/db password:${planted}`,
  `kv put app/db a=1 a=${planted}`,
  `kv rollback app/db password=${planted}`,
  `kv rollback app/db password:${planted}`,
  `kv rollback app/db p:${planted}`,
  `kv rollback app/db -- password=${planted}`,
  `kv rollback app/db 'password = ${planted}'`,
  `kv rollback app/db https://user:${planted}@host`,
  `kv get app/db --password=${planted}`,
  `kv get app/db --address user:${planted}@host`,
  `kv get app/db --address=http://user:${planted}@:host`,
  `status --address password=${planted}`,
  `kv get app/db --timeout https://user:${planted}@host`,
  `kv list app password=${planted}`,
  `kv nope password=${planted}`,
  `nope password=${planted}`,
  `job run f -var=password=${planted}`,
  `job run f --var password=${planted} --nope`,
  `job scale web app n=${planted}`,
  `job plan password:${planted} --address http://127.0.0.1:9`,
  `explorer query workspaces token=${planted}`,
  `profile set prod secrets.token=${planted}`,
  `profile set prod password=${planted}`,
  `profile set prod secrets.token_command:${planted}`,
  `profile set prod secrets.token_command=${planted} output=pretty`,
  `profile set prod secrets.address=https://user:${planted}@host`,
  `profile set prod secrets.address=ftp://user:${planted}@host`,
  `profile set password=${planted} output=pretty`,
])('a secret in the wrong place is not repeated: %s', async (line) => {
  for (const flags of ['', ' -o json']) {
    const { exit, stdout, stderr } = await tug(line.replace(/ -- |$/, (end) => `${flags}${end}`))
    expect(exit, stderr).toBe(2)
    expect(stdout + stderr).not.toContain(planted)
  }
})

test.each(['TUG_SECRETS_ADDR', 'VAULT_ADDR'])('a password in %s is not repeated', async (name) => {
  for (const address of [`user:${planted}@host`, `ftp://user:${planted}@host`, `http://user:${planted}@:host`]) {
    const { exit, stdout, stderr } = await tug('kv get app/db', { env: { [name]: address } })
    expect(exit, stderr).toBe(2)
    expect(stdout + stderr).not.toContain(planted)
  }
})

test('what was mistyped in a known flag is named', async () => {
  expect((await tug('kv get app/db --version 3:latest')).stderr).toContain("'3:latest'")
  expect((await tug('kv put app/db x=1 --mount=a//b')).stderr).toContain('a//b')
  for (const file of ['C:name.hcl', 'folder:name.hcl'])
    for (const line of [`job plan ${file}`, `kv put a/b @${file}`])
      expect((await tug(`${line} --address http://127.0.0.1:9`)).stderr).toContain(`cannot read ${file}: `)
})

test.each(['TUG_SECRETS_TOKEN', 'NOMAD_TOKEN', 'TF_TOKEN_app_terraform_io'])(
  'a token in %s is not repeated by a command that does not read it',
  async (name) => {
    for (const line of [`profile list --profile ${planted} --nope`, `job plan ${planted}`, `status -p ${planted}`]) {
      const { stdout, stderr } = await tug(line, { env: { [name]: planted, TUG_SCHEDULER_ADDR: 'http://127.0.0.1:9' } })
      expect(stdout + stderr).not.toContain(planted)
    }
  },
)

test.each([
  ['output=pretty', "output: 'pretty'"],
  ['secrets.address=vault.example.com', "'vault.example.com'"],
  ['SECRETS.ADDR=vault.example.com', "'vault.example.com'"],
  ['scheduler.timeout=fortnight', 'fortnight'],
  ['dialect=kubernetes', "'kubernetes'"],
])("what was mistyped in a profile's setting is named: %s", async (assignment, words) => {
  for (const flags of [[], ['-o', 'json']])
    expect((await tug(['profile', 'set', 'prod', assignment, ...flags])).stderr).toContain(words)
})

test.each([String.raw`C:\jobs\web.nomad`, 'd:/jobs/web.nomad'])('%s is the path of a file, and no secret', (path) => {
  const line: Word[] = [{ at: 0, text: path, role: 'argument' }]
  const place = { flags: {}, names: new Set<number>(), isMember: () => false }
  const redactor = createRedactor()
  withholdMisplaced({ line, place } as never, redactor)
  expect(redactor.redact(path)).toBe(path)
})

const jwt = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"sub":"x"}').toString('base64url')}.c2ln`

/** Never repeated, wherever they are typed. */
const knownTokens: readonly string[] = [
  'hvs.CAESIJplantedplanted',
  'hvb.AAAAAQJplantedplanted',
  'ghp_0123456789plantedplanted',
  jwt,
  'plantedplanted12.atlasv1.planted',
]

/** Never repeated where they are in the wrong place. */
const likeTokens = [
  's.planted0planted0planted0',
  'b.planted0planted0',
  '5b2e91c4-0000-4000-8000-0123456789ab',
  'Xk29planted8fjw20dkz',
]

/** Forms of a word with a token. */
const forms = [(token: string) => token, (token: string) => `password=${token}`, (token: string) => `password:${token}`]

const commands = (await loadProgram(tree, version)).entries.flatMap(commandsOf)

const typed = 'TYPED'

/** Lines of a command with `TYPED` in every place; the flags of all commands are tried with one. */
async function linesOf(path: string): Promise<string[][]> {
  const [, command] = commands.find(([words]) => words === path) as (typeof commands)[number]
  const [example = path] = command.examples.map(({ line }) => line.split(/ [|&] | -- /)[0])
  // The local server would start.
  const argv = path === 'dev' ? ['dev', '--fault', 'nope'] : shellWords(example.slice(example.indexOf(path)))
  const { line } = await findRoute(argv, tree)
  const group = tree.groupParams[path.split(' ')[0] as string] ?? {}
  const shared = path === 'status' ? tree.globals : {}
  const flags = paramsOf({ ...shared, ...group, ...command.params }, 'flag').map(([key]) => flagName(key))
  return [
    ...line.filter(({ role }) => role === 'argument').map(({ at }) => argv.with(at, typed)),
    ...flags.flatMap((flag) => [
      [...argv, `${flag}=${typed}`],
      [...argv, flag, typed],
    ]),
    [...argv, typed],
    [...argv, '--', typed],
    [...argv, '--nope', typed],
    [...argv, `--nope=${typed}`],
    [...argv, '--token', typed],
    [...argv, `-token=${typed}`],
    [...argv, '--token-file=', typed],
    [typed, ...argv],
    [...path.split(' ').slice(0, -1), typed],
  ]
}

/** False where the token is what a param takes, such as the path of a secret. */
async function isMisplaced(argv: readonly string[], token: string): Promise<boolean> {
  const { line } = await findRoute(argv, tree)
  return line.some(
    ({ text, value = '', param, fault }) =>
      text.includes(token) && (param === undefined || fault !== undefined || !accepts(param, value) || value !== token),
  )
}

/** The error of a line before anything is read, as it is printed. */
async function refusal(argv: readonly string[]): Promise<string> {
  const route = await findRoute(argv, tree)
  const command = route.target?.kind === 'command' ? route.target : undefined
  const error: unknown =
    route.problem ??
    (await (command && parseLine(command, route))?.then(
      () => undefined,
      (failure: unknown) => failure,
    ))
  if (!(error instanceof TugError)) return ''
  const redactor = createRedactor()
  for (const text of withheld(route, { env: {}, platform: 'linux' })) redactor.add(text, 'credential')
  withholdMisplaced(route, redactor)
  return redactor.redact([error.message, ...error.hints].join('\n'))
}

const put = (argv: readonly string[], text: string) => argv.map((word) => word.replace(typed, () => text))

test.each(commands.map(([path]) => path))('no token in a wrong place is repeated: tug %s', async (path) => {
  const lines = await linesOf(path)
  const repeated: string[] = []
  let refusals = 0
  for (const [index, token] of [...knownTokens, ...likeTokens].entries()) {
    for (const form of index % 4 === 0 ? forms : forms.slice(0, 1)) {
      for (const argv of lines.map((line) => put(line, form(token)))) {
        const printed = await refusal(argv)
        if (printed !== '') refusals += 1
        if (!printed.includes(token)) continue
        if (knownTokens.includes(token) || (await isMisplaced(argv, token))) repeated.push(printed)
      }
    }
  }
  expect(repeated).toEqual([])
  expect(refusals).toBeGreaterThan(60)
})

test('nor by the whole program, in text, JSON and annotations of GitHub', async () => {
  const folder = scratchFolder()
  const tokens = [...knownTokens, ...likeTokens]
  const lines = (await Promise.all(commands.map(([path]) => linesOf(path)))).flat()
  const repeated: string[] = []
  let refusals = 0
  for (const [index, line] of lines.entries()) {
    const token = tokens[index % tokens.length] as string
    const argv = put(line, (forms[index % forms.length] as (typeof forms)[number])(token))
    const env = { GITHUB_ACTIONS: 'true', TUG_CONFIG_DIR: folder, TUG_OUTPUT: index % 2 === 0 ? 'json' : 'table' }
    const { exit, stdout, stderr } = await tug(argv, { env, cwd: folder })
    if (exit === 0) continue
    refusals += 1
    // The runner doesn't print a mask.
    const printed = stdout + stderr.replaceAll(/^::add-mask::.*$/gm, '')
    if (!printed.includes(token)) continue
    if (knownTokens.includes(token) || (exit === 2 && (await isMisplaced(argv, token))))
      repeated.push(`${argv.join(' ')}\n${printed}`)
  }
  expect(repeated).toEqual([])
  expect(refusals).toBeGreaterThan(1000)
}, 120_000)

test.each([
  ['kv delete app/db app/TOKEN --yes', 10],
  ['job stop web p=TOKEN --yes', 10],
  ['job wait web TOKEN --wait-timeout 1m', 10],
])('nor as the name of what failed, among others: %s', async (line, code) => {
  const server = await startDevServer({ clock: stoppedClock })
  const own = server.env[line.startsWith('kv') ? 'TUG_SECRETS_TOKEN' : 'TUG_SCHEDULER_TOKEN'] as string
  for (const format of ['table', 'json', 'ndjson'])
    for (const token of [...knownTokens, own]) {
      const argv = shellWords(line).map((word) => word.replace('TOKEN', token))
      const { exit, stdout, stderr } = await tug([...argv, '-o', format], { env: server.env })
      expect(exit).toBe(code)
      expect(stdout + stderr).not.toContain(token)
    }
})
