import { expect, test } from 'vitest'
import { otherTools } from '../../src/cli/other-tools.ts'
import { findRoute } from '../../src/cli/route.ts'
import { flagName } from '../../src/core/param.ts'
import { tree } from '../../src/commands/index.ts'
import { configured, tug } from '../support/run.ts'
import { says, told } from '../support/told.ts'

/** What people who know vault, nomad, terraform, kubectl or gh type, and the one line that they get. Nothing listens at the addresses. */

test.each([
  ['job logs web', "'job logs': … 'nomad alloc logs …'"],
  ['logs web', "'logs': … 'nomad alloc logs …'"],
  ['job rollback web', "'job rollback': … 'tug job revert web <version>'"],
  ['job rollback web 4', "'job rollback': … 'tug job revert web 4'"],
  [
    'job promote web',
    `'job promote': … \`tug api scheduler POST /v1/deployment/promote/… --data '{"DeploymentID":"…","All":true}'\``,
  ],
  ['deployment promote 5b2e91c4', "'deployment': … `tug api scheduler POST /v1/deployment/promote/…`"],
  ['deployment fail 5b2e91c4', "'deployment': … 'tug job deployment <job>' …"],
  ['alloc logs 5b2e91c4', "'alloc': …'tug job allocs <job>' …"],
  ['alloc exec 5b2e91c4 sh', "'alloc': …'tug job allocs <job>' …"],
  ['apply web.hcl', "'apply': … 'tug job apply web.hcl'"],
  ['apply', "'apply': … 'tug job apply <file>'"],
  ['-n ops job delete web', "'job delete': … 'tug job stop web --purge -n ops'"],
  ['job delete web -n ops --purge', "'job delete': … 'tug job stop web --purge -n ops'"],
  ['job delete -namespace ops web', "'job delete': … 'tug job stop web --purge -n ops'"],
  ['explorer list workspaces', "'explorer list': … 'tug explorer query workspaces', … 'tug explorer views list' …"],
  [
    'kv env app/db --mount team',
    "'kv env': … 'tug kv exec app/db --mount team -- <command>', … 'tug kv export app/db --format dotenv --mount team' …",
  ],
  ['kmip credential generate storage backup', "'kmip credential': … 'tug kmip cred generate storage backup'"],
  ['kv read app/db', "'kv read': … 'tug kv get app/db'"],
  ['kv write app/db a=b', "'kv write': … 'tug kv put app/db key=-'"],
  ['kmip config read', "'kmip config read': … 'tug kmip config get'"],
  ['read secret/data/app/db', "'read': … 'tug kv get app/db --mount secret', …"],
  ['kv enable-versioning team', "'kv enable-versioning': … `tug api secrets POST sys/mounts/…`"],
  ['explorer views run Mine', "'explorer views run': … 'tug explorer views results Mine'"],
  ['views run Mine', "'views': … 'tug explorer views results Mine'"],
  ['kv metadata team', "'kv metadata team'\nhint: …"],
  ['vault kv get app/db', "'vault': … 'tug kv get app/db'"],
  ['vault kv get -field=password app/db', "'vault': … 'tug kv get app/db …'"],
  ['vault kv get -token hunter2 app/db', "'vault': … 'tug kv get app/db …'"],
  ['vault kv put app/db password=hunter2', "'vault': … 'tug kv put app/db …'"],
  ['vault kv put app/db {"password":"hunter2"}', "'vault': … 'tug kv put app/db …'"],
  ['vault', "'vault': … 'tug kv --help' …, 'tug kmip --help' …: 'tug api secrets GET /v1/<path>'"],
  ['vault read sys/mounts', "'vault': … 'tug api secrets GET sys/mounts'"],
  [
    'vault read secret/data/app/db',
    "'vault': … 'tug kv get app/db --mount secret', … 'tug api secrets GET secret/data/app/db'",
  ],
  [
    'write secret/data/app/db password=hunter2',
    "'write': … 'tug kv put app/db --mount secret key=-', … 'tug api secrets POST secret/data/app/db --data -'",
  ],
  ['read kmip/ca', "'read': … 'tug kmip ca'"],
  ['vault read kmip/config -n team', "'vault': … 'tug kmip config get -n team'"],
  ['vault list team-kmip/scope', "'vault': … 'tug kmip scope list --mount team-kmip'"],
  ['list kmip/scope/s/role/r/credential', "'list': … 'tug kmip cred list s r'"],
  ['write -f keys/scope/finance', "'write': … 'tug kmip scope create finance --mount keys'"],
  [
    'write kmip/scope/s/role/r operation_all=true tls_client_ttl=1d',
    "'write': … 'tug kmip role set s r --all-operations --tls-client-ttl 1d'",
  ],
  [
    'vault write kmip/scope/s/role/r operation_get=true password=hunter2',
    "'vault': … 'tug kmip role set s r --operation get'",
  ],
  ['delete kmip/scope/s/role/r', "'delete': … 'tug kmip role delete s r'"],
  ['read kmip/nothing', "'read': … 'tug kv get nothing --mount kmip', …"],
  ['vault login -method=oidc', "'vault': … 'tug login secrets'; …"],
  ['job tag apply -name golden web', "'job tag': … 'nomad job tag', … 'tug job versions <job>' …"],
  ['nomad job status -verbose web', "'nomad': … 'tug job status web …'"],
  ['nomad run -detach web.hcl', "'nomad': … 'tug job run web.hcl'"],
  ['namespace list', "'namespace': … 'nomad namespace', …"],
  ['token lookup', "'token': … 'tug status'; …"],
  ['list secret/metadata', "'list': … 'tug kv list --mount secret', …"],
  ['vault list secret/metadata/app', "'vault': … 'tug kv list app --mount secret'"],
  ['nomad job status web', "'nomad': … 'tug job status web'"],
  ['nomad', "'nomad': … 'tug job --help' …; …: 'tug api scheduler GET /v1/<path>'"],
  ['terraform plan', "'terraform': … 'tug explorer --help' …"],
  ['ls', "'ls': … 'tug kv list', 'tug job list' … 'tug explorer query workspaces'"],
  ['ls app', "'ls': … 'tug kv list app', 'tug job list' … 'tug explorer query workspaces'"],
  ['rm app/db', "'rm': … 'tug kv delete app/db' … 'tug job stop app/db'"],
  ['put app/db password=hunter2', "'put': … 'tug kv put app/db key=-', …"],
  ['alloc status 5b2e91c4', "'alloc': …'tug job allocs <job>' …"],
  ['deployment list', "'deployment': … 'tug job deployment <job>' … 'tug job deployments <job>'"],
  ['node status', "'node': … 'nomad node status'"],
  ['auth login', "'auth': … 'tug login <service>'"],
  ['whoami', "'whoami': … 'tug status'; …, 'tug login <service>'"],
  ['ctx use prod', "'ctx': … 'tug profile use prod'"],
])('a word of another tool: tug %s', async (line, words) => {
  expect(await tug(line, { env: configured })).toMatchObject({ exit: 2, stdout: '', stderr: says(`tug: …${words}\n`) })
})

