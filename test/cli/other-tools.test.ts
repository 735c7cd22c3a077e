import { expect, test } from 'vitest'
import { otherCommands, otherFlags } from '../../src/cli/habits.ts'
import { findRoute } from '../../src/cli/route.ts'
import { flagName } from '../../src/core/param.ts'
import { tree } from '../../src/commands/index.ts'
import { configured, tug } from '../support/run.ts'
import { says, told } from '../support/told.ts'

/** What people who know vault, nomad, terraform, kubectl or gh type, and the one line that they get. Nothing listens at the addresses. */

test.each([
  [
    'job logs web',
    "unknown command 'job logs': logs are not among the endpoints of tug; use 'nomad alloc logs -job web'",
  ],
  ['logs web', "unknown command 'logs': logs are not among the endpoints of tug; use 'nomad alloc logs -job web'"],
  ['job rollback web', "unknown command 'job rollback': use 'tug job revert web <version>'"],
  ['job rollback web 4', "unknown command 'job rollback': use 'tug job revert web 4'"],
  ['apply web.hcl', "unknown command 'apply': use 'tug job apply web.hcl'"],
  ['apply', "unknown command 'apply': use 'tug job apply <file>'"],
  ['job delete web', "unknown command 'job delete': use 'tug job stop web --purge'"],
  ['-n ops job delete web', "unknown command 'job delete': use 'tug job stop web --purge -n ops'"],
  ['job delete web -n ops --purge', "unknown command 'job delete': use 'tug job stop web --purge -n ops'"],
  ['job rm web', "unknown command 'job rm': use 'tug job stop web --purge'"],
  ['job describe web', "unknown command 'job describe': use 'tug job status web'"],
  ['restart web', "unknown command 'restart': use 'tug job restart web'"],
  [
    'explorer list workspaces',
    "unknown command 'explorer list': use 'tug explorer query workspaces', or 'tug explorer views list' for saved views",
  ],
  [
    'explorer list',
    "unknown command 'explorer list': use 'tug explorer query <view>', or 'tug explorer views list' for saved views",
  ],
  [
    'explorer save drifted',
    "unknown command 'explorer save': use 'tug explorer views create drifted', or 'tug explorer views list' for those that exist",
  ],
  [
    'kv env app/db --mount team',
    "unknown command 'kv env': use 'tug kv exec app/db --mount team' -- <command>, or 'tug kv export app/db --format dotenv --mount team' for a file",
  ],
  ['explorer workspaces', "unknown command 'explorer workspaces': use 'tug explorer query workspaces'"],
  [
    'kmip cred issue storage backup',
    "unknown command 'kmip cred issue': use 'tug kmip cred generate storage backup', or 'tug kmip cred sign storage backup --csr <file>' for a key …",
  ],
  [
    'kmip credential generate storage backup --out-dir keys',
    "unknown command 'kmip credential': use 'tug kmip cred generate storage backup --out-dir keys'",
  ],
  ['kmip credential list', "unknown command 'kmip credential': use 'tug kmip cred list'"],
  ['kv versions app/db', "unknown command 'kv versions': use 'tug kv history app/db'"],
  ['explorer views run Mine', "unknown command 'explorer views run': use 'tug explorer views results Mine'"],
  ['views run Mine', "unknown command 'views': use 'tug explorer views results Mine'"],
  ['kv search db', "unknown command 'kv search': use 'tug kv find db'"],
  ['kv grep db', "unknown command 'kv grep': use 'tug kv find db'"],
  ['kv metadata app/db', "unknown command 'kv metadata app/db': use 'tug kv metadata get app/db'"],
  ['kv metadata team', "unknown command 'kv metadata team': use 'tug kv metadata get team'"],
  ['vault kv get app/db', "unknown command 'vault': use 'tug kv get app/db'"],
  ['vault kv get -field=password app/db', "unknown command 'vault': use 'tug kv get app/db …'"],
  ['vault kv put app/db password=hunter2', "unknown command 'vault': use 'tug kv put app/db …'"],
  [
    'vault',
    "unknown command 'vault': see 'tug kv --help' for secrets, 'tug kmip --help' for KMIP; any other path: 'tug api secrets GET <path>'",
  ],
  ['vault read sys/mounts', "unknown command 'vault': use 'tug api secrets GET sys/mounts'"],
  ['vault read secret/data/app/db', "unknown command 'vault': use 'tug kv get app/db --mount secret'"],
  ['bao read team/data/app/db', "unknown command 'bao': use 'tug kv get app/db --mount team'"],
  ['vault read secret/app/db', "unknown command 'vault': use 'tug kv get app/db --mount secret'"],
  ['vault read -field=password secret/app/db', "unknown command 'vault': use 'tug kv get app/db --mount secret'"],
  ['read secret/app/db', "unknown command 'read': use 'tug kv get app/db --mount secret'"],
  ['nomad job status web', "unknown command 'nomad': use 'tug job status web'"],
  ['nomad', "unknown command 'nomad': see 'tug job --help' for jobs; any other path: 'tug api scheduler GET <path>'"],
  ['terraform plan', "unknown command 'terraform': see 'tug explorer --help' for workspaces, modules and providers"],
  ['ls', "unknown command 'ls': use 'tug kv list', 'tug job list' or 'tug explorer query workspaces'"],
  ['ls app', "unknown command 'ls': use 'tug kv list app', 'tug job list' or 'tug explorer query workspaces'"],
  ['rm app/db', "unknown command 'rm': use 'tug kv delete app/db' or 'tug job stop app/db'"],
  ['get app/db', "unknown command 'get': use 'tug kv get app/db' or 'tug job get app/db'"],
  ['get', "unknown command 'get': use 'tug kv get <path>' or 'tug job get <job>'"],
  ['put app/db password=hunter2', "unknown command 'put': use 'tug kv put app/db <data>'"],
  ['auth', "unknown command 'auth': use 'tug status'; to sign in, 'tug login <service>'"],
  ['auth login', "unknown command 'auth': use 'tug login <service>'"],
  ['whoami', "unknown command 'whoami': use 'tug status'; to sign in, 'tug login <service>'"],
  ['context', "unknown command 'context': use 'tug profile list', or 'tug profile use <name>' to switch"],
  ['ctx', "unknown command 'ctx': use 'tug profile list', or 'tug profile use <name>' to switch"],
  ['put app/db hunter2', "unknown command 'put': use 'tug kv put app/db <data>'"],
  ['put app/db @db.json', "unknown command 'put': use 'tug kv put app/db @db.json'"],
  ['vault kv put app/db {"password":"hunter2"}', "unknown command 'vault': use 'tug kv put app/db …'"],
  ['vault kv get -token hunter2 app/db', "unknown command 'vault': use 'tug kv get app/db …'"],
  ['vault kv get -field password app/db', "unknown command 'vault': use 'tug kv get app/db …'"],
  ['job delete -namespace ops web', "unknown command 'job delete': use 'tug job stop web --purge --namespace ops'"],
  ['nomad job status -json web', "unknown command 'nomad': use 'tug job status web …'"],
  ['ctx use prod', "unknown command 'ctx': use 'tug profile use prod'"],
])('a word of another tool: tug %s', async (line, words) => {
  expect(await tug(line, { env: configured })).toMatchObject({ exit: 2, stdout: '', stderr: says(`tug: ${words}\n`) })
})

