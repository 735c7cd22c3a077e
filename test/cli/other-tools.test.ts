import { expect, test } from 'vitest'
import { otherCommands, otherFlags } from '../../src/cli/other-tools.ts'
import { findRoute } from '../../src/cli/route.ts'
import { flagName } from '../../src/core/param.ts'
import { tree } from '../../src/commands/index.ts'
import { configured, tug } from '../support/run.ts'
import { says, told } from '../support/told.ts'

/** What people who know vault, nomad, terraform, kubectl or gh type, and the one line that they get. Nothing listens at the addresses. */

test.each([
  ['job logs web', "'job logs': … 'nomad alloc logs -job web'"],
  ['logs web', "'logs': … 'nomad alloc logs -job web'"],
  ['job rollback web', "'job rollback': … 'tug job revert web <version>'"],
  ['job rollback web 4', "'job rollback': … 'tug job revert web 4'"],
  ['apply web.hcl', "'apply': … 'tug job apply web.hcl'"],
  ['apply', "'apply': … 'tug job apply <file>'"],
  ['job delete web', "'job delete': … 'tug job stop web --purge'"],
  ['-n ops job delete web', "'job delete': … 'tug job stop web --purge -n ops'"],
  ['job delete web -n ops --purge', "'job delete': … 'tug job stop web --purge -n ops'"],
  ['job rm web', "'job rm': … 'tug job stop web --purge'"],
  ['job describe web', "'job describe': … 'tug job status web'"],
  ['restart web', "'restart': … 'tug job restart web'"],
  ['explorer list workspaces', "'explorer list': … 'tug explorer query workspaces', … 'tug explorer views list' …"],
  ['explorer list', "'explorer list': … 'tug explorer query <view>', … 'tug explorer views list' …"],
  ['explorer save drifted', "'explorer save': … 'tug explorer views create drifted', … 'tug explorer views list' …"],
  [
    'kv env app/db --mount team',
    "'kv env': … 'tug kv exec app/db --mount team' -- <command>, … 'tug kv export app/db --format dotenv --mount team' …",
  ],
  ['explorer workspaces', "'explorer workspaces': … 'tug explorer query workspaces'"],
  [
    'kmip cred issue storage backup',
    "'kmip cred issue': … 'tug kmip cred generate storage backup', … 'tug kmip cred sign storage backup --csr <file>' …",
  ],
  [
    'kmip credential generate storage backup --out-dir keys',
    "'kmip credential': … 'tug kmip cred generate storage backup --out-dir keys'",
  ],
  ['kmip credential list', "'kmip credential': … 'tug kmip cred list'"],
  ['kv versions app/db', "'kv versions': … 'tug kv history app/db'"],
  ['explorer views run Mine', "'explorer views run': … 'tug explorer views results Mine'"],
  ['views run Mine', "'views': … 'tug explorer views results Mine'"],
  ['kv search db', "'kv search': … 'tug kv find db'"],
  ['kv grep db', "'kv grep': … 'tug kv find db'"],
  ['kv metadata app/db', "'kv metadata app/db': … 'tug kv metadata get app/db'"],
  ['kv metadata team', "'kv metadata team': … 'tug kv metadata get team'"],
  ['vault kv get app/db', "'vault': … 'tug kv get app/db'"],
  ['vault kv get -field=password app/db', "'vault': … 'tug kv get app/db …'"],
  ['vault kv put app/db password=hunter2', "'vault': … 'tug kv put app/db …'"],
  ['vault', "'vault': … 'tug kv --help' …, 'tug kmip --help' …: 'tug api secrets GET <path>'"],
  ['vault read sys/mounts', "'vault': … 'tug api secrets GET sys/mounts'"],
  ['vault read secret/data/app/db', "'vault': … 'tug kv get app/db --mount secret'"],
  ['bao read team/data/app/db', "'bao': … 'tug kv get app/db --mount team'"],
  ['vault read secret/app/db', "'vault': … 'tug kv get app/db --mount secret'"],
  ['vault read -field=password secret/app/db', "'vault': … 'tug kv get app/db --mount secret'"],
  ['read secret/app/db', "'read': … 'tug kv get app/db --mount secret'"],
  ['nomad job status web', "'nomad': … 'tug job status web'"],
  ['nomad', "'nomad': … 'tug job --help' …; …: 'tug api scheduler GET <path>'"],
  ['terraform plan', "'terraform': … 'tug explorer --help' …"],
  ['ls', "'ls': … 'tug kv list', 'tug job list' … 'tug explorer query workspaces'"],
  ['ls app', "'ls': … 'tug kv list app', 'tug job list' … 'tug explorer query workspaces'"],
  ['rm app/db', "'rm': … 'tug kv delete app/db' … 'tug job stop app/db'"],
  ['get app/db', "'get': … 'tug kv get app/db' … 'tug job get app/db'"],
  ['get', "'get': … 'tug kv get <path>' … 'tug job get <job>'"],
  ['job apply web.hcl --detach', "'--detach': … 'tug job apply web.hcl --no-wait'"],
  ['kv get app/db --format env', "'--format': … 'tug kv export app/db --format dotenv' …"],
  ['kv put app/db - --format env', "'--format': … 'tug kv import' …"],
  ['put app/db password=hunter2', "'put': … 'tug kv put app/db <data>'"],
  ['auth', "'auth': … 'tug status'; …, 'tug login <service>'"],
  ['auth login', "'auth': … 'tug login <service>'"],
  ['whoami', "'whoami': … 'tug status'; …, 'tug login <service>'"],
  ['context', "'context': … 'tug profile list', … 'tug profile use <name>' …"],
  ['ctx', "'ctx': … 'tug profile list', … 'tug profile use <name>' …"],
  ['put app/db hunter2', "'put': … 'tug kv put app/db <data>'"],
  ['put app/db @db.json', "'put': … 'tug kv put app/db @db.json'"],
  ['vault kv put app/db {"password":"hunter2"}', "'vault': … 'tug kv put app/db …'"],
  ['vault kv get -token hunter2 app/db', "'vault': … 'tug kv get app/db …'"],
  ['vault kv get -field password app/db', "'vault': … 'tug kv get app/db …'"],
  ['job delete -namespace ops web', "'job delete': … 'tug job stop web --purge --namespace ops'"],
  ['nomad job status -json web', "'nomad': … 'tug job status web …'"],
  ['ctx use prod', "'ctx': … 'tug profile use prod'"],
])('a word of another tool: tug %s', async (line, words) => {
  expect(await tug(line, { env: configured })).toMatchObject({ exit: 2, stdout: '', stderr: says(`tug: …${words}\n`) })
})