test.each([
  ['job revert web --to 4', "'--to': …: 'tug job revert web 4'"],
  ['job apply web.hcl --detach', "'--detach': … --no-wait"],
  ['job start web --detach', "'--detach': … 'tug job apply' …"],
  ['login -method=userpass username=x', "'-method': … 'vault login': …"],
  ['kv get app/db -format=json', "'-format': … -o json, … .data.data … .data …, …"],
  ['kv metadata get app/db -format=json', "'-format': … -o json, … .data …"],
  ['kv patch -method=rw app/db a=1', "'-method': PATCH …: 'tug kv set app/db key=-'"],
  ['job run -json web.json', "'-json': a job file in JSON …"],
  ['job scale web -count 3', "'-count': … 'tug job scale web 3'"],
  ['job deployments -latest web', "'-latest': … 'tug job deployment web'"],
  ['job inspect -t {{.ID}} web', "'-t': … --query …"],
  ['job list -non-interactive', "'-non-interactive'\nhint: …"],
  ['kv metadata put app/db --no-cas-required', "'--no-cas-required': … --cas-required=false"],
  ['kv delete app/db --verify', "'--verify': …; --no-verify …"],
  ['kv get app/db --format env', "'--format': … 'tug kv export app/db --format dotenv' …"],
  ['kv put app/db - --format env', "'--format': … 'tug kv import' …"],
  ['job list --format json', "'--format': … -o json"],
  ['kv list --format json', "'--format': use -o json"],
  ['kv get app/db -tls-skip-verify', "'-tls-skip-verify': … --insecure"],
  ['job action -job web hello', "'-job': … 'tug job action web hello'"],
  ['job list --format der', "'--format': … -o <table|…|name>"],
  ['kmip ca --format der', "'--format': … PEM"],
  ['kv restore b.tugkv --to-mount scratch', "'--to-mount': … --mount scratch"],
  ['kv copy a b --all-versions', "'--all-versions': … --versions all"],
  ['kv audit --stale 30d', "'--stale': … --older-than 30d"],
  ['job export --all -O jobs', "'--all': …; … -n '*'"],
  ['kmip role set a b --operation_none', "'--operation_none': … --no-operations"],
  ['explorer usage tf_versions --sort project', "'--sort': … --query 'sort_by(@, &<field>)' …"],
  ['kmip cred generate a b --out-dir keys --ttl 9d', "'--ttl': …: 'tug kmip role set a b --tls-client-ttl 9d'"],
  ['kmip role set storage backup --ttl 1d', "'--ttl': … --tls-client-ttl 1d"],
  ['kmip role set storage backup --all-operations --ttl=1d', "'--ttl': … --tls-client-ttl 1d"],
  ['job list -O jobs', "'-O': … > jobs"],
  ['kv get app/db -O db.json', "'-O': … 'tug kv export app/db -O db.json', …"],
  ['explorer query workspaces --csv', "'--csv': … -o csv"],
  ['explorer query workspaces --markdown', "'--markdown': … -o md"],
  ['kv list -r', "'-r': … 'tug kv tree'"],
  ['kv list app -r --insecure', "'-r': … 'tug kv tree app --insecure'"],
  ['status --token hunter2', "'--token': …, … 'tug login <service>'"],
  ['kv get app/db --token=hunter2', "'--token': …, … 'tug login <service>'"],
  ['kv list -r --token hunter2 app', "'-r': … 'tug kv tree app'"],
  ['kv list -qR app', "'-R': … 'tug kv tree app'"],
  ['kv rm -rf app', "'-rf': … --recursive"],
  [`job list -f 'Type == "batch"'`, `'-f': … --filter 'Type == "batch"'`],
  [`job list -f $&x`, `'-f': … --filter '$&x'`],
  ['job status --all-namespaces', "'--all-namespaces': … -n '*'"],
  ['job list -w', "'-w': … --watch"],
  ['job list -w=x', "'-w': … --watch"],
  ['job list --limit 5', "'--limit': … --per-page 5"],
  ['job allocs web --running', `'--running': … --query "[?ClientStatus=='running'].ID" -o name …`],
  ['job status -short web', "'-short': … 'tug job summary web'"],
  ['job plan web.hcl --detailed-exitcode', "'--detailed-exitcode': … --exit-code"],
  ['job plan web.hcl -out=x', "'-out': … --save x, … 'tug job apply --saved x'"],
  ['job run -f web.hcl --var password=hunter2', "'-f': the file is an argument"],
  ['job list -no-color', "'-no-color': … --color never"],
  ['kv get -ns=team app/db', "'-ns': … -n team"],
  ['explorer query workspaces --organization acme', "'--organization': … --org acme"],
])('a flag of another tool: tug %s', async (line, words) => {
  expect(await tug(line, { env: configured })).toMatchObject({ exit: 2, stdout: '', stderr: says(`tug: …${words}\n`) })
})