test.each([
  ['job revert web --to 4', "unknown flag '--to': the version …: 'tug job revert web 4'"],
  ['job revert web --version 4', "unknown flag '--version': the version …: 'tug job revert web 4'"],
  ['job revert -version=4 web -n ops', "unknown flag '-version': the version …: 'tug job revert web 4 -n ops'"],
  ['job versions web -p', "-p is --profile here; for the differences use 'tug job versions web --diffs'"],
  [
    'job versions web -p --stale',
    "-p is --profile here; for the differences use 'tug job versions web --diffs --stale'",
  ],
  ['job versions -p web', "-p is --profile here; for the differences use 'tug job versions web --diffs'"],
  ['job history -p web', "-p is --profile here; for the differences use 'tug job versions web --diffs'"],
  ['kv restore b.tugkv --to-mount scratch', "unknown flag '--to-mount': use --mount scratch"],
  ['kv verify b.tugkv --to-mount scratch', "unknown flag '--to-mount': use --mount scratch"],
  ['kv copy a b --all-versions', "unknown flag '--all-versions': use 'tug kv copy a b --versions all'"],
  ['kv audit --stale 30d', "unknown flag '--stale': use 'tug kv audit --older-than 30d'"],
  ['job export --all -O jobs', "unknown flag '--all': …; for all namespaces use -n '*'"],
  ['kmip role set a b --operation-all', "unknown flag '--operation-all': use 'tug kmip role set a b --all-operations'"],
  [
    'kmip role set a b --operation_none',
    "unknown flag '--operation_none': use 'tug kmip role set a b --no-operations'",
  ],
  ['explorer views apply -f v.yaml', "unknown flag '-f': the file is an argument: 'tug explorer views apply v.yaml'"],
  [
    'explorer usage tf_versions --sort project',
    "unknown flag '--sort': the rows are sorted with --query 'sort_by(@, &<field>)'; …",
  ],
  ['explorer usage tf_versions --all', "unknown flag '--all': every page is read without it"],
  ['kv rollback app/db --version 3', "unknown flag '--version': use 'tug kv rollback app/db --to 3'"],
  [
    'kv rollback -version=3 app/db --mount other',
    "unknown flag '-version': use 'tug kv rollback app/db --to 3 --mount other'",
  ],
  [
    'kmip cred generate storage backup --out-dir keys --ttl 365d',
    "unknown flag '--ttl': the role decides how long certificates are valid: 'tug kmip role set storage backup --tls-client-ttl 365d'",
  ],
  [
    'kmip role set storage backup --ttl 1d',
    "unknown flag '--ttl': use 'tug kmip role set storage backup --tls-client-ttl 1d'",
  ],
  [
    'kmip role set storage backup --all-operations --ttl=1d',
    "unknown flag '--ttl': use 'tug kmip role set storage backup --tls-client-ttl 1d --all-operations'",
  ],
  ['kmip cred generate storage backup -O keys', "unknown flag '-O': use --out-dir <folder>"],
  [
    'explorer summary workspaces --by project_name -O x.csv',
    "unknown flag '-O': use 'tug explorer summary workspaces -o csv --by project_name > x.csv'",
  ],
  [
    "explorer query workspaces -f 'drifted is true' -O x.csv",
    "unknown flag '-O': use `tug explorer query workspaces -o csv -f 'drifted is true' > x.csv`, or `tug explorer export workspaces -O x.csv -f 'drifted is true'` for every row as CSV",
  ],
  [
    'explorer query workspaces --page 2 -o csv -O x.json',
    "unknown flag '-O': use 'tug explorer query workspaces -o json --page 2 > x.json', or 'tug explorer export workspaces -O x.json' for every row as CSV",
  ],
  ['job list -O jobs', "unknown flag '-O': use 'tug job list > jobs'"],
  ['kv get app/db -O db.json', "unknown flag '-O': use 'tug kv export app/db -O db.json', which writes a private file"],
  ['explorer query workspaces --csv', "unknown flag '--csv': use -o csv"],
  ['explorer query workspaces --table', "unknown flag '--table': use -o table"],
  ['explorer query workspaces --ndjson', "unknown flag '--ndjson': use -o ndjson"],
  ['explorer query workspaces --tsv', "unknown flag '--tsv': use -o tsv"],
  ['explorer query workspaces --markdown', "unknown flag '--markdown': use -o md"],
  ['explorer query workspaces --silent', "unknown flag '--silent': use --quiet"],
  ['kv list -r', "unknown flag '-r': use 'tug kv tree'"],
  ['kv list -r --token hunter2 app', "unknown flag '-r': use 'tug kv tree app'"],
  [
    'api secrets POST sys/x --data {"password":"hunter2"} -O x',
    "unknown flag '-O': use 'tug api secrets POST sys/x --data <json|@file|-> > x'",
  ],
  ['kv list -R app', "unknown flag '-R': use 'tug kv tree app'"],
  ['kv list -qR app', "unknown flag '-R': use 'tug kv tree app -q'"],
  ['kv list --recursive app', "unknown flag '--recursive': use 'tug kv tree app'"],
  ['kv rm -r app', "unknown flag '-r': use 'tug kv delete app --recursive'"],
  ['kv rm -R app', "unknown flag '-R': use 'tug kv delete app --recursive'"],
  ['kv rm -rf app', "unknown flag '-rf': use 'tug kv delete app --recursive'"],
  [`job list -f 'Type == "batch"'`, `unknown flag '-f': use \`tug job list --filter 'Type == "batch"'\``],
  ['job list -A', "unknown flag '-A': use `tug job list -n '*'`"],
  ['job list --all-namespaces --prefix web', "unknown flag '--all-namespaces': use `tug job list -n '*' --prefix web`"],
  ['job list -w', "unknown flag '-w': use 'tug job list --watch'"],
  ['job status -w web', "unknown flag '-w': use 'tug job status web --watch'"],
  ['job list --limit 5', "unknown flag '--limit': use 'tug job list --per-page 5'"],
  [
    'job allocs web --running',
    `unknown flag '--running': use \`tug job allocs web --query "[?ClientStatus=='running'].ID" -o name\` for their IDs`,
  ],
  [
    'job allocs web --status failed',
    `unknown flag '--status': use \`tug job allocs web --query "[?ClientStatus=='failed'].ID" -o name\` for their IDs`,
  ],
  ['job status -short web', "unknown flag '-short': use 'tug job summary web'"],
  ['job plan web.hcl --detailed-exitcode', "unknown flag '--detailed-exitcode': use --exit-code"],
  [
    'job plan web.hcl -out=x',
    "unknown flag '-out': use 'tug job plan web.hcl --save x', then 'tug job apply --saved x'",
  ],
  ['job run -f web.hcl --var password=hunter2', "unknown flag '-f': …: 'tug job run web.hcl --var <name=value>'"],
  ['job run web.hcl -verbose', "unknown flag '-verbose': use -o wide for more columns, or --trace for the requests"],
  ['job list -no-color', "unknown flag '-no-color': use --color never"],
  ['kv get -ns=team app/db', "unknown flag '-ns': use -n team"],
  ['kv get -output-curl-string app/db', "unknown flag '-output-curl-string': use --dry-run"],
])('a flag of another tool: tug %s', async (line, words) => {
  expect(await tug(line, { env: configured })).toMatchObject({ exit: 2, stdout: '', stderr: says(`tug: ${words}\n`) })
})

