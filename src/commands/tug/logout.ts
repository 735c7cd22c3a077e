import type { ServiceProfile } from '../../config/profiles.ts'
import { serviceNames } from '../../core/request.ts'
import { tugCommand } from './context.ts'
import { optionalService } from './service.ts'

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
    const stored = serviceNames.filter(
      (name) => credentials[profileName]?.[name] !== undefined && (service === undefined || name === service),
    )
    if (stored.length === 0) {
      context.io.note(
        `no ${service ?? ''}${service === undefined ? '' : ' '}token is stored for profile ${profileName}`,
      )
      return undefined
    }
    const forgotten = new Set<string>()
    await context.updateConfig((config) => {
      const profile = { ...config.profiles?.[profileName] }
      for (const name of stored) {
        const saved = credentials[profileName]?.[name]?.settings ?? {}
        const kept = Object.entries(profile[name] ?? {}).filter(([key, value]) => {
          // What was changed since is not what login saved.
          const isForgotten = saved[key as keyof ServiceProfile] === value
          if (isForgotten) forgotten.add(key)
          return !isForgotten
        })
        if (kept.length > 0) profile[name] = Object.fromEntries(kept)
        else delete profile[name]
      }
      return { ...config, profiles: { ...config.profiles, [profileName]: profile } }
    })
    await context.updateCredentials((all) => ({
      ...all,
      [profileName]: Object.fromEntries(
        Object.entries(all[profileName] ?? {}).filter(([name]) => !(stored as string[]).includes(name)),
      ),
    }))
    const listed = (words: Iterable<string>) => new Intl.ListFormat('en-GB').format(words)
    const settings = forgotten.size === 0 ? '' : `, with the ${listed(forgotten)} saved by login`
    const [tokens, accepted] =
      stored.length === 1
        ? ['token', 'the service still accepts the token']
        : ['tokens', 'the services still accept the tokens']
    context.io.note(`forgot the ${listed(stored)} ${tokens} of profile ${profileName}${settings}; ${accepted}`)
    return undefined
  },
})
