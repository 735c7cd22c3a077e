import type { Io } from '../../../src/core/context.ts'
import { childEnvironment } from '../../../src/commands/kv/data/environment.ts'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { failure, tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { serveSecretsAt } from '../../support/secrets-at.ts'

async function secret(data: object) {
  const { env } = await startDevServer()
  const { exit, stderr } = await tug('kv put s -', { env, stdin: JSON.stringify(data) })
  expect(exit, stderr).toBe(0)
  return env
}

test.each([
  'LD_PRELOAD',
  'LD_AUDIT',
  'DYLD_INSERT_LIBRARIES',
  'NODE_OPTIONS',
  'BASH_ENV',
  'BASH_FUNC_ls%%',
  'ENV',
  'PYTHONSTARTUP',
  'PYTHONPATH',
  'PERL5OPT',
  'RUBYOPT',
  'JAVA_TOOL_OPTIONS',
  'GIT_SSH_COMMAND',
  'PATH',
  'IFS',
  'GIT_CONFIG_COUNT',
  'TUG_SECRETS_ADDR',
  'TUG_CONFIG_DIR',
  'NPM_CONFIG_SCRIPT_SHELL',
  'npm_config_userconfig',
  'HOME',
  'LUA_INIT_5_4',
])('a key %s is no variable of a command unless that is allowed', async (name) => {
  const env = await secret({ [name]: 'x', host: 'h' })
  const { exit, code, hint } = await failure('kv exec s -- true', { env })
  expect({ exit, code }).toEqual({ exit: 2, code: 'usage' })
  expect(hint).toContain('--allow-env')
  expect((await tug(`kv exec s --prefix APP_ --dry-run -- true`, { env })).exit).toBe(0)
})

test('--allow-env names each variable, and --upper makes a name one of them', async () => {
  const env = await secret({ path: '/data', LD_PRELOAD: 'x', IFS: ':' })
  expect((await failure('kv exec s --allow-env IFS -- true', { env })).hint).toContain('--allow-env LD_PRELOAD -- ')
  expect((await failure('kv exec s --upper --allow-env IFS --allow-env LD_PRELOAD -- true', { env })).exit).toBe(2)
})

test('a wrapped secret is its token alone in a pipe, and no deleted one', async () => {
  const env = await secret({ k: 'v' })
  const { exit, stdout } = await tug('kv get s --wrap-ttl 1m', { env })
  expect(exit).toBe(0)
  expect(stdout).toMatch(/^\S+\n$/)
  expect(JSON.parse((await tug('kv get s --wrap-ttl 1m -o json', { env })).stdout)).toMatchObject({ ttl: 60 })
  expect(await failure('kv get absent --wrap-ttl 1m', { env })).toMatchObject({ exit: 3, reason: 'no_secret' })
  await tug('kv delete s', { env })
  for (const line of ['kv get s --wrap-ttl 1m', 'kv get s --wrap-ttl 1m --version 1'])
    expect(await failure(line, { env })).toMatchObject({ exit: 3, reason: 'version_deleted', stdout: '' })
})

test.each(['dotenv', 'shell'])('an export as %s has the same values when a shell reads it', async (format) => {
  const values = {
    a: 'plain',
    b: "it's",
    c: 'back`tick`',
    d: '$HOME ${x} $(date)',
    e: String.raw`\ \n \\ \$`,
    f: '"quoted" \'both\' `$x` \\',
    g: 'two\nlines',
    h: '  blanks  ',
    i: '!history #comment',
    j: '',
    k: '~ * ? [a] {b,c}',
  }
  const env = await secret(values)
  const { stdout } = await tug(`kv export s --format ${format}`, { env })
  for (const [name, value] of Object.entries(values)) {
    const script = `${stdout}\nprintf %s "$${name}"`
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' }), name).toBe(value)
  }
})

test.each([
  [
    [
      'VAULT_TOKEN',
      'BAO_TOKEN',
      'NOMAD_TOKEN',
      'TFE_TOKEN',
      'TUG_SECRETS_TOKEN',
      'TF_TOKEN_app',
      'TF_TOKEN_',
      'VAULT_HEADERS',
      'TUG_SECRETS_HEADERS',
      'NOMAD_HTTP_AUTH',
    ],
    false,
  ],
  [['MY_VAULT_TOKEN', 'VAULT_TOKEN_FILE', 'X_TF_TOKEN_a', 'TF_TOKEN', 'TUG_TOKEN', 'VAULT_ADDR', 'TOKEN'], true],
])('a child gets %j: %s', (names, isPassed) => {
  const env = Object.fromEntries(names.map((name) => [name, 'x']))
  expect(childEnvironment({ io: { env, platform: 'linux' } as Io }, undefined)).toEqual(isPassed ? env : {})
  expect(childEnvironment({ io: { env, platform: 'linux' } as Io }, false)).toEqual(isPassed ? env : {})
  expect(childEnvironment({ io: { env, platform: 'linux' } as Io }, true)).toEqual(env)
})

const windows = { platform: 'win32', cwd: tmpdir() }

test.each(['node_options', 'Path', 'ComSpec', 'PSModulePath', 'Git_Config_Count', 'SystemRoot', 'Cor_Profiler'])(
  'on Windows a key %s is no variable of a command, unless --allow-env names it in any case',
  async (name) => {
    const env = await secret({ [name]: 'x', host: 'h' })
    expect(await failure('kv exec s -- true', { env, ...windows })).toMatchObject({ exit: 2, code: 'usage' })
    expect((await tug(`kv exec s --allow-env ${name.toUpperCase()} --dry-run -- true`, { env, ...windows })).exit).toBe(
      0,
    )
  },
)

test.each([
  ['win32', 2],
  ['linux', 0],
])('two keys that differ in case only: on %s the exit status is %i', async (platform, exit) => {
  const env = await secret({ User: 'a', USER: 'b' })
  expect(
    (await tug(['kv', 'exec', 's', '--', process.execPath, '-e', ''], { env, platform, cwd: tmpdir() })).exit,
  ).toBe(exit)
})

test('on Windows a key takes the place of a variable that differs in case, and tokens are removed in any case', async () => {
  const env = await secret({ username: 'of the secret', Os: 'too' })
  const show = `const { env } = process
    process.exit(env.username === 'of the secret' && env.Os === 'too' && env.Lang === 'C'
      && !('USERNAME' in env) && !('OS' in env) && !('vault_token' in env) ? 0 : 9)`
  const machine = {
    env: { ...env, USERNAME: 'of the machine', OS: 'Windows_NT', vault_token: 't', Lang: 'C' },
    ...windows,
  }
  expect((await tug(['kv', 'exec', 's', '--', process.execPath, '-e', show], machine)).exit).toBe(0)
})

test('of several secrets the later ones win, and what they override is named', async () => {
  const { env } = await serveSecretsAt({
    a: [{ data: { host: 'a', port: 1 } }],
    b: [{ data: { host: 'b' } }],
    'c/d': [{ data: { HOST: 'c' } }],
  })
  const show = `-- sh -c 'printf %s "$host $port $HOST" > "$OUT"'`
  const cwd = scratchFolder()
  const out = join(cwd, 'out')
  const run = (line: string) => tug(`kv exec ${line}`, { cwd, env: { ...env, PATH: process.env['PATH'], OUT: out } })
  const { exit, stderr } = await run(`a b c/d ${show}`)
  expect([exit, readFileSync(out, 'utf8')]).toEqual([0, 'b 1 c'])
  expect(stderr).toBe('host: b overrides a\n')
  await run(`a b a ${show}`)
  expect(readFileSync(out, 'utf8')).toBe('a 1 ')
  expect((await run(`a c/d --upper ${show}`)).stderr).toBe('HOST: c/d overrides a\n')
  expect((await run(`a missing ${show}`)).exit).toBe(3)
  expect((await run(`a b --version 1 ${show}`)).exit).toBe(2)
})

test('a child gets a signal once and its exit code is passed on', async () => {
  const signals = new Map<string, () => void>()
  const { env, origin } = await serve((request, response) => {
    json(response, 200, '{"data":{"data":{"a":"1"},"metadata":{"version":1}}}')
    if (request.url === '/ready') signals.get('SIGINT')?.()
  })
  const script = `let n = 0; process.on('SIGINT', () => setTimeout(() => process.exit(40 + ++n), 50)); fetch('${origin}/ready')`
  const outcome = await tug(
    ['kv', 'exec', 'x', '--', process.execPath, '-e', `${script}; setInterval(() => 0, 1000)`],
    {
      env: { ...env, PATH: process.env['PATH'] },
      signals,
      cwd: '/',
    },
  )
  expect(outcome).toMatchObject({ exit: 41, stdout: '', stderr: '' })
})

/** What a child gets of these variables, from three secrets. */
async function ran(flags: string, names: readonly string[]) {
  const { env } = await startDevServer()
  const stdin = '{"db":{"host":"h1","password":"p1"},"cache":{"host":"h2"},"api":{"token":"t1"}}'
  await tug('kv import -', { env, stdin })
  const cwd = scratchFolder()
  const out = join(cwd, 'out')
  const script = names.map((name) => `printf "%s|" "$${name}"`).join('; ')
  const result = await tug(`kv exec ${flags} -- sh -c '{ ${script}; } > "$OUT"'`, {
    env: { ...env, PATH: process.env['PATH'], OUT: out },
    cwd,
  })
  return { ...result, values: () => readFileSync(out, 'utf8').split('|').slice(0, -1) }
}

test.each([
  ['db --env-prefix CACHE_=cache', ['host', 'CACHE_host'], ['h1', 'h2']],
  ['db cache --prefix X_ --env-prefix CACHE_=cache', ['X_host', 'CACHE_host'], ['h1', 'h2']],
  ['db --env-prefix A_=cache --env-prefix B_=cache --upper', ['A_HOST', 'B_HOST', 'HOST'], ['h2', 'h2', 'h1']],
  ['--env DB_PASS=db:password --env TOKEN=api:token', ['DB_PASS', 'TOKEN', 'host'], ['p1', 't1', '']],
  ['db cache', ['host'], ['h2']],
])('kv exec %s', async (flags, names, values) => {
  const { exit, stderr, values: found } = await ran(flags, names)
  expect([exit, stderr.includes('overrides')]).toEqual([0, flags === 'db cache'])
  expect(found()).toEqual(values)
})

test.each([
  ['db cache --no-doubles', 2, 'host: cache overrides db'],
  ['db --env host=cache:host --no-doubles', 2, 'host: cache overrides db'],
  ['--env X=db:nothing', 3, "no key 'nothing'"],
  ['--env X=db', 2, 'name=path:key'],
  ['--env-prefix db', 2, 'prefix=path'],
  ['--upper', 2, 'no secret is named'],
  ['db --env-prefix C_=cache --version 1', 2, 'one secret'],
])('kv exec %s is refused', async (flags, exit, words) => {
  const found = await ran(flags, ['host'])
  expect([found.exit, found.stderr]).toEqual([exit, expect.stringContaining(words)])
  expect(() => found.values()).toThrow()
})
