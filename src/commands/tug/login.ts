import { isAbsolute, join, resolve } from 'node:path'
import { writeFacts } from '../../core/command.ts'
import { TugError, usageError } from '../../core/errors.ts'
import type { Io } from '../../core/context.ts'
import { flag, readLabelled } from '../../core/param.ts'
import { serviceNames, serviceVariable } from '../../core/service.ts'
import type { Dialect, ServiceName } from '../../core/service.ts'
import { shellQuote } from '../../core/shell.ts'
import { plural } from '../../core/words.ts'
import { credentialsFileName, ignoredNamespace } from '../../config/profiles.ts'
import type { ServiceProfile } from '../../config/profiles.ts'
import { isSameServer } from '../../config/resolve.ts'
import type { Session } from '../../config/session.ts'
import { settingName, settingRows } from '../../config/settings.ts'
import { readToken } from '../../config/tokens.ts'
import { originOf, parseAddress } from '../../core/address.ts'
import type { OpenService, TugContext } from './context.ts'
import { askedService, optionalService, serviceArgument, tugCommand } from './context.ts'
import { becomesCurrent, nowCurrent, readProfileName, without, withProfile } from './profile.ts'
import { dialectBehind, isCommunityVault, probe, productsOf } from './probe.ts'

export const login = tugCommand({
  name: 'login',
  summary: 'Store a token for a service in the current profile',
  description: `The token is asked for without echo, or read from --token-file. It is tried before it is stored (which takes one of a limited number of uses), in a file that only you can read, and is only ever sent to the address that it was stored for.

Address, namespace, TLS files, the explorer's organization and the API dialect, which is recognized, are saved in the profile with it, whether they come from flags, from variables such as VAULT_ADDR, or from your answers.`,
  effect: 'reads',
  params: {
    service: askedService,
    org: flag.text('organization of the explorer, saved in the profile', { placeholder: 'name' }),
  },
  examples: [
    { line: 'login secrets', note: 'asks for what is missing' },
    {
      line: 'login explorer --address https://app.example.com --token-file -',
      note: 'in a script: the token comes from standard input',
    },
  ],
  async run({ service: named, org: typedOrg }, context) {
    const { session, io } = context
    const service = named ?? (await askService(context))
    const { config: before, folder, profile, profileName } = session.saved
    if (profile === undefined) readLabelled(readProfileName, profileName, 'profile')
    if (typedOrg !== undefined && service !== 'explorer') throw usageError('--org is for the explorer')
    const { session: configured } = context.openService(service, { newProfile: true })
    const given = configured.setting('address')?.value
    let address = given === undefined ? await askAddress(service, io) : checkAddress(given, service)
    const configuredOrg = typedOrg ?? configured.setting('org')?.value
    const org = service === 'explorer' ? (configuredOrg ?? (await askOrg(io))) : undefined
    const token = await readNewToken(service, context).catch((error: unknown) => {
      if (service !== 'scheduler' || !(error instanceof TugError) || error.code !== 'not_allowed') throw error
      const line = `tug profile set ${shellQuote(profileName)} ${shellQuote(`scheduler.address=${address}`)}`
      throw error.with({ hints: [`a scheduler without access control needs no token: ${line}`] })
    })
    const { flags, env } = session.sources
    const chosen = flags.dialect ?? (env['TUG_DIALECT'] ? session.setting('dialect')?.value : undefined)
    const open = (dialect: Dialect) => context.openWith(service, { address, token, org, dialect })
    let dialect
    for (;;) {
      try {
        dialect = await tryToken(service, address, { open, chosen }, context)
        break
      } catch (error) {
        const isAsked = given === undefined && error instanceof TugError && error.code === 'unreachable'
        if (!isAsked) throw error
        io.note(error.message)
        address = await askAddress(service, io)
      }
    }
    const origin = originOf(parseAddress(address, service))
    const isCommunity = service === 'secrets' && (await isCommunityVault(open('auto')))
    const edition = isCommunity ? 'community' : undefined
    const saved = { ...connectionSettings(configured, context), address, ...withoutEmpty({ org, dialect, edition }) }
    if (isCommunity && saved.namespace !== undefined) io.warnAlways(ignoredNamespace(saved.namespace))
    const former = before.profiles?.[profileName]?.[service]?.address
    const isSame = former !== undefined && isSameServer(former, address)
    // Nothing that selects or reaches another server is kept.
    const replaced = isSame ? ['dialect', 'edition'] : [...serverKeys, 'dialect', 'edition', 'token_command']
    let isNowCurrent = false
    await context.updateConfig((config) => {
      isNowCurrent = becomesCurrent(config, profileName)
      return withProfile(config, profileName, (current) => ({
        ...current,
        [service]: { ...without(current?.[service] ?? {}, replaced), ...saved },
      }))
    })
    await context.updateCredentials((credentials) => ({
      ...credentials,
      [profileName]: { ...credentials[profileName], [service]: { token, origin, settings: saved } },
    }))
    const file = join(folder, credentialsFileName)
    const done = [
      `stored the ${service} token for ${origin} in profile ${profileName} (${file}${io.platform === 'win32' ? '' : ', readable only by you'})`,
      ...(dialect === undefined ? [] : [`API dialect: ${dialect}`]),
      ...(flags.profile !== undefined && isNowCurrent ? [nowCurrent(profileName)] : []),
    ]
    const data = writeFacts('login', { service, profile: profileName }, true, { address, dialect: dialect ?? null })
    return { done, data }
  },
})

