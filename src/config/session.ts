import type { RootEntry } from '../core/group.ts'
import type { CommandSettings, Io } from '../core/context.ts'
import type { Connection } from '../core/connection.ts'
import { isYes } from '../core/environment.ts'
import type { TugError } from '../core/errors.ts'
import { usageError } from '../core/errors.ts'
import { lookUp } from '../core/json.ts'
import type { ServiceName } from '../core/service.ts'
import { serviceVariable } from '../core/service.ts'
import type { Host } from '../process/host.ts'
import type { Address } from '../core/address.ts'
import { loginOf, loginSecrets, parseAddress, proxyFor } from '../core/address.ts'
import { commandLine, setVariables, targetSpellings } from '../core/shell.ts'
import type { ConfigFile, CredentialsFile, Profile } from './profiles.ts'
import { readInput } from './files.ts'
import { configFolder, noSuchProfile, readConfig, readCredentials } from './profiles.ts'
import type { ReadSetting, SettingSources } from './resolve.ts'
import { resolveSetting, settingSources, variableIn, vendorValue } from './resolve.ts'
import type { Flags } from './settings.ts'
import { readTls } from './tls.ts'
import type { TokenSource } from './tokens.ts'
import { vendorToken, readToken, tokenSource } from './tokens.ts'

/** The saved configuration. */
export interface Saved {
  readonly folder: string
  readonly config: ConfigFile
  readonly credentials: CredentialsFile
  readonly profileName: string
  readonly profile: Profile | undefined
  /** Why its files could not be read, if flags and variables provide everything a command needs; then it counts as empty. */
  readonly problem: string | undefined
}

/** The settings of one service from flags, environment and profile, each with its source. */
export interface Session {
  readonly saved: Saved
  readonly service: ServiceName | undefined
  readonly sources: SettingSources
  readonly setting: ReadSetting
  /** Throws a usage error where none is configured. */
  address(): Address
  /** The token's source, resolved once, with a warning if a stored token belongs to another address. */
  tokenSource(): TokenSource | undefined
  readonly connection: Connection
  readonly commandSettings: CommandSettings
  /** What makes this run read-only (a flag, a variable or the profile); undefined if it may write. */
  readonly readOnlyBy: string | undefined
}

/** The input of {@link createSession}. */
export interface SessionOptions {
  readonly host: Host
  /** The flags of the command line. */
  readonly flags: Flags
  readonly entry: Pick<RootEntry, 'service' | 'mount'> | undefined
  readonly io: () => Io
  readonly addSecret: (text: string) => void
  /** Ends a `token_command`. */
  readonly signal: AbortSignal
  /** Used instead of any configured one. */
  readonly token?: string
  /** True if a profile that is named need not exist yet. */
  readonly newProfile?: boolean
}

