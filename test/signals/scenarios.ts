/** A command that a signal ends at a random moment, and what it may leave behind. */
export interface Scenario {
  readonly line: string
  /** Files of the working folder before it runs. */
  readonly files?: Readonly<Record<string, string>>
  /** Files that may have appeared or changed afterwards, by their whole content; any other is a leftover. */
  readonly leaves?: Readonly<Record<string, RegExp>>
  /** Secrets that are there before it runs. */
  readonly secrets?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** True if it runs on a terminal, whose mode and cursor must be as before. */
  readonly terminal?: boolean
  /** True if it ends by a signal only. */
  readonly waits?: boolean
}

/** An editor that is open until it is ended. */
const slowEditor = { EDITOR: 'sleep 100 #' }

const profile = '{"current":"old","profiles":{"old":{"explorer":{"address":"http://127.0.0.1:1"}}}}'
const config = { 'config/config.json': profile }
const configLeft = { 'config/config.json': /^\{[^]*\}\s*$/ }

const manySecrets = JSON.stringify(
  Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`s${index}`, { a: 'b' }])),
)

const wholeExport = /^\{\n {2}"api"[^]*"features"[^]*\n\}\n$/

/**
 * Every kind of command that streams, waits, writes or runs another program. `{}` is a text that no other run has,
 * `{token}` the server's token, `{alloc}` a running allocation.
 */
export const scenarios: readonly Scenario[] = [
  // Streams and files
  { line: 'explorer query workspaces --all -o json' },
  { line: 'explorer export workspaces' },
  { line: 'explorer export workspaces -O rows.csv', leaves: { 'rows.csv': /^[^\n]+\n(?:[^\n]+\n){5,}$/ } },
  {
    line: 'explorer diff workspaces rows.json --update',
    files: { 'rows.json': '[]' },
    leaves: { 'rows.json': /^\[[^]*\]\n?$/ },
  },
  { line: 'kv export app' },
  { line: 'kv export app -O app.json', leaves: { 'app.json': wholeExport } },
  { line: 'kv export app -O app.json --force', files: { 'app.json': '{}' }, leaves: { 'app.json': wholeExport } },
  { line: 'kv find --older-than 1d' },
  { line: 'kv tree' },
  { line: 'job list -o json' },
  { line: 'job action web migrate --all' },
  { line: 'job action web hello --all' },
  // Waits
  { line: 'job list --watch', waits: true },
  { line: 'job list --watch', waits: true, terminal: true },
  { line: 'job status web --watch', waits: true, terminal: true },
  {
    line: 'job run web.json --wait',
    files: {
      'web.json':
        '{"Job":{"ID":"r{}","Type":"service","Datacenters":["dc1"],"TaskGroups":[{"Name":"g","Count":1,"Tasks":[{"Name":"t","Driver":"docker","Config":{"image":"x"}}]}]}}',
    },
  },
  { line: 'job stop stuck --yes --wait' },
  { line: 'job dispatch nightly --meta source=orders --wait' },
  // Writes
  { line: 'kv put race/{} a=b' },
  { line: 'kv set race/{} a=b --generate c' },
  { line: 'kv import many.json race/{}', files: { 'many.json': manySecrets } },
  {
    line: 'kv import many.json race/{} --update --prune --yes',
    files: { 'many.json': manySecrets },
    secrets: ['race/{}/x'],
  },
  { line: 'kv copy app race/{} --recursive' },
  { line: 'kv move from/{} race/{} --recursive --yes', secrets: ['from/{}/a', 'from/{}/b', 'from/{}/c'] },
  { line: 'explorer views create v{} --type workspaces' },
  {
    line: 'kmip cred generate storage db --out-dir out',
    leaves: {
      'out/certificate.pem': /-----END CERTIFICATE-----\n?$/,
      'out/ca-chain.pem': /-----END CERTIFICATE-----\n?$/,
      'out/private-key.pem': /-----END [A-Z ]*PRIVATE KEY-----\n?$/,
    },
  },
  { line: 'job init app.hcl', leaves: { 'app.hcl': /^# A job: [^]*\n\}\n$/ } },
  { line: 'profile set new secrets.address=http://127.0.0.1:2', files: config, leaves: configLeft },
  { line: 'profile use old', files: config, leaves: configLeft },
  { line: 'profile delete old --yes', files: config, leaves: configLeft },
  {
    line: 'login secrets --token-file token -p old',
    files: { ...config, token: '{token}' },
    leaves: { ...configLeft, 'config/credentials.json': /^\{[^]*\}\s*$/ },
  },
  // Other programs
  { line: 'kv edit app/db', env: slowEditor, waits: true },
  { line: 'kv edit race/{}', env: { EDITOR: 'sh -c \'echo "{\\"a\\":1}" > "$0"\'' } },
  { line: 'kv exec app/db -- sleep 100', waits: true },
  { line: 'kv exec app/db -- true' },
  { line: 'dev -- sleep 100', waits: true },
  { line: 'dev', waits: true },
  {
    line: 'kv list -p slow',
    files: {
      'config/config.json':
        '{"profiles":{"slow":{"secrets":{"address":"http://127.0.0.1:1","token_command":"sleep 100 | cat; sleep 100"}}}}',
    },
    waits: true,
  },
  // Terminals
  { line: 'login secrets -p old', files: config, waits: true, terminal: true },
  { line: 'kv edit app/db', env: slowEditor, waits: true, terminal: true },
  { line: 'kv move app/api race/{}', waits: true, terminal: true },
  { line: 'job action web migrate --tty --dialect hashicorp --alloc {alloc} --task srv', terminal: true },
  { line: 'kv exec app/db -- sleep 100', waits: true, terminal: true },
]
