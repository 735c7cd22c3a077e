import { formats } from '../core/context.ts'
import { serviceNames } from '../core/service.ts'
import { commandLine, shellQuote, targetSpellings } from '../core/shell.ts'
import type { Place, Word } from './words.ts'
import { hasFlag } from './words.ts'

const dataFormat = 'use -o <value>; the name of a data file shows its format, and `kv import` reads dotenv in a pipe'

const promoting =
  'promoting a deployment has no command; use `api scheduler POST /v1/deployment/promote/<deployment> --data \'{"DeploymentID":"<deployment>","All":true}\'`'

/**
 * Words and flags of other tools: the group or command where they are typed (anywhere if empty), the words, and what to use. A command
 * line of `tug`, between back quotes, is filled with the typed arguments: `<job>` and `[path]` take the next one, `<mount/path>` one that
 * begins with the mount, `[mount/path]` one that may (`secret/metadata/app`), `…` the rest; `<value>` is the flag's value, `<typed>` the
 * flag or word. A row that names a flag outside such a line applies only to commands with that flag.
 * @internal
 */
export const otherTools: readonly (readonly [where: string, words: string, advice: string])[] = [
  ['job', 'logs, log', "logs are not among tug's endpoints; use 'nomad alloc logs -job <job>'"],
  ['job', 'rollback, undo', 'use `job revert <job> <version>`'],
  ['job', 'submit, create, deploy', 'use `job apply <file>`'],
  ['job', 'delete, rm, remove, destroy, purge', 'use `job stop <job> --purge`'],
  ['job', 'describe, info', 'use `job status <job>`'],
  ['job', 'promote', promoting],
  ['job', 'fail', "not among tug's endpoints; use 'nomad deployment fail <deployment>'"],
  ['job', 'validate', 'use `job plan <file>`'],
  ['job', 'eval', 'use `job evaluate <job>`, or `job evals <job>` for the list'],
  [
    'job',
    'tag',
    "setting tags is not among tug's endpoints; use 'nomad job tag', and `job versions <job>` to see them",
  ],
  ['job', 'exec', "not among tug's endpoints; declared actions run with `job action <job>`"],
  ['explorer', 'list, workspaces', 'use `explorer query workspaces`, or `explorer views list` for saved views'],
  ['explorer', 'save, saved', 'use `explorer views create <name>`, or `explorer views list` for existing ones'],
  ['explorer views', 'run, execute, query', 'use `explorer views results <view>`'],
  ['kmip', 'credential, credentials, certificate, cert', 'use `kmip cred …`'],
  [
    'kmip cred',
    'issue, create',
    'use `kmip cred generate <scope> <role>`, or `kmip cred sign <scope> <role> --csr <file>`',
  ],
  ['kmip role', 'create', 'use `kmip role set <scope> <role>`, which creates it too'],
  ['kv', 'versions', 'use `kv history <path>`'],
  ['kv', 'search, grep', 'use `kv find <text>`'],
  ['kv', 'env, dotenv', 'use `kv exec <path> -- <command>`, or `kv export <path> --format dotenv` for a file'],
  ['kv', 'enable-versioning', 'use `api secrets POST sys/mounts/<mount>/tune --data \'{"options":{"version":"2"}}\'`'],
  ['', 'views run, views execute, views query', 'use `explorer views results <view>`'],
  ['', 'restart', 'use `job restart <job>`'],
  ['', 'apply', 'use `job apply <file>`'],
  ['', 'get', 'use `kv get <path>` or `job get <job>`'],
  ['', 'rm, delete, remove', 'use `kv delete <path>` or `job stop <job>`'],
  ['', 'put', 'use `kv put <path> key=-`, or `api secrets POST <path> --data -`'],
  ['', 'write, vault write, bao write', 'use `kv put <mount/path> key=-`, or `api secrets POST <path> --data -`'],
  ['', 'read, vault read, bao read', 'use `kv get <mount/path>`, or `api secrets GET <path>`'],
  ['', 'vault list, bao list', 'use `kv list [mount/path]`'],
  ['', 'ls, list', 'use `kv list [mount/path]`, `job list` or `explorer query workspaces`'],
  ['', 'vault kv, bao kv', 'use `kv …`'],
  ['', 'vault login, bao login', 'use `login secrets`; VAULT_TOKEN and ~/.vault-token are read, too'],
  ['', 'vault status, bao status', 'use `status`'],
  ['', 'vault secrets, bao secrets', 'use `api secrets GET sys/mounts` for the mounts'],
  [
    '',
    'vault, bao',
    'see `kv --help` for secrets, `kmip --help` for KMIP; any other path: `api secrets GET /v1/<path>`',
  ],
  ['', 'nomad job', 'use `job …`'],
  ['', 'nomad run', 'use `job run <file>`'],
  ['', 'nomad plan', 'use `job plan <file>`'],
  ['', 'nomad stop', 'use `job stop <job>`'],
  ['', 'nomad status', 'use `job status [job]`'],
  ['', 'nomad', 'see `job --help` for jobs; any other path: `api scheduler GET /v1/<path>`'],
  ['', 'terraform, tofu, tfe', 'see `explorer --help` for workspaces, modules and providers'],
  ['', 'auth login', 'use `login <service>`'],
  ['', 'auth, whoami', 'use `status`; to sign in, `login <service>`'],
  ['', 'context use, ctx use', 'use `profile use <name>`'],
  ['', 'context, ctx, config', 'use `profile list`, or `profile use <name>` to switch'],
  ['', 'alloc', "single allocations are not among tug's endpoints; `job allocs <job>` lists those of a job"],
  ['', 'node', "nodes are not among tug's endpoints; use 'nomad node status'"],
  ['', 'deployment promote', promoting],
  ['', 'deployment', 'use `job deployment <job>` or `job deployments <job>`'],
  ['', 'eval', 'use `job evals <job>`'],
  ['', 'token', 'use `status`; to store another one, `login <service>`'],
  ['', 'unwrap', 'use `api secrets POST sys/wrapping/unwrap --token-file <file>`'],
  [
    '',
    'namespace, var, volume, server, operator, system, monitor',
    "not among tug's endpoints; use 'nomad <typed>', or `api scheduler GET /v1/<path>`",
  ],
  ['', 'secrets', 'use `api secrets GET sys/mounts` for the mounts'],
  ['', 'workspaces, workspace', 'use `explorer query workspaces`'],
  // After those of no group, which come first for a word alone.
  ['kv', 'read', 'use `kv get <path>`'],
  ['kv', 'write, create', 'use `kv put <path> key=-`'],
  ['kv', 'log', 'use `kv history <path>`'],
  ['kmip config', 'read', 'use `kmip config get`'],
  ['kmip config', 'write', 'use `kmip config set` with a flag for each field'],
  ['login', '-method', "sign in with 'vault login': VAULT_TOKEN and ~/.vault-token are read, too"],
  [
    'job run',
    '-output',
    '`job parse <file>` prints a job as JSON; `job plan <file> --save <plan>` saves what would be registered',
  ],
  ['job versions', '-p', 'for the differences use --diffs; -p is the profile'],
  ['job versions', '-full', 'use -o json'],
  ['job deployments', '-latest', 'use `job deployment <job>`'],
  ['job deployment', '-latest', 'the latest one is shown without it'],
  ['job scale', '-count', 'the count is an argument: `job scale <job> <value>`'],
  ['job revert', '-vault-token', 'use --secrets-token-file <file>'],
  ['job revert', '-consul-token', 'use --discovery-token-file <file>'],
  ['job run', '-json', 'a job file in JSON needs no flag'],
  ['job plan', '-json', 'a job file in JSON needs no flag'],
  ['job', '-t', 'use --query <expression>, which is JMESPath'],
  ['job revert', '-to', 'the version is an argument: `job revert <job> <value>`'],
  ['job list', '-f', 'use --filter <value>'],
  ['job', '-A, -all-namespaces', "use -n '*'"],
  ['job action', '-job', 'the job is an argument: `job action <value> <action>`'],
  ['job allocs', '-running', 'use --query "[?ClientStatus==\'running\'].ID" -o name for their IDs'],
  ['job status', '-short', 'use `job summary <job>`'],
  ['job plan', '-diff', 'the differences are shown unless --no-diff is given'],
  ['job plan', '-out', 'use --save <value>, then `job apply --saved <value>`'],
  ['job', '-f, -file', 'the file is an argument'],
  ['job export', '-all', "all jobs of the namespace are exported without it; for all namespaces use -n '*'"],
  ['job apply', '-detach', 'use --no-wait'],
  ['job restart', '-detach', 'use --no-wait'],
  ['job apply', '-wait', 'it waits unless --no-wait is given'],
  ['job restart', '-wait', 'it waits unless --no-wait is given'],
  ['job', '-hcl1', 'convert the file: `job parse <file> --hcl1`'],
  ['kv', '-to-mount', 'use --mount <value>'],
  ['kv', '-all-versions', 'use --versions all'],
  ['kv audit', '-stale', 'use --older-than <value>'],
  ['kv list', '-r, -R, -recursive', 'use `kv tree [path]`'],
  ['kv', '-R, -rf', 'use --recursive'],
  ['kv get', '-O', 'use `kv export <path> -O <value>`, which writes a private file'],
  ['kmip cred', '-ttl', 'the role decides: `kmip role set <scope> <role> --tls-client-ttl <value>`'],
  ['kmip role', '-operation-all, -operation_all', 'use --all-operations'],
  ['kmip role', '-operation-none, -operation_none', 'use --no-operations'],
  ['kmip role', '-ttl', 'use --tls-client-ttl <value>'],
  ['explorer usage', '-sort, -s', "use --query 'sort_by(@, &<field>)' with workspace_name, project_name or version"],
  ['explorer', '-desc, -descending, -reverse', 'for the reverse order put a dash before the field: --sort=-<field>'],
  ['explorer views apply', '-f, -file', 'the file is an argument'],
  ['explorer export', '-o', 'for another format: `explorer query … --all -o <value>`'],
  ['explorer views export', '-o', 'for another format: `explorer views results <view> --all -o <value>`'],
  ['job export', '-O', 'for one job on standard output: tug job submission <job>'],
  ['', '-O', 'redirect standard output: > <value>'],
  ['', '-w', 'use --watch'],
  ['', '-limit', 'use --per-page <value>'],
  ['', '-detailed-exitcode', 'use --exit-code'],
  ['', '-json, -yaml, -csv, -tsv, -ndjson, -md, -table, -wide', 'use -o <typed>'],
  ['', '-markdown', 'use -o md'],
  [
    'kv get',
    '-format',
    "use -o <value>, in which vault's .data.data is .data (--raw keeps it), or `kv export <path> --format dotenv` for a file of variables",
  ],
  ['kv metadata get', '-format', "use -o <value>, which is vault's .data (--raw keeps it)"],
  ['kv patch', '-method', 'PATCH is sent; to read and write instead: `kv set <path> key=-`'],
  ['kv put', '-format', dataFormat],
  ['kv set', '-format', dataFormat],
  ['kv patch', '-format', dataFormat],
  ['kv import', '-format', dataFormat],
  ['kmip ca', '-format', 'the CA certificates are printed as PEM'],
  ['', '-format', 'use -o <value>'],
  ['', '-detach', 'commands return at once unless --wait is given; `job apply` waits'],
  ['', '-jq', 'use --query <expression>, which is JMESPath; for jq: -o json in a pipe'],
  ['', '-token', 'a token is never a flag; use --token-file <file>, a variable, or `login <service>`'],
  ['', '-ns', 'use -n <value>'],
  ['', '-organization, -organisation', 'use --org <value>'],
  ['', '-tls-skip-verify', 'use --insecure'],
  ['', '-no-color', 'use --color never'],
  ['', '-output-curl-string', 'use --dry-run'],
  ['', '-verbose', 'use -o wide for more columns, or --trace for the requests'],
  ['', '-silent', 'use --quiet'],
  ['', '-auto-approve', 'use --yes'],
]

