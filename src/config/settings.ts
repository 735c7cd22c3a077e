import { isAbsolute, resolve } from 'node:path'
import { formats } from '../core/context.ts'
import { parseDuration, longestTimer } from '../core/duration.ts'
import type { Param, Params } from '../core/param.ts'
import { flag, readMount, readName } from '../core/param.ts'
import type { ServiceName } from '../core/service.ts'
import { isTokenHeader } from '../core/secret-names.ts'
import { dialects } from '../core/service.ts'

/** The setting that a vendor's variable sets. */
export type VendorKey =
  | 'address'
  | 'token'
  | 'namespace'
  | 'org'
  | 'region'
  | 'ca_cert'
  | 'ca_path'
  | 'client_cert'
  | 'client_key'
  | 'tls_server_name'
  | 'insecure'
  | 'headers'

/** A row of the settings table: the sources of a value, in order. */
export interface Setting {
  /** Its flag: the meaning, and the parser of its value from any source. */
  readonly flag: Param
  /** True for a setting of environment and profile only; its `flag` cannot be typed. */
  readonly hasNoFlag?: boolean
  /** Its meaning, if that differs from its flag's. */
  readonly meaning?: string
  /** The flag's key, if it differs from the setting's. */
  readonly flagKey?: string
  /** The groups whose commands take the flag; all commands by default. */
  readonly groups?: readonly string[]
  /** Its variables, one for all services or one per service. */
  readonly variables?: Readonly<Partial<Record<ServiceName | 'all', string>>>
  /** Where it is in a profile: at the top, per service, or both. */
  readonly profile?: 'profile' | 'service' | 'both'
  /** The services that it applies to; by default all. */
  readonly services?: readonly ServiceName[]
  /** True for settings that select the server: for these, a profile chosen with `--profile` beats the environment. */
  readonly server?: boolean
  /** What the vendors' variables call it. */
  readonly vendorKey?: VendorKey
  readonly default?: string
}

const perService = (suffix: string) => ({
  explorer: `TUG_EXPLORER_${suffix}`,
  secrets: `TUG_SECRETS_${suffix}`,
  scheduler: `TUG_SCHEDULER_${suffix}`,
})

const dotenvAdvice = 'use tug kv export <path> --format dotenv'

/** Common members of settings that select the server. */
const ofServer = { profile: 'service', server: true } as const

function mountOf(group: string, engine: string, { variable, usual }: { variable: string; usual: string }) {
  return {
    groups: [group],
    flagKey: 'mount',
    flag: flag.of(`mount of the ${engine} engine`, readMount, { placeholder: 'path', defaultText: usual }),
    variables: { secrets: variable },
    profile: 'service',
    services: ['secrets'],
    default: usual,
  } as const satisfies Setting
}

