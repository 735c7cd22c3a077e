import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { program, start } from '../../support/process.ts'
import type { Machine } from '../../support/run.ts'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { mentions, says, told } from '../../support/told.ts'

/** A store, a runtime folder, and editors made of shell lines (`$1` is the file). */
async function desk() {
  const { env } = await startDevServer()
  const folder = mkdtempSync(join(tmpdir(), 'tug-test-'))
  const base: Record<string, string | undefined> = {
    ...env,
    PATH: process.env['PATH'],
    XDG_RUNTIME_DIR: folder,
    OUT: join(folder, 'out'),
  }
  const run = (line: string, machine: Machine = {}) => tug(line, { env: base, cwd: folder, ...machine })
  const edit = (script: string, line = 'kv edit app/db', more: Readonly<Record<string, string>> = {}) => {
    const editor = join(folder, 'editor')
    writeFileSync(editor, `#!/bin/sh\n${script}\n`)
    chmodSync(editor, 0o755)
    return run(line, { env: { ...base, EDITOR: editor, ...more } })
  }
  const left = () => readdirSync(folder).filter((name) => name.startsWith('tug-edit-'))
  return { env: base, folder, run, edit, left, out: () => readFileSync(join(folder, 'out'), 'utf8') }
}

test('an edit is written on top of the version that was read, and the file is removed', async () => {
  const { edit, run, left, out } = await desk()
  const { exit, stderr } = await edit(
    'cp "$1" "$OUT"; stat -c %a "$1" >> "$OUT"; sed -i "s/^host:.*/host: db2/; /^user/d" "$1"; echo "extra: 1.50" >> "$1"',
  )
  expect(stderr).toBe('app/db 4 → 5   added: extra   changed: host   removed: user   kept: password, port\n')
  expect(exit).toBe(0)
  expect(out()).toMatch(/^# secret\/app\/db, version 4\. .*/)
  expect(out()).toContain('password: demo-password-4\nport: 5432\n')
  expect(out()).toMatch(/600\n$/)
  expect(left()).toEqual([])
  expect((await run('kv get app/db -o json --query data')).stdout).toBe(
    '{"extra":1.5,"host":"db2","password":"demo-password-4","port":5432}\n',
  )
})

test('JSON works too, and $VISUAL overrides $EDITOR', async () => {
  const { edit, run, folder } = await desk()
  writeFileSync(join(folder, 'visual'), '#!/bin/sh\nprintf \'{"a":{"b":[1]}}\' > "$1"\n')
  chmodSync(join(folder, 'visual'), 0o755)
  expect((await edit('exit 9', 'kv edit new/one', { VISUAL: join(folder, 'visual') })).exit).toBe(0)
  expect((await run('kv get new/one --field a')).stdout).toBe('{"b":[1]}')
})

test('an unchanged or empty file, and an editor that fails, write nothing and leave nothing', async () => {
  const { edit, run, left } = await desk()
  for (const [script, exit] of [
    ['true', 0],
    [': > "$1"', 0],
    ['echo "# only a comment" > "$1"', 0],
    ['exit 3', 1],
  ] as const) {
    const outcome = await edit(script)
    expect(outcome.exit, script).toBe(exit)
  }
  expect((await edit('true', 'kv edit nosuch/one')).stderr).toMatch(told('nosuch/one: …\n'))
  expect((await run('kv history app/db -o json --query length(@)')).stdout).toBe('4\n')
  expect(left()).toEqual([])
})

test.each([
  [
    'a write',
    'POST',
    { exit: 5, facts: '… version 5, not 4; …', more: ['tug kv diff app/db --from 4 --to 5'], cas: 5 },
  ],
  [
    'a delete',
    'DELETE',
    { exit: 3, facts: '… (4) was deleted …', more: ['tug kv undelete app/db --versions 4'], cas: 4 },
  ],
])(
  'after a concurrent change, the text is kept in a private file that the message names: %s',
  async (_, method, then) => {
    const { edit, run, left, env, folder } = await desk()
    writeFileSync(
      join(folder, 'race.mjs'),
      `await fetch(process.env.TUG_SECRETS_ADDR + '/v1/secret/data/app/db', { method: '${method}', headers: { 'X-Secrets-Token': '${String(env['TUG_SECRETS_TOKEN'])}' }${method === 'POST' ? `, body: '{"data":{"theirs":"1"}}'` : ''} })`,
    )
    const { exit, stderr } = await edit(
      `${process.execPath} "${join(folder, 'race.mjs')}"; echo 'mine: my-own-new-value' >> "$1"`,
    )
    expect(exit).toBe(then.exit)
    expect(stderr).toMatch(mentions(then.facts))
    const file = /your text is in (\S+)/.exec(stderr)?.[1] ?? ''
    expect(readFileSync(file, 'utf8')).toContain('mine: my-own-new-value')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    for (const line of then.more) expect(stderr).toContain(line)
    expect(stderr).not.toContain('my-own-new-value')
    expect(left()).toHaveLength(1)
    const line = `kv put app/db @${file} --cas ${then.cas}`
    expect(stderr).toContain(`tug ${line}\n`)
    expect((await run(line)).exit).toBe(0)
  },
)

test.each([
  ['app/db', 4],
  ['team/new-one', 0],
])("a text that isn't a map is kept too: %s", async (path, version) => {
  const { edit, left } = await desk()
  const { exit, stderr } = await edit(`printf 'a: "my-unclosed-value\\n' > "$1"`, `kv edit ${path}`)
  expect(exit).toBe(2)
  expect(stderr).toContain(`--cas ${version}\n`)
  expect(stderr).toContain('cannot be read as YAML')
  expect(stderr).toMatch(/ \S*tug-edit-/)
  expect(stderr).not.toContain('my-unclosed-value')
  expect(left()).toHaveLength(1)
})

test('nothing is opened without an editor, for a deleted secret, or if nothing may be written', async () => {
  const { run, edit, out } = await desk()
  expect((await run('kv edit app/db')).exit).toBe(2)
  expect((await edit('echo opened > "$OUT"', 'kv edit app/db --read-only')).exit).toBe(2)
  expect((await edit('echo opened > "$OUT"', 'kv edit team/payments/old-gateway')).exit).toBe(3)
  expect(() => out()).toThrow('ENOENT')
})

test('a command gets the keys as variables and none of the tokens', async () => {
  const { run, out, env } = await desk()
  const { exit } = await run(
    `kv exec app/db -- sh -c 'echo "$host $port [$TUG_SECRETS_TOKEN$TUG_EXPLORER_TOKEN$TUG_SCHEDULER_TOKEN] $TUG_SECRETS_ADDR" > "$OUT"; exit 7'`,
  )
  expect(exit).toBe(7)
  expect(out()).toBe(`db.app.internal 5432 [] ${String(env['TUG_SECRETS_ADDR'])}\n`)
  await run(`kv exec app/features --upper --prefix X_ -- sh -c 'echo "$X_REGIONS" > "$OUT"'`)
  expect(out()).toBe('["north","south"]\n')
  expect((await run(`kv exec app/db -- sh -c 'kill -TERM $$'`)).exit).toBe(143)
})

test('a command is not run without its secret or with invalid names', async () => {
  const { run, folder } = await desk()
  expect((await run('kv exec nope -- touch ran')).exit).toBe(3)
  expect((await run('kv exec app/db -- no-such-command-at-all')).exit).toBe(2)
  expect((await run('kv exec app/db touch ran')).exit).toBe(2)
  expect(existsSync(join(folder, 'ran'))).toBe(false)
})

test('keys that would become the same variable or an invalid one are refused', async () => {
  const { run } = await desk()
  const cases = [
    ['{"a-b":"1","a_b":"2"}', '--upper', 'two keys … A_B'],
    ['{"a=b":"1"}', '', "key 'a=b' …"],
    ['{"a":"x\\u0000y"}', '', "'a' … NUL"],
  ] as const
  for (const [stdin, flags, reason] of cases) {
    await run('kv put bad -', { stdin })
    const { exit, stderr } = await run(`kv exec bad ${flags} -- true`)
    expect(stderr).toMatch(mentions(reason))
    expect(exit).toBe(2)
  }
})

test("an edited file that isn't UTF-8 is kept and not written; a removed one is reported", async () => {
  const { edit, run, left } = await desk()
  const broken = await edit(`printf 'a: caf\\351\\n' > "$1"`)
  expect(broken.stderr).toMatch(mentions('… text'))
  expect(broken.stderr).toMatch(/ \S*tug-edit-/)
  expect(broken.exit).toBe(2)
  expect(left()).toHaveLength(1)
  const gone = await edit('rm "$1"')
  expect(gone.stderr).toMatch(told('tug: … editor … no file; …\n'))
  expect(gone.exit).toBe(1)
  expect((await run('kv history app/db -o json --query length(@)')).stdout).toBe('4\n')
})

test.each([
  ['exit 3', 1],
  ['kill -TERM $$', 143],
  ['kill -KILL $$', 1],
])('an edited text is kept where the editor ends by %s', async (end, exit) => {
  const { edit, left, folder, run } = await desk()
  const outcome = await edit(`printf 'a: edited\\n' > "$1"; ${end}`)
  expect(outcome.exit).toBe(exit)
  const [kept = ''] = left()
  const file = join(folder, kept, readdirSync(join(folder, kept))[0] ?? '')
  expect(readFileSync(file, 'utf8')).toBe('a: edited\n')
  expect(outcome.stderr).toContain(`tug kv put app/db @${file} --cas 4`)
  expect((await run('kv get app/db --field host')).exit).toBe(0)
})

test("an editor killed by a signal has the signal's exit code", async () => {
  const { edit, left } = await desk()
  for (const [signal, exit] of [
    ['HUP', 129],
    ['INT', 130],
    ['TERM', 143],
    ['KILL', 1],
  ] as const) {
    const outcome = await edit(`kill -${signal} $$`)
    expect(outcome.exit, signal).toBe(exit)
    expect(outcome.stderr).toMatch(/ written\b/)
  }
  expect(left()).toEqual([])
})

test('a signal between the editor and the write keeps the text, and says where', async () => {
  const { env, run, left } = await desk()
  const signals = new Map<string, () => void>()
  // The warning about digits is printed when the editor has ended.
  const machine = {
    env: { ...env, EDITOR: 'sh -c \'echo "n: 12345678901234567890" > "$0"\'' },
    signals,
    onWrite: (_: string, text: string) => text.startsWith('warning: n: ') && signals.get('SIGTERM')?.(),
  }
  const { exit, stderr } = await run('kv edit app/db', machine)
  expect(exit).toBe(143)
  expect(stderr).toMatch(mentions('tug: interrupted\nhint: … '))
  expect(stderr).toContain(left()[0])
})

test('a missing runtime folder is not needed', async () => {
  const { edit } = await desk()
  const { exit, stderr } = await edit('echo "extra: 1" >> "$1"', 'kv edit app/db', { XDG_RUNTIME_DIR: '/nonexistent' })
  expect(stderr).toContain('added: extra')
  expect(exit).toBe(0)
})

test('without a folder for temporary files no editor is started', async () => {
  const { edit } = await desk()
  vi.stubEnv('TMPDIR', '/nonexistent/tmp')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { exit, stderr } = await edit('true', 'kv edit app/db', { XDG_RUNTIME_DIR: 'relative' })
  expect({ exit, stderr }).toEqual({
    exit: 1,
    stderr: says('tug: … /nonexistent/tmp\n'),
  })
})

test('an edit interrupted during the write says where the text is', async () => {
  const { env: base, folder } = await desk()
  const signals = new Map<string, () => void>()
  const { env } = await serve((request, response) => {
    if (request.method === 'POST') signals.get('SIGINT')?.()
    else
      json(response, 200, '{"data":{"data":{"a":"1"},"metadata":{"version":3,"deletion_time":"","destroyed":false}}}')
  })
  const { exit, stderr } = await tug('kv edit app/db', {
    env: { ...base, ...env, EDITOR: 'echo "mine: my-own-new-value" >>' },
    cwd: folder,
    signals,
  })
  expect(exit).toBe(130)
  expect(stderr).toContain('was under way and may have taken effect')
  expect(readFileSync(/your text is in (\S+)/.exec(stderr)?.[1] ?? '', 'utf8')).toContain('mine: my-own-new-value')
})

test('commands and editors get none of the tokens that tug reads, unless they are to be kept', async () => {
  const { run, edit, out, env } = await desk()
  const tokens = {
    VAULT_TOKEN: 'tok-vault',
    BAO_TOKEN: 'tok-bao',
    NOMAD_TOKEN: 'tok-nomad',
    TFE_TOKEN: 'tok-tfe',
    TF_TOKEN_app_terraform_io: 'tok-tf',
    TUG_EXPLORER_TOKEN: 'tok-explorer',
  }
  const machine = { env: { ...env, ...tokens, NOMAD_ADDR: 'http://nomad' } }
  expect((await run(`kv exec app/db -- sh -c 'env > "$OUT"'`, machine)).exit).toBe(0)
  expect(out()).not.toContain('tok-')
  expect(out()).toContain('NOMAD_ADDR=http://nomad')
  await run(`kv exec app/db --keep-tokens -- sh -c 'env > "$OUT"'`, machine)
  for (const [name, value] of Object.entries(tokens)) expect(out()).toContain(`${name}=${value}`)
  await edit('env > "$OUT"', 'kv edit app/db', tokens)
  expect(out()).not.toContain('tok-')
  await edit('env > "$OUT"', 'kv edit app/db --keep-tokens', tokens)
  expect(out()).toContain('TFE_TOKEN=tok-tfe')
})

test.each([
  ['app/db', 'app-db.yaml'],
  ['team/a b/ü.x_y', 'team-a-b-.x_y.yaml'],
  [`${'a'.repeat(40)}/${'b'.repeat(40)}`, `${'a'.repeat(19)}-${'b'.repeat(40)}.yaml`],
])('the file of %s is called %s', async (path, name) => {
  const { env, folder, out } = await desk()
  const machine = { env: { ...env, EDITOR: 'basename > "$OUT"' }, cwd: folder }
  await tug(['kv', 'edit', path], machine)
  expect(out()).toBe(`${name}\n`)
})

test.skipIf(process.platform === 'win32')(
  'a file that could not be written completely is removed, and named',
  async () => {
    const { env, left, run } = await desk()
    await run(`kv put app/large k=${'x'.repeat(100_000)}`)
    // Files of at most some kilobytes, as on a full disk: the first bytes of the secret still fit.
    const { ended } = start(['-c', `ulimit -f 8; exec "${process.execPath}" "${program}" kv edit app/large`], {
      command: 'bash',
      env: { ...(env as Record<string, string>), EDITOR: 'true' },
    })
    const { status, stderr } = await ended
    expect([status, left()]).toEqual([1, []])
    expect(stderr).toContain('was removed')
  },
)