/** Reads the configuration files, picks the profile and resolves the settings of one service. */
export function createSession(options: SessionOptions): Session {
  const { host, flags, entry, io, addSecret, signal, token: given, newProfile = false } = options
  const service = entry?.service
  const saved = readSaved(host, flags, service, newProfile)
  const { profileName, profile } = saved
  const sources = settingSources({ flags, env: host.env, profileName, profile, service })
  const setting: Session['setting'] = (key) => resolveSetting(key, sources)
  const address = once(() => readAddress(session))
  const settings = once(() => commandSettingsOf(session, entry))
  const readOnly = setting('readOnly')
  const limits = () => ({ host, signal, timeout: session.commandSettings.timeout })
  // Once: a pipe has its content only once.
  const tls = once(() =>
    readTls(
      setting,
      () => host.cwd,
      (file) => readInput(file, limits()),
    ),
  )
  let hasToken: boolean | undefined
  const headers = once(() => headersOf(session, host.env, addSecret))
  const session: Session = {
    saved,
    service,
    sources,
    setting,
    address,
    tokenSource: once(() => tokenSource(session, { host, io: io(), signal })),
    connection: {
      service: service as ServiceName,
      address,
      token: once(async () => {
        const found = given === undefined ? session.tokenSource() : undefined
        hasToken = given !== undefined || found !== undefined
        if (found === undefined) return given
        const value = await readToken(found)
        addSecret(value)
        return value
      }),
      get tokenVariable() {
        const tool = sources.isVendors ? sources.variable?.source.split('_')[0] : undefined
        return tool === undefined ? serviceVariable(service as ServiceName, 'TOKEN') : `${tool}_TOKEN`
      },
      get hasToken() {
        return hasToken
      },
      get otherToken() {
        // Whatever address it is for.
        const tokens = Object.fromEntries(Object.entries(host.env).filter(([name]) => name.endsWith('_TOKEN')))
        const found = vendorValue(service as ServiceName, 'token', tokens)?.source
        const [tool] = found?.split('_') ?? []
        return found && `${found} is only sent to the address in ${tool}_ADDR${tool === 'TFE' ? 'ESS' : ''}`
      },
      get tls() {
        return tls()
      },
      get headers() {
        return headers()
      },
      proxy: once(() => {
        const proxy = address().socketPath === undefined ? proxyFor(address().origin, host.env) : undefined
        const login = proxy === undefined ? undefined : loginOf(new URL(proxy))
        // A proxy may repeat it in its response.
        for (const secret of login === undefined ? [] : loginSecrets(login)) addSecret(secret)
        return proxy
      }),
    },
    get commandSettings() {
      return settings()
    },
    // No flag undoes the profile's.
    readOnlyBy: isYes(profile?.read_only)
      ? `profile ${profileName}`
      : readOnly?.value === true
        ? readOnly.source
        : undefined,
  }
  return session
}

/** Reads the files. With `isNew`, and for commands without a service, the profile need not exist yet. */
function readSaved(host: Host, flags: Flags, service: ServiceName | undefined, isNew: boolean): Saved {
  const folder = configFolder(host.env, host.home, host.platform)
  const asked = flags.profile ?? (variableIn(host.env, 'TUG_PROFILE') || undefined)
  const mustExist = service !== undefined && !isNew
  let files: Pick<Saved, 'config' | 'credentials'> = { config: {}, credentials: {} }
  let problem: string | undefined
  try {
    files = { config: readConfig(folder), credentials: readCredentials(folder) }
  } catch (error) {
    if (asked !== undefined || !mustExist || !isNamed(service, flags, host)) throw error
    problem = (error as TugError).message
  }
  const { config, credentials } = files
  const profileName = asked ?? config.current ?? 'default'
  const profile = lookUp(config.profiles ?? {}, profileName)
  if (mustExist && asked !== undefined && profile === undefined && !Object.hasOwn(credentials, profileName)) {
    if (asked === '') throw usageError('the name of the profile is empty')
    throw noSuchProfile(asked, config)
  }
  return { folder, config, credentials, profileName, profile, problem }
}

/** True if flags and variables provide the service's address, token and organization, so nothing saved is needed. */
function isNamed(service: ServiceName, flags: Flags, host: Host): boolean {
  const { env } = host
  const sources = settingSources({ flags, env, profileName: 'default', profile: undefined, service })
  const address = resolveSetting('address', sources)?.value
  if (address === undefined) return false
  const token = flags.tokenFile ?? (env[serviceVariable(service, 'TOKEN')] || vendorToken(service, address, host))
  if (token === undefined && service !== 'scheduler') return false
  return service !== 'explorer' || resolveSetting('org', sources) !== undefined
}

/** Memoizes a function. An error is not cached. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** Headers that the user adds to each request. A password in the address, or in `NOMAD_HTTP_AUTH` for `NOMAD_ADDR`, is Basic authentication. */
function headersOf(session: Session, env: Host['env'], addSecret: (text: string) => void): Connection['headers'] {
  const { sources, service } = session
  const { header: typed = [], ...flags } = sources.flags
  const configured = resolveSetting('headers', { ...sources, flags })?.value ?? []
  const ofNomad = service === 'scheduler' && sources.isVendors ? env['NOMAD_HTTP_AUTH'] || undefined : undefined
  const login = session.address().login ?? ofNomad
  const found = new Map<string, readonly [name: string, value: string]>()
  // A typed header replaces configured ones of its name; the values of one that is repeated are joined.
  for (const list of [configured, typed]) {
    for (const [name] of list) found.delete(name.toLowerCase())
    for (const [name, value] of list) {
      const [, earlier] = found.get(name.toLowerCase()) ?? []
      found.set(name.toLowerCase(), [name, earlier === undefined ? value : `${earlier}, ${value}`])
    }
  }
  const headers = Object.fromEntries(found.values())
  for (const value of Object.values(headers)) addSecret(value)
  if (login === undefined) return headers
  if (service === 'explorer')
    throw usageError(
      'the address of the explorer must not contain a user name or password',
      'pass the token with --token-file or its variable',
    )
  for (const secret of loginSecrets(login)) addSecret(secret)
  return { ...headers, Authorization: `Basic ${Buffer.from(login).toString('base64')}` }
}

