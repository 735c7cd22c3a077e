import { isAbsolute, join, resolve } from 'node:path'
import * as jobs from '../../api/jobs.ts'
import { writeFacts } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import { flag } from '../../core/param.ts'
import type { ServiceName } from '../../core/request.ts'
import { serviceNames, serviceVariable } from '../../core/request.ts'
import type { Dialect } from '../../core/service.ts'
import { credentialsFileName } from '../../config/profiles.ts'
import type { ServiceProfile } from '../../config/profiles.ts'
import type { Session } from '../../config/session.ts'
import { readToken } from '../../config/tokens.ts'
import { originOf, parseAddress } from '../../core/address.ts'
import type { OpenService, TugContext } from './context.ts'
import { optionalService, serviceArgument, tugCommand } from './context.ts'
import * as messages from './messages.ts'
import { isOnly, nowCurrent, readProfileName, without } from './profile.ts'
import type { Probe } from './probe.ts'
import { dialectBehind, probe } from './probe.ts'

export const login = tugCommand({
  name: 'login',
  summary: 'Store a token for a service in the current profile',
  description: `The token is asked for without echo, or read from --token-file (- for standard input). It is tried before it is stored, in a file that only you can read, and is only ever sent to the address that it was stored for.

The address, the namespace, the TLS files, the explorer's organization and the API dialect are saved in the profile with it, whether they come from flags, from variables such as VAULT_ADDR, or from your answers. A product behind the address (Vault, OpenBao, Nomad, HCP Terraform, Terraform Enterprise) is recognized.`,
  effect: 'reads',
  params: {
    service: serviceArgument,
    org: flag.text('organization of the explorer, saved in the profile', { placeholder: 'name' }),
  },
  examples: [
    { line: 'login secrets', note: 'asks for what is missing' },
    {
      line: 'login explorer --address https://app.example.com --token-file -',
      note: 'in a script: the token comes from standard input',
    },
  ],
  async run({ service }, context) {
    const { session } = context
    checkName(session)
    const address = await addressOf(service, context)
    const origin = originOf(parseAddress(address, service))
    const org = service === 'explorer' ? await orgOf(context) : undefined
    const token = await tokenOf(service, context)
    const dialect = await tryToken(service, { address, token, org }, context)
    const saved = { ...settingsOf(service, context), address, ...withoutEmpty({ org, dialect }) }
    const { config: before, folder, profileName } = session.saved
    await context.updateConfig((config) => {
      const profile = config.profiles?.[profileName]
      return {
        ...config,
        ...(config.current === undefined && isOnly(config, profileName) ? { current: profileName } : {}),
        profiles: {
          ...config.profiles,
          [profileName]: { ...profile, [service]: { ...profile?.[service], ...saved } },
        },
      }
    })
    await context.updateCredentials((credentials) => ({
      ...credentials,
      [profileName]: { ...credentials[profileName], [service]: { token, origin, settings: saved } },
    }))
    const isNamed = session.sources.flags.profile !== undefined
    const isCurrent = isNamed && before.current === undefined && isOnly(before, profileName)
    const file = join(folder, credentialsFileName)
    const done = [
      `stored the ${service} token for ${origin} in profile ${profileName} (${file}${context.io.platform === 'win32' ? '' : ', readable only by you'})`,
      ...(dialect === undefined ? [] : [`API dialect: ${dialect}`]),
      ...(isCurrent ? [nowCurrent(profileName)] : []),
    ]
    const what = { service, profile: profileName }
    const facts = { address, dialect: dialect ?? null }
    return { done: done.join('\n'), data: writeFacts('login', what, true, facts) }
  },
})

/** A name that no profile can have is refused before anything is sent. */
function checkName({ saved: { profile, profileName } }: Session): void {
  try {
    if (profile === undefined) readProfileName(profileName)
  } catch (error) {
    throw usageError((error as RangeError).message)
  }
}

/** The service's settings in a profile that may be new. */
function sessionOf(service: ServiceName, { openService }: TugContext): Session {
  return openService(service, { newProfile: true }).session
}