test.each([
  ['job run -output web.hcl', "--output: …\nhint: 'tug job parse web.hcl' … 'tug job plan web.hcl --save <plan>' …\n"],
  ['job plan web.hcl -diff=false', '--diff: …\nhint: … --no-diff …\n'],
  ['job history -p web', '<job> …\nhint: …\nhint: … --diffs; -p …\n'],
])('a flag that means something else in another tool: tug %s', async (line, words) => {
  expect(await tug(line, { env: configured })).toMatchObject({ exit: 2, stdout: '', stderr: says(`tug: ${words}`) })
})

test.each([
  ['job list -qy -n prod', 'namespace=prod'],
  ['explorer query workspaces --sort -project_name', 'sort=-project_name'],
  ['job versions web -y', '/v1/job/web/versions'],
])('short flags are still bundled: tug %s', async (line, words) => {
  const { exit, stdout } = await tug(`${line} --dry-run`, { env: configured })
  expect(exit).toBe(0)
  expect(stdout).toContain(words)
})

test.each([
  ['kv get app/db -short', "'-short'"],
  ['job versions web -p prod --nope', "'--nope'"],
  ['job list -qx', "'-x'"],
])('an unknown flag is named whole: tug %s', async (line, words) => {
  const { exit, stderr } = await tug(line, { env: configured })
  expect(exit).toBe(2)
  expect(stderr.split('\n')[0]).toMatch(told(`tug: …${words}`))
})

test.each([
  ['job tree web', 'job tree', ''],
  ['kmip role generate storage backup', 'kmip role generate', ". … 'kmip cred generate'?"],
  ['kv metadata list app', 'kv metadata list', ". … 'kv list'?"],
  ['kv role list', 'kv role', ". … 'kmip role list'?"],
  ['cat app/db', 'cat', ". … 'kv get'?"],
  ['mv app/db app/new', 'mv', ". … 'kv move'?"],
])('names of the typed group come first, and no others: tug %s', async (line, words, suggested) => {
  const { exit, stderr } = await tug(line, { env: configured })
  expect(exit).toBe(2)
  expect(stderr.split('\n')[0]).toMatch(told(`tug: …'${words}'${suggested}`))
})

test('every line in the table is a command of tug with flags that it has', async () => {
  const lines = otherTools.flatMap(([, , advice]) => [...advice.matchAll(/`([^`]+)`/g)].map(([, line = '']) => line))
  expect(lines.length).toBeGreaterThan(50)
  for (const line of lines) {
    const { target, problem, place, help } = await findRoute(line.split(/ [<[…]/)[0]?.split(' ') ?? [], tree)
    expect({ line, problem, isKnown: help || line.endsWith('…') || target?.kind === 'command' }).toEqual({
      line,
      problem: undefined,
      isKnown: true,
    })
    const names = Object.keys(place.flags).map(flagName)
    for (const flag of line.match(/(?<= )--[a-z\d-]+/g) ?? []) expect(names, line).toContain(flag)
  }
})
