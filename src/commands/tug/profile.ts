import { join } from 'node:path'
import { group, list, record } from '../../core/command.ts'
import { tugCommand } from './context.ts'
import { usageError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { at, text } from '../../core/answer.ts'
import { argument, flag } from '../../core/param.ts'
import { serviceNames } from '../../core/request.ts'
import { withProfileValue } from '../../config/profile-keys.ts'
import type { ConfigFile, Profile } from '../../config/profiles.ts'
import { configFileName } from '../../config/profiles.ts'
import { didYouMean } from '../../core/nearest.ts'
import { effectiveRows, effectiveView } from './profile-effective.ts'

const nameArgument = argument.of('name of the profile', readProfileName, {
  required: true,
  placeholder: 'name',
  complete: 'profile',
})

const profileList = tugCommand({
  name: 'list',
  summary: 'List the saved profiles',
  endpoints: [],
  params: {},
  examples: [{ line: 'profile list', note: 'which there are, and which one is used' }],
  async run(_, context) {
    const { config, profileName } = context.session.saved
    const rows = Object.entries(config.profiles ?? {}).map(([name, profile]) => ({
      name,
      current: name === profileName,
      ...Object.fromEntries(serviceNames.map((service) => [service, profile[service]?.address ?? null])),
      protected: profile.protected === 'true',
    }))
    return { data: rows as Json, view: listView }
  },
})

const listView = list<Json>(
  [
    { name: 'name', value: (row) => at(row, 'name'), whole: true },
    {
      name: 'current',
      value: (row) => at(row, 'current'),
      show: (row) => (at(row, 'current') === true ? 'current' : ''),
    },
    ...serviceNames.map((service) => ({ name: service, value: (row: Json) => at(row, service), whole: true })),
    {
      name: 'protected',
      value: (row) => at(row, 'protected'),
      show: (row) => (at(row, 'protected') === true ? 'protected' : ''),
    },
  ],
  (row) => text(row, 'name') ?? '',
  { empty: 'no profiles yet; make one: tug profile set <name> secrets.address=https://…' },
)

const show = tugCommand({
  name: 'show',
  summary: 'Show a profile, or with --effective every setting in force and where it comes from',
  endpoints: [],
  params: {
    name: argument.of('name of the profile; the current one by default', readProfileName, {
      placeholder: 'name',
      complete: 'profile',
    }),
    effective: flag.boolean('each value in force, from flags, environment, profile and defaults'),
  },
  examples: [
    { line: 'profile show', note: 'the current profile' },
    { line: 'profile show --effective', note: 'where each value comes from' },
  ],
  async run({ name, effective }, context) {
    const world = context
    const { config, profileName } = world.session.saved
    const wanted = name ?? profileName
    if (effective === true) {
      if (name !== undefined && name !== profileName)
        throw usageError(
          '--effective shows what is in force',
          `for another profile: tug profile show --effective --profile ${name}`,
        )
      return { data: effectiveRows(world), view: effectiveView }
    }
    const known = Object.hasOwn(config.profiles ?? {}, wanted)
    if (name === undefined && !known) {
      context.io.note(`profile ${wanted} holds nothing yet; what is in force: tug profile show --effective`)
    }
    const profile = name === undefined && !known ? {} : profileOf(config, wanted)
    const rows = Object.entries(profile).flatMap(([key, value]): Json[] =>
      typeof value === 'string'
        ? [{ key, value }]
        : Object.entries(value as Record<string, string>).map(([inner, one]) => ({
            key: `${key}.${inner}`,
            value: one,
          })),
    )
    return {
      data: Object.fromEntries(rows.map((row) => [text(row, 'key') ?? '', at(row, 'value') ?? null])),
      view: record<Json>(
        rows.map((row) => ({ name: text(row, 'key') ?? '', value: () => at(row, 'value') })),
        () => wanted,
      ),
    }
  },
})

const use = tugCommand({
  name: 'use',
  summary: 'Make a profile the one that is used when none is named',
  endpoints: [],
  params: { name: nameArgument },
  examples: [{ line: 'profile use prod', note: 'from now on, without --profile' }],
  async run({ name }, context) {
    const { host, session } = context
    profileOf(session.saved.config, name)
    const { updateConfig } = await import('../../config/write.ts')
    await updateConfig(session.saved.folder, host, (config) => ({ ...config, current: name }))
    context.io.note(`profile ${name} is used from now on`)
    return undefined
  },
})

const set = tugCommand({
  name: 'set',
  summary: 'Make or change a profile; an empty value removes a key',
  endpoints: [],
  params: {
    name: nameArgument,
    values: argument.texts('settings to save', { required: true, placeholder: 'key=value' }),
  },
  examples: [
    {
      line: 'profile set prod secrets.address=https://vault.example.com secrets.dialect=hashicorp',
      note: 'an address and its vocabulary',
    },
    {
      line: "profile set prod 'secrets.token_command=pass show vault' protected=true",
      note: 'a token from a program; writes ask first',
    },
    { line: 'profile set prod explorer.org=', note: 'remove a key' },
  ],
  async run({ name, values }, context) {
    const { host, session } = context
    const made = values.reduce(withProfileValue, session.saved.config.profiles?.[name] ?? {})
    const { updateConfig } = await import('../../config/write.ts')
    await updateConfig(session.saved.folder, host, (config) => ({
      ...config,
      current: config.current ?? name,
      profiles: {
        ...config.profiles,
        [name]: values.reduce(withProfileValue, config.profiles?.[name] ?? {}),
      },
    }))
    context.io.note(
      `profile ${name} saved (${Object.keys(made).length === 0 ? 'empty' : Object.keys(made).join(', ')})`,
    )
    return undefined
  },
})

const remove = tugCommand({
  name: 'delete',
  summary: 'Delete a profile and the tokens stored for it',
  endpoints: [],
  params: { name: nameArgument },
  examples: [{ line: 'profile delete old', note: 'its tokens go with it' }],
  async run({ name }, context) {
    const { host, session } = context
    profileOf(session.saved.config, name)
    const { updateConfig, updateCredentials } = await import('../../config/write.ts')
    await updateConfig(session.saved.folder, host, ({ current, profiles, ...rest }) => ({
      ...rest,
      ...(current === name || current === undefined ? {} : { current }),
      profiles: without(profiles ?? {}, name),
    }))
    if (Object.hasOwn(session.saved.credentials, name)) {
      await updateCredentials(session.saved.folder, host, (credentials) => without(credentials, name))
    }
    context.io.note(`profile ${name} deleted`)
    return undefined
  },
})

const path = tugCommand({
  name: 'path',
  summary: 'Print where the profiles are saved',
  endpoints: [],
  rawOutput: true,
  params: {},
  examples: [{ line: 'profile path', note: 'the file, whether it is there or not' }],
  async run(_, context) {
    return { raw: `${join(context.session.saved.folder, configFileName)}\n` }
  },
})

export const profile = group('profile', 'Saved profiles: addresses, namespaces, TLS, where tokens come from', [
  profileList,
  show,
  use,
  set,
  remove,
  path,
])

/** A profile by name. Throws a usage error with the nearest names. */
function profileOf(config: ConfigFile, name: string): Profile {
  const profiles = config.profiles ?? {}
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (found !== undefined) return found
  throw usageError(
    `there is no profile '${name}'.${didYouMean(name, Object.keys(profiles))}`,
    'tug profile list shows them',
  )
}

function readProfileName(name: string): string {
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name) || name === '__proto__')
    throw new RangeError(`'${name}' cannot name a profile: letters, digits, '-', '_' and '.'`)
  return name
}

function without<T>(object: Readonly<Record<string, T>>, key: string): Record<string, T> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key))
}
