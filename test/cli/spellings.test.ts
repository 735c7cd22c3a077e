import { expect, test } from 'vitest'
import { startDevServer } from '../support/dev.ts'
import { configured, tug } from '../support/run.ts'
import { stoppedClock } from '../support/stopped-clock.ts'
import { mentions, says, told } from '../support/told.ts'

const run = (line: string) => tug(line, { env: configured })

test.each([
  ['kv ls app', 'kv list app'],
  ['kv cat app/db', 'kv get app/db'],
  ['kv show app/db', 'kv get app/db'],
  ['kv rm app/db --no-verify', 'kv delete app/db --no-verify'],
  ['kmip scope ls', 'kmip scope list'],
  ['job inspect web', 'job get web'],
  ['job history web', 'job versions web'],
  ['explorer views ls', 'explorer views list'],
  ["explorer views show 'Modules by use'", "explorer views get 'Modules by use'"],
  ["explorer views rm 'Modules by use' -y", "explorer views delete 'Modules by use' -y"],
])('%s is %s', async (alias, line) => {
  const { env } = await startDevServer({ clock: stoppedClock })
  const meant = await tug(`${line} --dry-run`, { env })
  expect(meant.stdout).toContain('curl')
  expect(await tug(`${alias} --dry-run`, { env })).toEqual(meant)
})

test('kv history stays a command of its own', async () => {
  expect((await run('kv history app/db --dry-run')).stdout).toContain('/metadata/')
})

test.each(['version', '-v', '-V', '--version', '-version', '-q version'])('tug %s prints the version', async (line) => {
  expect((await run(line)).stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/)
})

test.each([
  ['kv help', 'kv --help'],
  ['kv help get', 'kv get --help'],
  ['explorer views help', 'explorer views --help'],
  ['help kv cat', 'kv get --help'],
  ['help kv metadata rm', 'kv metadata delete --help'],
])('%s is %s', async (line, meant) => {
  expect(await run(line)).toEqual(await run(meant))
})

test('help names the aliases', async () => {
  expect((await run('kv get --help')).stdout).toContain('\nAliases  cat, show, inspect\n')
  expect((await run('job versions --help')).stdout).toContain('\nAliases  history\n')
  expect((await run('kv put --help')).stdout).not.toContain('Aliases')
  expect((await run('kv --help')).stdout).toContain(
    '\nAliases  cat (get), show (get), inspect (get), ls (list), rm (delete)',
  )
})

test.each([
  ['kv undelete app/db 2', 'kv undelete app/db --versions 2'],
  ['kv undelete app/db --version 2', 'kv undelete app/db --versions 2'],
  ['kv delete app/db --version 3', 'kv delete app/db --versions 3'],
  ['kv destroy app/db 2,3 --yes', 'kv destroy app/db --versions 2,3 --yes'],
  ['kv subkeys app/db 3', 'kv subkeys app/db --version 3'],
  ['kv get app/db user 3', 'kv get app/db user --version 3'],
  ['kv rollback app/db --version 3', 'kv rollback app/db 3'],
  ['job get web 2', 'job get web --version 2'],
  ['job submission web 3', 'job submission web --version 3'],
  ['job revert web --version 2', 'job revert web 2'],
  ['job stable web --unset --version=2', 'job stable web 2 --unset'],
  ['job diff web --from 2 --to 3', 'job diff web 2 3'],
  ['job diff web --to=3 2', 'job diff web 2 3'],
])('a version is taken as an argument and as a flag: tug %s', async (line, same) => {
  const { env } = await startDevServer({ clock: stoppedClock })
  const outcome = await tug(`${line} --dry-run`, { env })
  expect(outcome).toEqual(await tug(`${same} --dry-run`, { env }))
  expect(outcome).toMatchObject({ exit: 0, stdout: expect.stringContaining('curl') as string })
})

test.each([
  'kv undelete app/db later',
  'kv delete app/db 2 --dry-run',
  'job get web 2 3',
  'job revert web 2 --version 3',
])('what is no version stays an argument: tug %s', async (line) => {
  const { env } = await startDevServer({ clock: stoppedClock })
  expect((await tug(line, { env })).exit).not.toBe(0)
})