/** Every flag of all commands and of the groups, with its variables, profile key and default. */
export const settings = {
  profile: {
    flag: flag.text('saved profile to use', { short: 'p', placeholder: 'name', complete: 'profile' }),
    variables: { all: 'TUG_PROFILE' },
  },
  output: {
    flag: flag.choice('output format', formats, {
      short: 'o',
      placeholder: 'format',
      defaultText: 'table',
      advice: { env: dotenvAdvice, dotenv: dotenvAdvice, shell: 'use tug kv export <path> --format shell' },
    }),
    variables: { all: 'TUG_OUTPUT' },
    profile: 'profile',
    default: 'table',
  },
  raw: { flag: flag.boolean("print the server's response body unchanged (implies json)") },
  query: { flag: flag.text('select from the JSON result with JMESPath', { placeholder: 'jmespath' }) },
  columns: { flag: flag.list('columns of table, csv, tsv and md, in this order') },
  noHeaders: { flag: flag.boolean('omit the header line of table, csv and tsv') },
  null: { flag: flag.boolean('with `-o name`, end names with NUL bytes, not newlines', { short: '0' }) },
  csvSafe: { flag: flag.boolean('escape csv cells that a spreadsheet would run as formulas') },
  csvBom: { flag: flag.boolean('start csv with a byte order mark') },
  address: {
    flag: flag.text('base URL of the service (unix:///path works too)', { placeholder: 'url' }),
    variables: perService('ADDR'),
    ...ofServer,
    vendorKey: 'address',
  },
  token: {
    meaning: 'token of the service',
    flagKey: 'tokenFile',
    flag: flag.text('read the token from a file (-: standard input)', { placeholder: 'file', complete: 'file' }),
    variables: perService('TOKEN'),
    server: true,
    vendorKey: 'token',
  },
  namespace: {
    flag: flag.text('namespace of the secrets store or scheduler', { short: 'n', placeholder: 'ns' }),
    variables: { secrets: 'TUG_SECRETS_NAMESPACE', scheduler: 'TUG_SCHEDULER_NAMESPACE' },
    ...ofServer,
    services: ['secrets', 'scheduler'],
    vendorKey: 'namespace',
  },
  dialect: {
    flag: flag.choice('API dialect (tug help dialects)', dialects, { defaultText: 'auto' }),
    variables: { all: 'TUG_DIALECT' },
    profile: 'both',
    default: 'auto',
  },
  caCert: {
    flag: flag.text('CA certificate to trust (PEM)', { placeholder: 'file', complete: 'file' }),
    ...ofServer,
    vendorKey: 'ca_cert',
  },
  caPath: {
    flag: flag.text('folder of CA certificates to trust (PEM)', { placeholder: 'folder', complete: 'directory' }),
    ...ofServer,
    vendorKey: 'ca_path',
  },
  clientCert: {
    flag: flag.text('client certificate (PEM)', { placeholder: 'file', complete: 'file' }),
    ...ofServer,
    vendorKey: 'client_cert',
  },
  clientKey: {
    flag: flag.text('private key of the client certificate (PEM)', { placeholder: 'file', complete: 'file' }),
    ...ofServer,
    vendorKey: 'client_key',
  },
  tlsServerName: {
    flag: flag.text('server name for SNI and certificate verification', { placeholder: 'name' }),
    ...ofServer,
    vendorKey: 'tls_server_name',
  },
  insecure: {
    flag: flag.boolean('skip verification of the TLS certificate (prints a warning)'),
    ...ofServer,
    vendorKey: 'insecure',
  },
  headers: {
    meaning: 'headers to send with each request, one per line',
    flagKey: 'header',
    flag: flag.each('header to send with each request', readUserHeader, { short: 'H', placeholder: 'name: value' }),
    variables: perService('HEADERS'),
    ...ofServer,
    vendorKey: 'headers',
  },
  timeout: {
    flag: flag.of('time limit for a response to start, and for pauses inside it', readTimeout, {
      placeholder: 'duration',
      defaultText: '60s; explorer 75s',
    }),
    variables: { all: 'TUG_TIMEOUT' },
    profile: 'service',
  },
  retries: {
    flag: flag.integer(
      'retries of a failed request; unless 0, bulk work waits up to --timeout for a server that is down',
      { min: 0, max: 100, defaultText: '4' },
    ),
    variables: { all: 'TUG_RETRIES' },
    profile: 'service',
    default: '4',
  },
  parallel: {
    flag: flag.integer('targets to work on at a time', {
      min: 1,
      max: 256,
      defaultText: '16; jobs 4; job restart 1',
    }),
    variables: { all: 'TUG_PARALLEL' },
    profile: 'service',
  },
  rate: {
    flag: flag.of('maximum requests per second in bulk work', readRate, {
      placeholder: 'n/s',
    }),
    variables: { all: 'TUG_RATE' },
    profile: 'service',
  },
  maxFailures: {
    flag: flag.integer('stop bulk work after this many failures', {
      min: 1,
      defaultText: 'no limit; job apply and job restart 1',
    }),
    variables: { all: 'TUG_MAX_FAILURES' },
    profile: 'service',
  },
  maxConnections: {
    hasNoFlag: true,
    flag: flag.integer('maximum connections to one server', { min: 1, max: 256, defaultText: '16' }),
    variables: { all: 'TUG_MAX_CONNECTIONS' },
    profile: 'service',
    default: '16',
  },
  maxBody: {
    flag: flag.integer('largest response body to read into memory, in bytes', { min: 1, defaultText: '512 MiB' }),
    variables: { all: 'TUG_MAX_BODY' },
  },
  dryRun: { flag: flag.boolean('print writes as curl commands instead of sending them') },
  readOnly: {
    flag: flag.boolean('refuse to send a request that could change something'),
    variables: { all: 'TUG_READ_ONLY' },
    profile: 'profile',
  },
  trace: {
    flag: flag.boolean('print requests, responses and timings on stderr, with secrets redacted'),
    variables: { all: 'TUG_TRACE' },
  },
  summary: { flag: flag.boolean('also write the result to the summary of a GitHub job') },
  quiet: { flag: flag.boolean('no progress, hints or confirmations on stderr', { short: 'q' }) },
  confirmProfile: {
    flag: flag.text('protected profiles to confirm writes for, comma-separated', {
      placeholder: 'name',
      complete: 'profile',
    }),
    variables: { all: 'TUG_CONFIRM_PROFILE' },
  },
  yes: { flag: flag.boolean('answer yes to every confirmation', { short: 'y' }) },
  noInput: { flag: flag.boolean('never prompt (also if CI is set)'), variables: { all: 'TUG_NO_INPUT' } },
  color: { flag: flag.choice('when to use color', ['auto', 'always', 'never'], { defaultText: 'auto' }) },
  org: {
    groups: ['explorer'],
    flag: flag.of('organization', readOrganization, { placeholder: 'name' }),
    variables: { explorer: 'TUG_EXPLORER_ORG' },
    profile: 'service',
    services: ['explorer'],
    vendorKey: 'org',
  },
  kvMount: mountOf('kv', 'key-value', { variable: 'TUG_KV_MOUNT', usual: 'secret' }),
  kmipMount: mountOf('kmip', 'KMIP', { variable: 'TUG_KMIP_MOUNT', usual: 'kmip' }),
  listMethod: {
    hasNoFlag: true,
    flag: flag.choice('send lists as GET …?list=true or with the method LIST', ['get', 'list'], {
      defaultText: 'what the server supports',
    }),
    variables: { secrets: 'TUG_LIST_METHOD' },
    profile: 'service',
    services: ['secrets'],
  },
  region: {
    groups: ['job'],
    flag: flag.text('region of the scheduler', { placeholder: 'name' }),
    profile: 'service',
    services: ['scheduler'],
    vendorKey: 'region',
  },
} as const satisfies Record<string, Setting>