test.each([
  ['job list -nprod', 'namespace=prod'],
  ['job list -qyn prod', 'namespace=prod'],
  ['explorer query workspaces -sproject_name', 'sort=project_name'],
  ['explorer query workspaces --sort -project_name', 'sort=-project_name'],
  ['job versions web -y', '/v1/job/web/versions'],
])('short flags are still bundled with others and with their values: tug %s', async (line, words) => {
  const { exit, stdout } = await tug(`${line} --dry-run`, { env: configured })
  expect(exit).toBe(0)
  expect(stdout).toContain(words)
})

test.each([
  ['kv get app/db -short', "unknown flag '-short'"],
  ['job versions web -p prod --nope', "unknown flag '--nope'"],
  ['job list -w=x', "unknown flag '-w': use 'tug job list --watch'"],
  ['job list -qx', "unknown flag '-x'"],
])('an unknown flag is named whole: tug %s', async (line, words) => {
  const { exit, stderr } = await tug(line, { env: configured })
  expect(exit).toBe(2)
  expect(stderr.split('\n')[0]).toBe(`tug: ${words}`)
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
  expect(stderr.split('\n')[0]).toMatch(told(`tug: unknown command '${words}'${suggested}`))
})

test('every line in the answers is a command of tug with flags that it has', async () => {
  const rows = [...otherCommands, ...otherFlags]
  const lines = rows.flatMap(({ instead }) => [...instead.matchAll(/\btug ([^}';]*)/g)].map(([, line = '']) => line))
  expect(lines.length).toBeGreaterThan(50)
  for (const line of lines) {
    const { target, problem, params, help } = await findRoute(line.split(/ [<[…>]/)[0]?.split(' ') ?? [], tree)
    expect({ line, problem, isKnown: help || line.endsWith('…') || target?.kind === 'command' }).toEqual({
      line,
      problem: undefined,
      isKnown: true,
    })
    const names = [...Object.keys(params).map(flagName), '--help']
    for (const flag of line.match(/(?<= )--[a-z-]+/g) ?? []) expect(names, line).toContain(flag)
  }
})