/** What reaches the service besides its address: namespace and TLS, from wherever they come now. */
function settingsOf(service: ServiceName, context: TugContext): ServiceProfile {
  const { host } = context
  const { setting } = sessionOf(service, context)
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

async function addressOf(service: ServiceName, context: TugContext): Promise<string> {
  const found = sessionOf(service, context).setting('address')
  if (found !== undefined) return found.value
  const typed = await context.io.ask(`address of the ${service} service: `, {
    otherwise: `give it with --address, or as ${serviceVariable(service, 'ADDR')}`,
  })
  parseAddress(typed.trim(), service)
  return typed.trim()
}

async function tokenOf(service: ServiceName, { session, io }: TugContext): Promise<string> {
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

/** The organization of the explorer; undefined if it is not configured, and nobody can be asked or the answer is empty. */
async function orgOf(context: TugContext): Promise<string | undefined> {
  const { io } = context
  const found = sessionOf('explorer', context).setting('org')
  if (found !== undefined) return found.value
  if (!io.interactive) return undefined
  const typed = await io.ask('organization (empty: none by default): ', { otherwise: 'give it with --org' })
  return typed.trim() === '' ? undefined : typed.trim()
}

/**
 * Sends the token, to see that it works; gives the dialect to save. A service that cannot be reached, or refuses the token,
 * stores nothing.
 */
async function tryToken(
  service: ServiceName,
  given: { address: string; token: string; org: string | undefined },
  context: TugContext,
): Promise<Dialect | undefined> {
  const chosen = sessionOf(service, context).setting('dialect')?.value ?? 'auto'
  const open = context.openWith(service, { ...given, dialect: chosen })
  const probed = await probe(service, open)
  checkProbe(probed, service, given.address, context)
  if (service === 'scheduler') await checkNamespace(open)
  return chosen === 'auto' ? dialectBehind(service, context, given, probed) : chosen
}

function checkProbe({ accepted, failure }: Probe, service: ServiceName, address: string, context: Context): void {
  if (accepted === true) return
  if (failure === undefined) context.io.doubt(messages.tokenNotShown)
  else if (accepted === undefined && failure.code === 'not_allowed') context.io.doubt(messages.tokenMayNotBeTried)
  else if (failure.code === 'not_allowed') throw messages.tokenRefused(service, address, failure, context)
  else throw failure.code === 'not_found' ? messages.tokenNotTried(failure) : messages.nothingStored(failure)
}

/**
 * Refuses a namespace of the scheduler that doesn't exist. Its list of jobs is empty like that of an unused one, but a plan, which
 * changes nothing, is refused there (docs/servers.md, Scheduler). A token that may not plan leaves the question open.
 */
async function checkNamespace({ http, session }: OpenService): Promise<void> {
  const namespace = session.setting('namespace')?.value
  if (namespace === undefined || namespace === 'default' || namespace === '*') return
  const task = { Name: 'login', Driver: 'exec', Config: { command: 'true' } }
  const groups = [{ Name: 'login', Count: 1, Tasks: [task] }]
  const Job = { ID: 'tug-login', Name: 'tug-login', Type: 'batch', Datacenters: ['*'], TaskGroups: groups }
  try {
    await http.send(jobs.plan({ job: Job.ID }, { body: { Job } }))
  } catch (error) {
    if (!(error instanceof TugError) || error.code === 'interrupted') throw error
    if (/nonexistent namespace/.test(error.message)) throw messages.noSuchNamespace(namespace)
  }
}

export const logout = tugCommand({
  name: 'logout',
  summary: 'Remove the stored tokens of the current profile',
  params: { service: optionalService },
  examples: [
    { line: 'logout secrets', note: 'forget one token' },
    { line: 'logout', note: 'forget all tokens of the profile' },
  ],
  async run({ service }, context) {
    const { profileName, credentials } = context.session.saved
    const tokens = credentials[profileName] ?? {}
    const stored = serviceNames.filter((name) => tokens[name] !== undefined && name === (service ?? name))
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
    await context.updateCredentials((all) => ({ ...all, [profileName]: without(all[profileName] ?? {}, stored) }))
    const listed = (words: Iterable<string>) => new Intl.ListFormat('en-GB').format(words)
    const settings = forgotten.size === 0 ? '' : `, with the ${listed(forgotten)} saved by login`
    const [noun, accepted] =
      stored.length === 1
        ? ['token', 'the service still accepts the token']
        : ['tokens', 'the services still accept the tokens']
    return { done: `forgot the ${listed(stored)} ${noun} of profile ${profileName}${settings}; ${accepted}`, data }
  },
})
