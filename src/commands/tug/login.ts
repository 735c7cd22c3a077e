import { tugCommand } from './context.ts'
import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import { argument, flag } from '../../core/param.ts'
import type { ServiceName } from '../../core/request.ts'
import { serviceNames } from '../../core/request.ts'
import { credentialsFileName } from '../../config/profiles.ts'
import { readToken } from '../../config/tokens.ts'
import { originOf, parseAddress } from '../../http/address.ts'
import type { TugContext } from './context.ts'
import { probe } from './probe.ts'

export const login = tugCommand({
  name: 'login',
  summary: 'Store a token of a service for the current profile',
  description:
    'The token is asked for without showing it, or read from --token-file (- is standard input). It is tried before it is stored, in a file of its own that only you can read, and is sent to no other address than the one it was stored for. The address, and for the explorer the organization, are asked for where they are not configured, and saved in the profile.',
  endpoints: [],
  params: {
    service: argument.choice('the service', serviceNames, { required: true }),
    org: flag.text('organization of the explorer, saved in the profile', { placeholder: 'name' }),
  },
  examples: [
    { line: 'login secrets', note: 'asks for what is missing' },
    {
      line: 'login explorer --address https://app.example.com --token-file -',
      note: 'in a script: the token comes by standard input',
    },
  ],
  async run({ service }, context) {
    const world = context
    const { host, session } = world
    const address = await addressOf(service, world, context)
    const origin = originOf(parseAddress(address, service))
    const org = service === 'explorer' ? await orgOf(world, context) : undefined
    const token = await tokenOf(service, world, context)
    const { folder, profileName } = session.saved
    const { updateConfig, updateCredentials } = await import('../../config/write.ts')
    await tryToken(service, { ...world, address, token, org }, context)
    await updateConfig(folder, host, (config) => ({
      ...config,
      current: config.current ?? profileName,
      profiles: {
        ...config.profiles,
        [profileName]: {
          ...config.profiles?.[profileName],
          [service]: {
            ...config.profiles?.[profileName]?.[service],
            address,
            ...(org === undefined ? {} : { org }),
          },
        },
      },
    }))
    await updateCredentials(folder, host, (credentials) => ({
      ...credentials,
      [profileName]: { ...credentials[profileName], [service]: { token, origin } },
    }))
    context.io.note(
      `stored the ${service} token for ${origin} in profile ${profileName} (${folder}/${credentialsFileName}, readable by you alone)`,
    )
    return undefined
  },
})

export const logout = tugCommand({
  name: 'logout',
  summary: 'Forget the tokens stored for the current profile',
  endpoints: [],
  params: { service: argument.choice('the service; all of them by default', serviceNames) },
  examples: [
    { line: 'logout secrets', note: 'forget one token' },
    { line: 'logout', note: 'forget all tokens of the profile' },
  ],
  async run({ service }, context) {
    const { host, session } = context
    const { folder, profileName, credentials } = session.saved
    const stored = Object.keys(credentials[profileName] ?? {}).filter(
      (name) => service === undefined || name === service,
    )
    if (stored.length === 0) {
      context.io.note(
        `no ${service ?? ''}${service === undefined ? '' : ' '}token is stored for profile ${profileName}`,
      )
      return undefined
    }
    const { updateCredentials } = await import('../../config/write.ts')
    await updateCredentials(folder, host, (all) => ({
      ...all,
      [profileName]: Object.fromEntries(
        Object.entries(all[profileName] ?? {}).filter(([name]) => !stored.includes(name)),
      ),
    }))
    context.io.note(
      `forgot the ${stored.join(' and ')} token of profile ${profileName}; it is still valid at the service`,
    )
    return undefined
  },
})

async function addressOf(service: ServiceName, { openService }: TugContext, { io }: Context): Promise<string> {
  const found = openService(service).session.setting('address')
  if (found !== undefined) return found.value
  const typed = await io.ask(`address of the ${service} service: `, {
    otherwise: `give it with --address, or as TUG_${service.toUpperCase()}_ADDR`,
  })
  parseAddress(typed.trim(), service)
  return typed.trim()
}

async function tokenOf(service: ServiceName, { session }: TugContext, { io }: Context): Promise<string> {
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

/** The explorer's organization; undefined if it isn't configured and nobody can be asked or answers. */
async function orgOf({ openService }: TugContext, { io }: Context): Promise<string | undefined> {
  const found = openService('explorer').session.setting('org')
  if (found !== undefined) return found.value
  if (!io.interactive) return undefined
  const typed = await io.ask('organization (empty: none by default): ', { otherwise: 'give it with --org' })
  return typed.trim() === '' ? undefined : typed.trim()
}

/** Sends the token once, to check it. If the service is unreachable or refuses it, nothing is stored. */
async function tryToken(
  service: ServiceName,
  { openWith, address, token, org }: TugContext & { address: string; token: string; org: string | undefined },
  { io }: Context,
): Promise<void> {
  const { failure, accepted } = await probe(service, openWith(service, { address, token, org }))
  if (accepted === true) return
  if (failure === undefined) {
    io.warn('the service answers, but does not tell whether the token is good')
    return
  }
  if (failure.code === 'not_allowed') {
    throw new TugError('not_allowed', `${address} does not accept the token: ${failure.message}; nothing was stored`, {
      hints: [`it takes a token of this ${service} service that is still valid: tug login ${service}`],
    })
  }
  if (failure.code === 'unreachable') throw failure.with({ message: `${failure.message}; nothing was stored` })
  if (failure.code === 'not_found')
    throw usageError(`the token could not be tried: ${failure.message}; nothing was stored`, ...failure.hints)
  throw failure
}