/** Profile keys of settings that select the server. */
const serverKeys = settingRows.filter(([, { server }]) => server === true).map(([key]) => settingName(key))

/** Connection settings to save with the token. */
function connectionSettings({ setting, service }: Session, { host }: TugContext): ServiceProfile {
  const file = (key: 'caCert' | 'caPath' | 'clientCert' | 'clientKey') => {
    const path = setting(key)?.value
    return path === undefined || isAbsolute(path) ? path : resolve(host.cwd, path)
  }
  return withoutEmpty({
    namespace: service === 'explorer' ? undefined : setting('namespace')?.value,
    ca_cert: file('caCert'),
    ca_path: file('caPath'),
    client_cert: file('clientCert'),
    client_key: file('clientKey'),
    tls_server_name: setting('tlsServerName')?.value,
  })
}

function withoutEmpty(values: { readonly [K in keyof ServiceProfile]: string | undefined }): ServiceProfile {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

/** The service that is typed or chosen. Throws a usage error if nobody can be asked. */
async function askService({ io, commandLine }: TugContext): Promise<ServiceName> {
  const names = serviceNames.join(', ')
  if (!io.interactive)
    throw usageError(`<service> is required: service to use (${names})`, `for example: ${commandLine('login secrets')}`)
  const lines = serviceNames.map((name, index) => `  ${index + 1}  ${name.padEnd(9)}  ${productsOf[name]}`)
  for (const line of ['Which service?', ...lines]) io.note(line)
  for (;;) {
    const typed = (await io.ask(`[1-${serviceNames.length}] `, { otherwise: 'name the service' })).trim()
    try {
      return serviceNames[Number(typed) - 1] ?? serviceArgument.read([typed], 'service')
    } catch (error) {
      io.note((error as Error).message)
    }
  }
}

/** Asks until the answer is an address; an empty one is a usage error. */
async function askAddress(service: ServiceName, io: Io): Promise<string> {
  const otherwise = `give it with --address, or as ${serviceVariable(service, 'ADDR')}`
  for (;;) {
    const typed = (await io.ask(`address of the ${service} service: `, { otherwise })).trim()
    if (typed === '') throw usageError('no address was given; nothing was stored', otherwise)
    try {
      return checkAddress(typed, service)
    } catch (error) {
      io.note((error as Error).message)
    }
  }
}

/** The address. Throws a usage error for one that cannot be stored. */
function checkAddress(address: string, service: ServiceName): string {
  if (parseAddress(address, service).login !== undefined)
    throw usageError('an address with a password is not stored; omit the password')
  return address
}

/** The organization of the explorer; undefined if nobody can be asked or the answer is empty. */
async function askOrg(io: Io): Promise<string | undefined> {
  if (!io.interactive) return undefined
  const typed = await io.ask('organization (optional): ', { otherwise: 'give it with --org' })
  return typed.trim() || undefined
}

/** The token to store, from the prompt or `--token-file`. */
async function readNewToken(service: ServiceName, { session, io }: TugContext): Promise<string> {
  const file = session.sources.flags.tokenFile
  const read =
    file === undefined
      ? () =>
          io.ask(`token of the ${service} service (not shown): `, {
            hidden: true,
            otherwise: 'give it with --token-file <file>, or --token-file - and standard input',
          })
      : async () => (await io.readText(file)).trim()
  const token = await readToken({ source: file === undefined ? 'the prompt' : `--token-file ${file}`, read })
  io.secret(token)
  return token
}

/**
 * Sends the token to check it, and returns the dialect to save. Throws, so nothing is stored, if the service cannot be reached, is
 * another one, or rejects the token.
 */
async function tryToken(
  service: ServiceName,
  address: string,
  { open, chosen }: { open: (dialect: Dialect) => OpenService; chosen: Dialect | undefined },
  { io, commandLine }: TugContext,
): Promise<Dialect | undefined> {
  const tried = open(chosen ?? 'auto')
  const probed = await probe(service, tried)
  const { accepted, failure } = probed
  const { uses = null } = probed.token ?? {}
  if (uses === 0)
    throw new TugError('not_allowed', `the trial was the last use of the token; nothing was stored`, {
      hints: ['a token for several commands must not have a limited number of uses'],
    })
  if (uses !== null) io.warnAlways(`the token is good for ${plural(uses, 'more request')}; the trial was one`)
  if (failure === undefined) {
    if (accepted !== true) io.warnAlways('the service answers, but does not show whether it accepts the token')
  } else if (failure.code !== 'not_allowed') {
    const message = `${failure.message}; nothing was stored`
    if (failure.code === 'not_found') throw usageError(`the token could not be tried: ${message}`, ...failure.hints)
    throw failure.with({ message })
  } else if (accepted === undefined) {
    io.warnAlways('could not try the token: its policies seem to forbid auth/token/lookup-self')
  } else {
    // The scheduler responds alike to an unknown token and to one that may not list jobs.
    const needed = service === 'scheduler' ? 'is valid and may list jobs' : 'is still valid'
    throw new TugError('not_allowed', `${address} does not accept the token: ${failure.message}; nothing was stored`, {
      hints: [`it takes a token of this ${service} service that ${needed}: ${commandLine(`login ${service}`)}`],
    })
  }
  if (service === 'scheduler') await checkNamespace(tried)
  return chosen ?? dialectBehind(service, open, probed)
}

/** Rejects a namespace of the scheduler that doesn't exist: its list of jobs is empty, like that of an unused one. */
async function checkNamespace({ http, session }: OpenService): Promise<void> {
  const namespace = session.setting('namespace')?.value
  if (namespace === undefined || namespace === 'default' || namespace === '*') return
  const path = `/v1/namespace/${encodeURIComponent(namespace)}`
  const response = await http.send({
    method: 'GET',
    path,
    allow: [400, 403, 404, 405, 500, 501],
    policy: { retries: 0 },
  })
  if (response.status === 404 && /namespace not found/i.test(response.text()))
    throw usageError(`namespace '${namespace}' doesn't exist; nothing was stored`)
}

export const logout = tugCommand({
  name: 'logout',
  summary: 'Remove a stored token of the current profile',
  params: {
    service: optionalService,
    all: flag.boolean('remove the tokens of all services', { excludes: ['service'] }),
  },
  examples: [
    { line: 'logout secrets', note: 'forget one token' },
    { line: 'logout --all', note: 'forget all tokens of the profile' },
  ],
  async run({ service, all }, context) {
    const { profileName, credentials } = context.session.saved
    const tokens = credentials[profileName] ?? {}
    const stored = serviceNames.filter((name) => tokens[name] !== undefined && name === (service ?? name))
    if (stored.length > 1 && all !== true)
      throw usageError(
        `profile ${profileName} has the tokens of ${stored.join(', ')}: name one, or pass --all`,
        ...[...stored, '--all'].map((name) => context.commandLine(`logout ${name}`)),
      )
    const data = writeFacts('logout', { profile: profileName }, stored.length > 0, { services: stored })
    if (stored.length === 0) {
      const which = service === undefined ? '' : `${service} `
      return { done: `no ${which}token is stored for profile ${profileName}`, data }
    }
    const forgotten = new Set<string>()
    await context.updateConfig((config) => {
      const profile = { ...config.profiles?.[profileName] }
      for (const name of stored) {
        const { settings = {} } = tokens[name] ?? {}
        // What was changed since is not what login saved.
        const keys = Object.keys(settings) as (keyof ServiceProfile)[]
        const saved = keys.filter((key) => profile[name]?.[key] === settings[key])
        for (const key of saved) forgotten.add(key)
        profile[name] = without(profile[name] ?? {}, saved)
        if (Object.keys(profile[name]).length === 0) delete profile[name]
      }
      return { ...config, profiles: { ...config.profiles, [profileName]: profile } }
    })
    await context.updateCredentials((tokensOf) => ({
      ...tokensOf,
      [profileName]: without(tokensOf[profileName] ?? {}, stored),
    }))
    const listed = (words: Iterable<string>) => new Intl.ListFormat('en-GB').format(words)
    const settings = forgotten.size === 0 ? '' : `, with the ${listed(forgotten)} saved by login`
    const [noun, accepted] =
      stored.length === 1
        ? ['token', 'the service still accepts the token']
        : ['tokens', 'the services still accept the tokens']
    return { done: `forgot the ${listed(stored)} ${noun} of profile ${profileName}${settings}; ${accepted}`, data }
  },
})
