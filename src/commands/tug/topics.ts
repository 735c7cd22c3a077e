import { globalFlagLines, twoColumns } from '../../cli/help.ts'
import { globalFlags } from '../../config/settings.ts'
import { faultForms } from '../../dev/faults.ts'
import { exitMeanings } from '../../core/errors.ts'
import { settingFacts } from '../../config/profile-keys.ts'

/** What `tug help <topic>` explains. */
export const topics: Readonly<Record<string, () => string>> = {
  flags,
  'exit-codes': exitCodes,
  environment,
  output,
  filters,
  'job-filters': jobFilters,
  deploy,
  dialects,
  faults,
}

function flags(): string {
  return `Global flags

${globalFlagLines(globalFlags, 100).join('\n')}

--address, --token-file, --namespace and the TLS flags apply to the command's service. Each has an
environment variable and a profile key: tug help environment.
`
}

function exitCodes(): string {
  return `Exit codes, the same for all commands

${rows(exitMeanings)}
With -o json or ndjson an error is one line of JSON on stderr. Its "code" is a stable word
(not_found, conflict, …), so scripts needn't parse the message.
`
}

function environment(): string {
  const own = settingFacts()
    .rows.filter(({ variables }) => variables.length > 0)
    .map(
      ({ variables, meaning, flag }) =>
        [variables.join(', '), flag === undefined ? meaning : `${meaning} (${flag})`] as const,
    )
  return `Environment

A flag overrides the environment, which overrides the profile. A profile named by --profile (not
TUG_PROFILE) overrides the environment's address, token, namespace, headers and TLS. If two servers
are configured, a line on stderr shows which one is used. A profile's token, namespace and
certificates are used only with its own address. tug profile show --effective shows each value and
its source.

${rows(own)}
  NO_COLOR, FORCE_COLOR, CLICOLOR, CLICOLOR_FORCE
                                    colors, unless --color is given
  CI                                no prompts, no animation; results are the same
  GITHUB_ACTIONS                    failures become annotations, and values that look like secrets are
                                    masked in the workflow's log before they are printed; both on
                                    stderr. They look so by their key (password, token, key,
                                    credential, …), as a known kind of token, a private key or a URL
                                    with a password, or as 16 or more letters and digits, unless they
                                    are host names, user names or numbers. kv exec masks every value.
                                    A line that begins with :: is printed as \\x3a:, except in output
                                    byte for byte (--raw, --field, a CSV export): write that to a file
  HTTP_PROXY, HTTPS_PROXY, NO_PROXY upper or lower case, for HTTP and WebSocket; NO_PROXY lists
                                    hosts, domains, addresses and networks (10.0.0.0/8, fd00::/8);
                                    loopback addresses never use a proxy
  TUG_ACCESSIBLE, ACCESSIBLE        1: progress as lines of text, the rows of tables as labelled records
  COLUMNS                           width of tables on a terminal
  NOMAD_VAR_<name>                  a variable of job files; --var and --var-file override it
  TUG_CONFIG_DIR, XDG_CONFIG_HOME   where profiles and tokens are saved

The vendors' variables come after TUG_… and before the profile. If the address comes from them, their
other variables apply too, and the service uses the hashicorp API dialect:

  TFE_ADDRESS or TFE_HOSTNAME, TFE_TOKEN, TFE_ORG or TFE_ORGANIZATION, TF_TOKEN_<host>,
  ~/.terraform.d/credentials.tfrc.json
  VAULT_ADDR and BAO_ADDR, …_TOKEN, …_NAMESPACE, …_CACERT, …_CAPATH, …_CLIENT_CERT,
  …_CLIENT_KEY, …_TLS_SERVER_NAME, …_SKIP_VERIFY, …_HEADERS, ~/.vault-token
  NOMAD_ADDR, NOMAD_TOKEN, NOMAD_NAMESPACE, NOMAD_REGION, NOMAD_CACERT, NOMAD_HTTP_AUTH, …

A token is never sent to another service or host: VAULT_TOKEN is sent to BAO_ADDR only if VAULT_ADDR is
unset or the same address, and vice versa.
`
}

function output(): string {
  return `Output

stdout contains only the result; progress, hints, warnings and errors go to stderr.

  table    columns, fitted to the terminal; untruncated in a pipe
  wide     table with more columns and absolute times
  json     the result in a stable form, with every digit and the order of keys
  ndjson   one JSON object per line, as it arrives
  yaml     the same as json, as YAML
  csv      RFC 4180, LF, header line; --csv-safe escapes formulas, --csv-bom adds a byte order mark
  tsv      tab-separated; tabs and line breaks inside a value are written \\t and \\n
  md       a GitHub-flavoured table
  box      a table with borders; lists have one item per line, long text wraps (up to 200 rows)
  name     identifiers only, one per line; -0 ends each with a NUL byte

  --raw                 the server's body, byte for byte
  --query <jmespath>    select from the JSON result before it is printed
  --columns <a,b>       these columns, in this order
  --no-headers          omit the header line
`
}