test.each([
  ['job revert web --to 4', "'--to': …: 'tug job revert web 4'"],
  ['job versions web -p', "-p … --profile …; … 'tug job versions web --diffs'"],
  ['job versions web -p --stale', "-p … --profile …; … 'tug job versions web --diffs --stale'"],
  ['job versions -p web', "-p … --profile …; … 'tug job versions web --diffs'"],
  ['job history -p web', "-p … --profile …; … 'tug job versions web --diffs'"],
  ['kv restore b.tugkv --to-mount scratch', "'--to-mount': … --mount scratch"],
  ['kv verify b.tugkv --to-mount scratch', "'--to-mount': … --mount scratch"],
  ['kv copy a b --all-versions', "'--all-versions': … 'tug kv copy a b --versions all'"],
  ['kv audit --stale 30d', "'--stale': … 'tug kv audit --older-than 30d'"],
  ['job export --all -O jobs', "'--all': …; … -n '*'"],
  ['kmip role set a b --operation-all', "'--operation-all': … 'tug kmip role set a b --all-operations'"],
  ['kmip role set a b --operation_none', "'--operation_none': … 'tug kmip role set a b --no-operations'"],
  ['explorer views apply -f v.yaml', "'-f': …: 'tug explorer views apply v.yaml'"],
  ['explorer usage tf_versions --sort project', "'--sort': … --query 'sort_by(@, &<field>)'; …"],
  ['explorer usage tf_versions --all', "'--all': …"],
  [
    'kmip cred generate storage backup --out-dir keys --ttl 365d',
    "'--ttl': …: 'tug kmip role set storage backup --tls-client-ttl 365d'",
  ],
  ['kmip role set storage backup --ttl 1d', "'--ttl': … 'tug kmip role set storage backup --tls-client-ttl 1d'"],
  [
    'kmip role set storage backup --all-operations --ttl=1d',
    "'--ttl': … 'tug kmip role set storage backup --tls-client-ttl 1d --all-operations'",
  ],
  ['kmip cred generate storage backup -O keys', "'-O': … --out-dir <folder>"],
  [
    'explorer summary workspaces --by project_name -O x.csv',
    "'-O': … 'tug explorer summary workspaces -o csv --by project_name > x.csv'",
  ],
  [
    "explorer query workspaces -f 'drifted is true' -O x.csv",
    "'-O': … `tug explorer query workspaces -o csv -f 'drifted is true' > x.csv`, … `tug explorer export workspaces -O x.csv -f 'drifted is true'` …",
  ],
  [
    'explorer query workspaces --page 2 -o csv -O x.json',
    "'-O': … 'tug explorer query workspaces -o json --page 2 > x.json', … 'tug explorer export workspaces -O x.json' …",
  ],
  ['job list -O jobs', "'-O': … 'tug job list > jobs'"],
  ['kv get app/db -O db.json', "'-O': … 'tug kv export app/db -O db.json', …"],
  ['explorer query workspaces --csv', "'--csv': … -o csv"],
  ['explorer query workspaces --table', "'--table': … -o table"],
  ['explorer query workspaces --ndjson', "'--ndjson': … -o ndjson"],
  ['explorer query workspaces --tsv', "'--tsv': … -o tsv"],
  ['explorer query workspaces --markdown', "'--markdown': … -o md"],
  ['explorer query workspaces --silent', "'--silent': … --quiet"],
  ['kv list -r', "'-r': … 'tug kv tree'"],
  ['kv list -r --token hunter2 app', "'-r': … 'tug kv tree app'"],
  [
    'api secrets POST sys/x --data {"password":"hunter2"} -O x',
    "'-O': … 'tug api secrets POST sys/x --data <json|@file|-> > x'",
  ],
  ['kv list -R app', "'-R': … 'tug kv tree app'"],
  ['kv list -qR app', "'-R': … 'tug kv tree app -q'"],
  ['kv list --recursive app', "'--recursive': … 'tug kv tree app'"],
  ['kv rm -r app', "'-r': … 'tug kv delete app --recursive'"],
  ['kv rm -R app', "'-R': … 'tug kv delete app --recursive'"],
  ['kv rm -rf app', "'-rf': … 'tug kv delete app --recursive'"],
  [`job list -f 'Type == "batch"'`, `'-f': … \`tug job list --filter 'Type == "batch"'\``],
  ['job list -A', "'-A': … `tug job list -n '*'`"],
  ['job list --all-namespaces --prefix web', "'--all-namespaces': … `tug job list -n '*' --prefix web`"],
  ['job list -w', "'-w': … 'tug job list --watch'"],
  ['job status -w web', "'-w': … 'tug job status web --watch'"],
  ['job list --limit 5', "'--limit': … 'tug job list --per-page 5'"],
  [
    'job allocs web --running',
    `'--running': … \`tug job allocs web --query "[?ClientStatus=='running'].ID" -o name\` …`,
  ],
  [
    'job allocs web --status failed',
    `'--status': … \`tug job allocs web --query "[?ClientStatus=='failed'].ID" -o name\` …`,
  ],
  ['job status -short web', "'-short': … 'tug job summary web'"],
  ['job plan web.hcl --detailed-exitcode', "'--detailed-exitcode': … --exit-code"],
  ['job plan web.hcl -out=x', "'-out': … 'tug job plan web.hcl --save x', … 'tug job apply --saved x'"],
  ['job run -f web.hcl --var password=hunter2', "'-f': …: 'tug job run web.hcl --var <name=value>'"],
  ['job run web.hcl -verbose', "'-verbose': … -o wide … --trace …"],
  ['job list -no-color', "'-no-color': … --color never"],
  ['kv get -ns=team app/db', "'-ns': … -n team"],
  ['job revert -version=4 web', "'-version=4': … --version=4\nhint: …"],
  ['kv get -output-curl-string app/db', "'-output-curl-string': … --dry-run"],
])('a flag of another tool: tug %s', async (line, words) => {
  expect(await tug(line, { env: configured })).toMatchObject({ exit: 2, stdout: '', stderr: says(`tug: …${words}\n`) })
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
  ['job list -w=x', "'-w': … 'tug job list --watch'"],
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

test('every line in the answers is a command of tug with flags that it has', async () => {
  const rows = [...otherCommands, ...otherFlags]
  const lines = rows.flatMap(({ text }) => [...text.matchAll(/\btug ([^}';]*)/g)].map(([, line = '']) => line))
  expect(lines.length).toBeGreaterThan(50)
  for (const line of lines) {
    const { target, problem, params, help } = await findRoute(line.split(/ [<[…>]/)[0]?.split(' ') ?? [], tree)
    expect({ line, problem, isKnown: help || line.endsWith('…') || target?.kind === 'command' }).toEqual({
      line,
      problem: undefined,
      isKnown: true,
    })
    const names = [...Object.keys(params).map(flagName), '--help']
    for (const flag of line.match(/(?<= )--[a-z\d-]+/g) ?? []) expect(names, line).toContain(flag)
  }
})