test.each([
  ['kv get app/db -field=password', 'kv get app/db --field=password'],
  ['kv get -version=2 app/db -mount=team', 'kv get --version=2 app/db --mount=team'],
  ['kv get app/db -version 2', 'kv get app/db --version 2'],
  ['kv delete -r app/ -y --no-verify', 'kv delete --recursive app/ -y --no-verify'],
  ['job export web -O jobs', 'job export web --out-dir jobs'],
  ['job export web --output-dir jobs', 'job export web --out-dir jobs'],
  ['kv copy -rf app team', 'kv copy --recursive --force app team'],
  ['job revert -version=2 web', 'job revert --version=2 web'],
  ['kv rollback app/db -version 3', 'kv rollback app/db 3'],
  ['job list -namespace=ops -prefix web', 'job list --namespace=ops --prefix web'],
  ['kmip role set storage backup --operations create,get', 'kmip role set storage backup --operation create,get'],
  ["job scale web app 4 --message '-meta'", "job scale web app 4 --message='-meta'"],
])('a spelling of other tools is obeyed: tug %s', async (line, same) => {
  const { env } = await startDevServer({ clock: stoppedClock })
  const { exit, stdout } = await tug(`${line} --dry-run`, { env })
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: (await tug(`${same} --dry-run`, { env })).stdout })
  expect(stdout).not.toBe('')
})

test.each([
  ['kmip role create storage backup', "'kmip role create': … 'tug kmip role set storage backup'…"],
  [
    'kv enable-versioning secret',
    `'kv enable-versioning': … \`tug api secrets POST sys/mounts/<mount>/tune --data '{"options":{"version":"2"}}'\``,
  ],
  ['kv metadata delete app/db -yes', "'-yes': …, --yes"],
  ['job list --format=yaml', "'--format': … -o yaml"],
  ['job list --json', "'--json': … -o json"],
  ['job run web.hcl --detach', "'--detach': … --wait … 'tug job apply' waits"],
  ['job run web.hcl -detach', "'-detach': … --wait … 'tug job apply' waits"],
  ['kv get app/db --jq .data', "'--jq': … --query …"],
])('a habit of another tool gets one line: tug %s', async (line, words) => {
  const { exit, stdout, stderr } = await run(line)
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
  expect(stderr.split('\n')[0]).toMatch(mentions(`tug: … ${words}`))
})

test('a flag that begins with a known letter is not torn apart, and a value may look like a flag', async () => {
  expect((await run('explorer query workspaces --sort -workspace_name --dry-run')).stdout).toContain(
    'sort=-workspace_name',
  )
  expect((await run('explorer query workspaces -s -workspace_name --dry-run')).stdout).toContain('sort=-workspace_name')
})

test.each([
  ['job lits', 'job list'],
  ['kmip list', "kmip scope list' or '…"],
  ['kmip revoek', 'kmip cred revoke'],
  ['kmip cred revoek', 'kmip cred revoke'],
  ['jobs list', 'job list'],
  ['jbo run web.hcl', 'job run'],
  ['views list', 'explorer views list'],
  ['undelete app/db', 'kv undelete'],
  ['query workspaces', 'explorer query'],
  ['exprt', 'kv export'],
  ['metadata', 'kv metadata'],
])('%s: did you mean %s?', async (line, meant) => {
  const { exit, stderr } = await run(line)
  expect(exit).toBe(2)
  expect(stderr).toMatch(/^tug: .*'.*'\. .* /)
  expect(stderr).toMatch(mentions(`'${meant}'`))
})

test('a word that is far from all of them has no suggestion', async () => {
  expect((await run('xyzzyx')).stderr).toMatch(told("tug: … 'xyzzyx'\nhint: tug --help …\n"))
})

test.each([
  ['kv exec app/db env', 'tug kv exec app/db -- env'],
  ['kv exec app/db sh -c id', 'tug kv exec app/db -- sh -c id'],
  ['dev tug job list', 'tug dev -- tug job list'],
])('a missing -- is named: %s', async (line, meant) => {
  expect(await run(line)).toMatchObject({
    exit: 2,
    stderr: says(`tug: '--' …\nhint: ${meant}\n`),
  })
})

test('the name of a product is understood as its service', async () => {
  expect((await run('api vault GET sys/health --dry-run')).stdout).toContain('/v1/sys/health')
})