function filters(): string {
  return `Filters of the explorer

  -f '<field> <operator> [<value>]'      repeat it to combine conditions with "and"

  text       is, is not, contains, does not contain, is empty, is not empty
  number     is, is not, gt, lt, gteq, lteq, is empty, is not empty
  boolean    is, is empty, is not empty
  datetime   is before, is after, within, older than

  =  !=  ~  !~  >  >=  <  <=             short forms of the operators for the field's type
  a field by its name or the heading of its column: project_name, project
  '_', '-' and blanks are interchangeable in fields and operators; a value may be quoted
  30d, 12h, 2w, yesterday, monday        a datetime that long ago; dates are read as UTC
  within 30d, older than 30d             less or more than that long ago
  >= and <= of a datetime                sent as is after and is before: there is no "at or after"

  tug explorer query workspaces -f 'drifted is true' -f 'workspace_updated_at > 7d'
  tug explorer fields workspaces         every field with its type and operators
`
}

function jobFilters(): string {
  return `Filters of the scheduler

  tug job list --filter '<expression>'   runs on the server, on each whole job

  Status == "running"                  equal; != for unequal
  "dc1" in Datacenters                 member of a list, key of a map, substring; not in
  Name contains "api"                  the reverse of in; not contains
  ID matches "^batch-(a|b)"            regular expression (RE2, (?i) works); not matches
  Meta is empty                        is not empty, is nil, is not nil
  and, or, not, ( )                    "and" binds tighter than "or"
  any TaskGroups as g { g.Count == 3 } any or all items of a list or map, also nested

  Names are those in the job's JSON and are case-sensitive: ID, Name, Type, Status, Priority, ParentID,
  Namespace, Datacenters, NodePool, Meta.owner, Meta["team-key"], TaskGroups.0.Name.
  Values are "text", \`text with "quotes"\`, numbers, true or false. There is no < or >.
  A missing part of an optional block is an error: put "Periodic is not nil and" before Periodic.Enabled.

  tug job list --filter 'Status == "running" and Type == "service"'
  tug job list --filter 'Meta.owner == "team-a"'
  tug job list --filter 'any TaskGroups as g { any g.Tasks as t { t.Driver == "docker" } }'
`
}

function deploy(): string {
  return `Deploy jobs: which command when

  tug job plan web.hcl        what would change; changes nothing
  tug job apply web.hcl       plan, ask, register exactly that, wait for the outcome; again: nothing to do
  tug job apply jobs/ --yes   the same for a folder, in a pipeline; stopped jobs stay stopped
  tug job plan jobs/ --save plan.json    plan in one step, review,
  tug job apply --saved plan.json        apply exactly that in another
  tug job run web.hcl         register at once, without a plan or a question; always evaluates the job
  tug job update web web.hcl  like run, refused if the file contains another job than web
  tug job restart web         replace its allocations without a change; tug job start: after a stop
  tug job revert web          back to an older version; tug job wait web: follow what is under way
`
}

function dialects(): string {
  return `Dialects

The API documents and the products differ in a few names. --dialect auto (default) works with both:
headers and parameters are sent in both spellings, and responses decide the rest.

  --dialect neutral            use the names of the API documents
  --dialect hashicorp          use the products' names
  tug status                   show the detected dialect

tug login and the vendors' variables set it in advance. You can type names in either spelling; output
uses those of the API documents. Job files, scheduler bodies, CSV and --raw are never translated.

  neutral                      hashicorp
  X-Secrets-Token              X-Vault-Token
  X-Secrets-Namespace          X-Vault-Namespace
  X-Scheduler-Token            X-Nomad-Token
  X-Scheduler-Index            X-Nomad-Index
  workspace_tool_version       workspace_terraform_version
  does not contain             does_not_contain
  SecretsToken                 VaultToken
  DiscoveryToken               ConsulToken
  IdempotencyToken             idempotency_token
`
}

function faults(): string {
  return `Faults of the local server (tug dev --fault <spec>)

${rows(faultForms)}`
}

function rows(pairs: readonly (readonly [string, string])[]): string {
  return twoColumns(pairs, 100)
    .map((line) => `${line}\n`)
    .join('')
}