type Settings = typeof settings

export type SettingKey = keyof Settings

/** The type of a setting's value. */
export type ValueOf<K extends SettingKey> = Settings[K]['flag'] extends Param<infer T> ? Exclude<T, undefined> : never
type FlagKey<K extends SettingKey> = Settings[K] extends { flagKey: infer F extends string } ? F : K

/** The flags typed on a command line, read once. */
export type Flags = { readonly [K in SettingKey as FlagKey<K>]?: ValueOf<K> | undefined }

/** The rows of the table, for documentation. */
export const settingRows: readonly (readonly [key: SettingKey, setting: Setting])[] = Object.entries(settings) as [
  SettingKey,
  Setting,
][]

/** The flags of every command. */
export const globalFlags: Params = flagsOf(({ groups }) => groups === undefined)

/** The flags of all commands of one group. */
export const groupFlags: Readonly<Record<string, Params>> = Object.fromEntries(
  ['explorer', 'kmip', 'kv', 'job'].map((group) => [group, flagsOf(({ groups }) => groups?.includes(group) === true)]),
)

function flagsOf(wanted: (setting: Setting) => boolean): Params {
  const rows = settingRows.filter(([, setting]) => setting.hasNoFlag !== true && wanted(setting))
  return Object.fromEntries(rows.map(([key, { flagKey = key, flag: param }]) => [flagKey, param]))
}

