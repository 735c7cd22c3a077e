/**
 * A command or flag of another tool, and what to use here. In the text, `{tug …}` is a command line, filled with what was typed: `<job>`
 * is the next argument, `[path]` too if there is one, `…` the remaining ones, or at the start the command as well. `<value>` is the
 * flag's value and `<flag>` its name. A line in quotes only gets the target flags.
 */
export interface Suggestion {
  /** The group or command where it is typed, including everything below; alternatives are separated by ` | `. */
  readonly where: string
  /** What is typed, flags without dashes; `*` is any word. */
  readonly typed: string
  readonly text: string
}

function suggestions(
  ...rows: readonly (readonly [where: string, typed: string, text: string])[]
): readonly Suggestion[] {
  return rows.map(([where, typed, text]) => ({ where, typed, text }))
}

const versioning = `tug api secrets POST sys/mounts/<mount>/tune --data '{"options":{"version":"2"}}'`
const notCovered = 'not among the endpoints of tug'

/** Words typed as a command. At the root, the words of all groups apply too. */
export const otherCommands = suggestions(
  ['job', 'logs | log', `logs are ${notCovered}; use {nomad alloc logs -job <job>}`],
  ['job', 'rollback | undo', 'use {tug job revert <job> <version>}'],
  ['job', 'submit | create | deploy', 'use {tug job apply <file>}'],
  ['job', 'delete | rm | remove | destroy | purge', 'use {tug job stop <job> --purge}'],
  ['job', 'describe | info', 'use {tug job status <job>}'],
  [
    'job',
    'promote',
    `promoting a deployment is ${notCovered}; use {tug api scheduler POST /v1/deployment/promote/<deployment>} with its whole ID and --data '{"All":true}', or 'nomad deployment promote <deployment>'`,
  ],
  ['job', 'fail', `failing a deployment is ${notCovered}; use 'nomad deployment fail <deployment>'`],
  ['job', 'validate', 'use {tug job plan <file>}'],
  ['job', 'eval', 'use {tug job evaluate <job>}, or {tug job evals <job>} for the list'],
  ['job', 'exec', `running a command in a task is ${notCovered}; declared actions run with {tug job action <job>}`],
  ['explorer', 'list', 'use {tug explorer query <view>}, or {tug explorer views list} for saved views'],
  ['explorer views', 'run | execute | query', 'use {tug explorer views results <view>}'],
  [
    'explorer',
    'save | saved',
    'use {tug explorer views create <name>}, or {tug explorer views list} for those that exist',
  ],
  ['explorer', 'workspaces', 'use {tug explorer query workspaces}'],
  ['kmip', 'credential | credentials | certificate | cert', 'use {tug kmip cred …}'],
  [
    'kmip cred',
    'issue | create',
    'use {tug kmip cred generate <scope> <role>}, or {tug kmip cred sign <scope> <role> --csr <file>} for a key of your own',
  ],
  ['kmip role', 'create', 'use {tug kmip role set <scope> <role>}, which creates it too'],
  ['kv', 'versions', 'use {tug kv history <path>}'],
  ['kv', 'search | grep', 'use {tug kv find <text>}'],
  ['kv', 'env | dotenv', 'use {tug kv exec <path>} -- <command>, or {tug kv export <path> --format dotenv} for a file'],
  ['kv', 'enable-versioning', `use \`${versioning}\``],
  ['kv metadata', '*', 'use {tug kv metadata get <path>}'],
  ['', 'views run | views execute | views query', 'use {tug explorer views results <view>}'],
  ['', 'restart', 'use {tug job restart <job>}'],
  ['', 'apply', 'use {tug job apply <file>}'],
  ['', 'get', 'use {tug kv get <path>} or {tug job get <job>}'],
  ['', 'rm | delete | remove', 'use {tug kv delete <path>} or {tug job stop <job>}'],
  ['', 'put', 'use {tug kv put <path> <data>}'],
  ['', 'ls | list', 'use {tug kv list [path]}, {tug job list} or {tug explorer query workspaces}'],
  ['', 'vault kv | bao kv', 'use {tug kv …}'],
  ['', 'vault read | bao read', 'use {tug api secrets GET <path>}'],
  [
    '',
    'vault | bao',
    "see {tug kv --help} for secrets, {tug kmip --help} for KMIP; any other path: 'tug api secrets GET <path>'",
  ],
  ['', 'nomad job', 'use {tug job …}'],
  ['', 'nomad', "see {tug job --help} for jobs; any other path: 'tug api scheduler GET <path>'"],
  ['', 'terraform | tofu | tfe', 'see {tug explorer --help} for workspaces, modules and providers'],
  ['', 'auth login', 'use {tug login <service>}'],
  ['', 'auth | whoami', "use {tug status}; to sign in, 'tug login <service>'"],
  ['', 'context use | ctx use', 'use {tug profile use <name>}'],
  ['', 'context | ctx | config', "use 'tug profile list', or 'tug profile use <name>' to switch"],
  ['', 'alloc', `single allocations are ${notCovered}; those of a job are shown by 'tug job allocs <job>'`],
  ['', 'node', `nodes are ${notCovered}; use 'nomad node status'`],
  ['', 'deployment', "use 'tug job deployment <job>' or 'tug job deployments <job>'"],
  ['', 'eval', "use 'tug job evals <job>'"],
  ['', 'read', 'use {tug kv get <path>}, or {tug api secrets GET <path>}'],
  ['', 'write', 'use {tug kv put <path> <data>}, or {tug api secrets POST <path>}'],
  ['', 'secrets', `mounts are ${notCovered}; use 'tug api secrets GET sys/mounts'`],
  ['', 'workspaces | workspace', 'use {tug explorer query workspaces}'],
)