/** Subcommands of other tools: what follows one is not an argument of a command of `tug`. */
const verbs: ReadonlySet<string> = new Set([
  'list',
  'ls',
  'status',
  'info',
  'show',
  'get',
  'set',
  'inspect',
  'describe',
  'logs',
  'exec',
  'restart',
  'stop',
  'signal',
  'fs',
  'promote',
  'fail',
  'pause',
  'resume',
  'unblock',
  'apply',
  'unset',
])

/** The command line around a word. */
export interface LineContext {
  /** The words of the command or group. */
  readonly words: readonly string[]
  readonly line: readonly Word[]
  readonly place: Place
}

/** What to use for a word or flag of another tool; undefined if none is known. `isAnywhere` also searches the words of other groups. */
export function otherToolAdvice(word: Word, context: LineContext, isAnywhere = false): string | undefined {
  const { words, line, place } = context
  const path = words.join(' ')
  const isFlag = word.role === 'flag'
  const [typed = ''] = isFlag ? word.text.split('=') : [word.text]
  const bare = typed.replace(/^-+/, '')
  const next = line.find(({ role, at }) =>
    isFlag ? role === 'value' && at === word.at + 1 : role === 'argument' && at > word.at,
  )
  const applies = (where: string, advice: string) => {
    if (!isFlag) return where === path || isAnywhere
    const flags = advice.replaceAll(/`[^`]+`/g, '').match(/(?<= --)[a-z-]+/g) ?? []
    return `${path} `.startsWith(where && `${where} `) && flags.every((flag) => hasFlag(flag, place.flags))
  }
  for (const one of isFlag ? [`-${bare}`, `-${word.param?.short}`] : [`${typed} ${next?.text}`, typed]) {
    const row = otherTools.find(([where, known, text]) => known.split(', ').includes(one) && applies(where, text))
    if (row === undefined) continue
    const [, , advice] = row
    const given = word.value ?? next?.text
    const usesNext = isFlag ? word.value === undefined && advice.includes('<value>') : one !== typed
    const isNoFormat = advice.includes('-o <value>') && !(formats as readonly string[]).includes(given ?? '')
    const value = !given ? '<value>' : isNoFormat ? `<${formats.join('|')}>` : shellQuote(given)
    const others = line.filter(({ at }) => at !== word.at && !(usesNext && at === next?.at))
    const rest = restOf(others, isFlag ? next : undefined)
    return advice
      .replaceAll(/`([^`]+)`/g, (_, template: string) => filled(template, rest, value))
      .replaceAll('<value>', () => value)
      .replaceAll('<typed>', () => bare)
  }
  return undefined
}

/** A command line for an advice, with the flags of the typed line that select the target. */
export function suggestion(words: string, line: readonly Word[]): string {
  return filled(words, { ...restOf(line, undefined), args: [], isCut: false }, '')
}

/** The rest of a typed line. */
interface Rest {
  readonly args: readonly string[]
  /** Spellings and values, as {@link commandLine} takes them. */
  readonly targetFlags: readonly string[]
  /** True if something was left out: `key=value` and JSON, which may be secret, and flags that don't select the target. */
  readonly isCut: boolean
}

/** `own` follows the flag that the advice is about, and is an argument. */
function restOf(line: readonly Word[], own: Word | undefined): Rest {
  const args = line.filter(
    ({ role, at, param }, index) =>
      role === 'argument' || at === own?.at || (param === undefined && isSwitch(line[index - 1])),
  )
  const shown = args.filter(({ text }) => !/=|^[[{]/.test(text)).map(({ text }) => text)
  return {
    args: shown,
    targetFlags: targetFlagsOf(line),
    isCut:
      shown.length < args.length ||
      line.some(({ role, key = '' }) => role === 'flag' && key !== 'insecure' && !(key in targetSpellings)),
  }
}

/** The flags of a line that select the target, as {@link commandLine} takes them. */
export function targetFlagsOf(line: readonly Word[]): string[] {
  const values = line.filter(({ key, value }) => key !== undefined && key in targetSpellings && value !== undefined)
  return [
    ...values.flatMap(({ key, value = '' }) => [targetSpellings[key as keyof typeof targetSpellings], value]),
    ...(line.some(({ key }) => key === 'insecure') ? ['--insecure'] : []),
  ]
}

/** True for a flag of other tools that takes no value: `-detach`. */
function isSwitch(word: Word | undefined): boolean {
  const name = word?.text.replace(/^--?/, '-') ?? ''
  const row = otherTools.find(([, known]) => known.split(', ').includes(name))
  return word?.role === 'flag' && row !== undefined && !/<(?!typed)/.test(row[2].replaceAll(/`[^`]+`/g, ''))
}

/** A command line for the advice, in quotation marks. */
function filled(template: string, { args, targetFlags, isCut }: Rest, value: string): string {
  const queue = [...args]
  const words = template.split(' ').flatMap((word) => {
    if (word === '…') return [...queue.splice(0).map(shellQuote), ...(isCut ? ['…'] : [])]
    const isOptional = word.startsWith('[')
    if (!isOptional && !/^<[\w/-]+>$/.test(word)) return [word]
    if (word === '<value>') return [value]
    // What is typed where a service belongs may be a token.
    if (word === '<service>' && !serviceNames.some((name) => name === queue[0])) return [word]
    const [typed] = word === '<command>' || verbs.has(args[0] ?? '') ? [] : queue
    if (typed === undefined) return isOptional ? [] : [word]
    if (!word.includes('/path')) return [shellQuote(queue.shift() as string)]
    // The next line of the same advice takes the whole path.
    const [, mount, path] =
      (isOptional ? /^([^/]+)\/metadata(?:\/(.*))?$/ : /^([^/]+)\/(?:data\/)?(.+)$/).exec(typed) ?? []
    if (mount === undefined) return [isOptional ? shellQuote(typed) : word]
    return [...(path ? [shellQuote(path)] : []), '--mount', shellQuote(mount)]
  })
  const line = commandLine(targetFlags, words.join(' '))
  return line.includes("'") ? `\`${line}\`` : `'${line}'`
}