function readAddress(session: Session): Address {
  const found = session.setting('address')
  const service = session.service as ServiceName
  if (found === undefined) {
    const variable = (name: string) => serviceVariable(service, name)
    const path = service === 'explorer' ? '/api/v2' : ''
    const org = service === 'explorer' ? { [variable('ORG')]: 'acme' } : {}
    throw usageError(
      `no address for the ${service} service`,
      `${commandLine(session.commandSettings.targetFlags, `login ${service}`)}   (asks for what is missing)`,
      setVariables({ [variable('ADDR')]: `https://host${path}`, [variable('TOKEN')]: '…', ...org }),
      `just looking? ${commandLine([], `dev -- tug ${examples[service]}`)}`,
    ).with({ endsRun: true })
  }
  return parseAddress(found.value, found.source)
}

const examples: Readonly<Record<ServiceName, string>> = {
  explorer: 'explorer query workspaces',
  secrets: 'kv tree',
  scheduler: 'job list',
}

function commandSettingsOf(session: Session, entry: SessionOptions['entry']): CommandSettings {
  const { setting, service } = session
  const { flags, env } = session.sources
  const typedOutput = (['output', 'query', 'columns'] as const).filter((name) => flags[name] !== undefined)
  const targetFlags = Object.entries(targetSpellings).flatMap(([name, spelling]) => {
    const value = flags[name as keyof typeof targetSpellings]
    return value === undefined ? [] : [spelling, value]
  })
  // Read on first use, because commands such as `login` run even if these are invalid, and cached for bulk work.
  const org = once(() => setting('org')?.value)
  const mount = once(() => setting(entry?.mount === 'kmip' ? 'kmipMount' : 'kvMount')?.value ?? '')
  // A command about tug itself may repair the profile.
  const repairable = <K extends 'output' | 'dialect'>(name: K, variable: string) => {
    try {
      return setting(name)?.value
    } catch (error) {
      if (service || variableIn(env, variable)) throw error
      return undefined
    }
  }
  return {
    service,
    dialect: repairable('dialect', 'TUG_DIALECT') ?? 'auto',
    route: {
      get mount() {
        return mount()
      },
      get org() {
        const name = org()
        if (name !== undefined) return name
        // A missing address is the more useful error.
        session.address()
        throw usageError(
          'no organization is set',
          `give --org <name>, or ${setVariables({ TUG_EXPLORER_ORG: '…' })}`,
          `keep it: tug profile set ${session.saved.profileName} explorer.org=<name>`,
        )
      },
    },
    namespace: setting('namespace')?.value,
    region: setting('region')?.value,
    targetFlags: flags.insecure === true ? [...targetFlags, '--insecure'] : targetFlags,
    outputFlags: Object.fromEntries(typedOutput.map((name) => [name, flags[name]])),
    listMethod: setting('listMethod')?.value,
    // `--raw` implies json.
    format: flags.raw === true ? 'json' : (repairable('output', 'TUG_OUTPUT') ?? 'table'),
    // The explorer aborts a query after 60 s; a shorter time limit would miss its response.
    timeout: setting('timeout')?.value ?? (service === 'explorer' ? 75_000 : 60_000),
    limits: {
      parallel: setting('parallel')?.value,
      rate: setting('rate')?.value,
      maxFailures: setting('maxFailures')?.value,
    },
    typedLimits: { parallel: flags.parallel, rate: flags.rate, maxFailures: flags.maxFailures },
  }
}