/** Flags. A row that suggests a flag of the same command applies only if the command has that flag. */
export const otherFlags = suggestions(
  ['job revert', 'to', 'the version is an argument: {tug job revert <job> <value>}'],
  ['job versions', 'p', '-p is --profile here; for the differences use {tug job versions <job> --diffs}'],
  ['job list', 'f', 'use {… --filter <value>}'],
  ['job list', 'A | all-namespaces', "use {tug job list -n '*'}"],
  ['job status', 'A | all-namespaces', "use {tug job status -n '*'}"],
  ['job allocs', 'running', `use {… --query "[?ClientStatus=='running'].ID" -o name} for their IDs`],
  ['job allocs', 'status', `use {… --query "[?ClientStatus=='<value>'].ID" -o name} for their IDs`],
  ['job status', 'short', 'use {tug job summary <job>}'],
  ['job plan', 'out', 'use {tug job plan <file> --save <value>}, then {tug job apply --saved <value>}'],
  ['job run | job plan | job apply | job parse | job update', 'f | file', 'the file is an argument: {… <value>}'],
  ['job export', 'all', "all jobs of the namespace are exported without it; for all namespaces use -n '*'"],
  ['kv restore | kv verify', 'to-mount', 'use --mount <value>'],
  ['kv copy | kv move', 'all-versions', 'use {… --versions all}'],
  ['kv audit', 'stale', 'use {… --older-than <value>}'],
  ['kv list', 'r | R | recursive', 'use {tug kv tree [path]}'],
  ['kv', 'r | R | rf', 'use {… --recursive}'],
  ['kv get', 'O', 'use {tug kv export <path> -O <value>}, which writes a private file'],
  ['kmip cred', 'O', 'use --out-dir <folder>'],
  [
    'kmip cred',
    'ttl',
    'the role decides how long certificates are valid: {tug kmip role set <scope> <role> --tls-client-ttl <value>}',
  ],
  ['kmip role set', 'operation-all | operation_all', 'use {… --all-operations}'],
  ['kmip role set', 'operation-none | operation_none', 'use {… --no-operations}'],
  ['kmip role set', 'ttl', 'use {… --tls-client-ttl <value>}'],
  [
    'explorer query | explorer export | explorer summary | explorer views',
    'desc | descending | reverse',
    'for the reverse order put a dash before the field: --sort=-<field>',
  ],
  [
    'explorer usage',
    'sort | s',
    `the rows are sorted with --query 'sort_by(@, &<field>)'; the fields: workspace_name, project_name, version`,
  ],
  ['explorer usage', 'all', 'every page is read without it'],
  ['explorer views apply', 'f | file', 'the file is an argument: {… <value>}'],
  ['explorer export', 'o', 'for another format: {tug explorer query <view> --all -o <value> > <file>}'],
  ['explorer views export', 'o', 'for another format: {tug explorer views results <view> --all -o <value> > <file>}'],
  [
    'explorer query',
    'O',
    'use {… -o <extension> > <value>}, or {tug explorer export <view> -O <value>} for every row as CSV',
  ],
  ['', 'O', 'use {… -o <extension> > <value>}'],
  ['', 'w', 'use {… --watch}'],
  ['', 'limit', 'use {… --per-page <value>}'],
  ['', 'detailed-exitcode', 'use --exit-code'],
  ['', 'json | yaml | csv | tsv | ndjson | md | table | wide', 'use -o <flag>'],
  ['', 'markdown', 'use -o md'],
  ['kv get', 'format', 'use -o <value>, or {tug kv export <path> --format dotenv} for a file of variables'],
  [
    'kv put | kv set | kv patch',
    'format',
    'the name of a file shows its format; {tug kv import} reads dotenv in a pipe',
  ],
  ['', 'format', 'use -o <value>'],
  ['job apply | job restart', 'detach', 'use {… --no-wait}'],
  ['', 'detach', "commands return at once unless --wait is given; 'tug job apply' waits"],
  ['', 'jq', 'use --query <expression>, which is JMESPath; for jq: -o json in a pipe'],
  ['', 'token', "a token is never a flag; use --token-file <file>, a variable, or 'tug login <service>'"],
  ['', 'ns', 'use -n <value>'],
  ['', 'no-color', 'use --color never'],
  ['', 'output-curl-string', 'use --dry-run'],
  ['', 'verbose', 'use -o wide for more columns, or --trace for the requests'],
  ['', 'silent', 'use --quiet'],
  ['', 'auto-approve', 'use --yes'],
  ['job apply | job restart', 'wait', 'they wait unless --no-wait is given'],
  ['job run | job plan | job apply | job update', 'hcl1', 'convert the file: {tug job parse <file> --hcl1}'],
)