/** True for a setting that names a file or folder. */
export function isPath(setting: Setting): boolean {
  const { complete } = setting.flag
  return complete === 'file' || complete === 'directory'
}

/** A setting's name in profiles and their output: `ca_cert`. */
export function settingName(key: SettingKey): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** A header `name: value`. Throws RangeError, without the value. */
export function readHeader(text: string): [name: string, value: string] {
  const found = /^([\w!#$%&'*+.^`|~-]+):\s*([^\r\n\0]*)$/.exec(text)
  if (found === null) throw new RangeError("a header must be 'name: value'")
  const [, name = '', value = ''] = found
  if (isTokenHeader(name)) throw new RangeError(`${name} is the token: pass it with --token-file or its variable`)
  const framing =
    /^(?:connection|content-length|expect|host|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i
  if (framing.test(name)) throw new RangeError(`${name} belongs to the connection, which tug manages`)
  return [name, value]
}

/** A header to send with each request. Those that `tug` sets itself are refused, in any dialect. */
function readUserHeader(text: string): [name: string, value: string] {
  const header = readHeader(text)
  const isSet =
    /^(?:accept|content-type|user-agent|x-vault-request|x-(?:secrets|vault)-namespace|x-(?:secrets|vault)-wrap-ttl)$/i
  if (isSet.test(header[0])) throw new RangeError(`${header[0]} is set by tug itself`)
  return header
}

function readTimeout(text: string): number {
  const timeout = parseDuration(text)
  if (timeout <= 0) throw new RangeError(`'${text}' is not a duration above zero, such as 30s, 5m or 1h30m`)
  return Math.min(timeout, longestTimer)
}

function readOrganization(text: string): string {
  if (/\s/.test(text)) throw new RangeError(`'${text}' cannot be a name`)
  return readName(text)
}

/** `10/s`, or `10`: requests per second. */
function readRate(text: string): number {
  const [, amount] = /^(\d+(?:\.\d+)?)(?:\/s(?:ec)?)?$/.exec(text.trim()) ?? []
  const rate = Number(amount)
  // The interval of the lowest rate must not exceed the longest timer.
  if (amount === undefined || rate < 0.001)
    throw new RangeError(`'${text}' is not a rate of 0.001/s or more: write 20/s`)
  return rate
}

/** The path of a file named by a setting; the current directory, which may no longer exist, is read only if needed. */
export function pathOf(file: string, cwd: () => string): string {
  return isAbsolute(file) ? file : resolve(cwd(), file)
}

/** Variables that the tools for Vault, OpenBao and Nomad have in common, without their prefix. */
const sharedVariables: Readonly<Record<string, VendorKey>> = {
  ADDR: 'address',
  TOKEN: 'token',
  NAMESPACE: 'namespace',
  CACERT: 'ca_cert',
  CAPATH: 'ca_path',
  CLIENT_CERT: 'client_cert',
  CLIENT_KEY: 'client_key',
  TLS_SERVER_NAME: 'tls_server_name',
  SKIP_VERIFY: 'insecure',
}

function prefixed(prefix: string): Record<string, VendorKey> {
  return Object.fromEntries(Object.entries(sharedVariables).map(([name, key]) => [`${prefix}_${name}`, key]))
}

/** The vendors' variables of each service; earlier ones win. */
export const vendorVariables: Readonly<Record<ServiceName, Readonly<Record<string, VendorKey>>>> = {
  explorer: {
    TFE_ADDRESS: 'address',
    TFE_HOSTNAME: 'address',
    TFE_TOKEN: 'token',
    TFE_ORG: 'org',
    TFE_ORGANIZATION: 'org',
  },
  secrets: { ...prefixed('BAO'), ...prefixed('VAULT'), BAO_HEADERS: 'headers', VAULT_HEADERS: 'headers' },
  scheduler: { ...prefixed('NOMAD'), NOMAD_REGION: 'region' },
}
