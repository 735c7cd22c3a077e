import { TugError } from '../../core/errors.ts'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { cell, list, record, writeFacts } from '../../core/command.ts'
import { group } from '../../core/group.ts'
import type { TugContext } from './context.ts'
import { tugCommand } from './context.ts'
import { isYes } from '../../core/environment.ts'
import type { Json } from '../../core/json.ts'
import { lookUp } from '../../core/json.ts'
import { asJson } from '../../core/answer.ts'
import { argument, flag } from '../../core/param.ts'
import type { ServiceName } from '../../core/service.ts'
import { serviceNames } from '../../core/service.ts'
import { isShownKey, profileKeys, withProfileValue } from '../../config/profile-keys.ts'
import type { ConfigFile, Profile } from '../../config/profiles.ts'
import { configFileName, noSuchProfile } from '../../config/profiles.ts'
import type { SettingKey } from '../../config/settings.ts'
import { settingName, settingRows } from '../../config/settings.ts'

const nameArgument = argument.of('name of the profile', readProfileName, {
  required: true,
  placeholder: 'name',
  complete: 'profile',
})

const profileList = tugCommand({
  name: 'list',
  summary: 'List the saved profiles',
  params: {},
  examples: [{ line: 'profile list', note: 'all profiles, and which one is current' }],
  async run(_, context) {
    const { config, profileName } = context.session.saved
    const rows = Object.entries(config.profiles ?? {}).map(([name, profile]): ProfileRow => {
      const address = (service: ServiceName) => profile[service]?.address ?? null
      return {
        name,
        current: name === profileName,
        explorer: address('explorer'),
        secrets: address('secrets'),
        scheduler: address('scheduler'),
        protected: profile.protected === 'true',
        read_only: profile.read_only === 'true',
      }
    })
    return { data: asJson(rows), view: listView }
  },
})

/** A profile with the address of each service. */
type ProfileRow = { readonly name: string } & Readonly<Record<'current' | 'protected' | 'read_only', boolean>> &
  Readonly<Record<ServiceName, string | null>>

const listView = list<ProfileRow>(
  [
    { name: 'name', value: (row) => row.name, whole: true },
    { name: 'current', value: (row) => row.current, show: (row) => (row.current ? 'current' : '') },
    ...serviceNames.map((service) => ({ name: service, value: (row: ProfileRow) => row[service], whole: true })),
    { name: 'protected', value: (row) => row.protected, show: (row) => (row.protected ? 'protected' : '') },
    { name: 'read_only', value: (row) => row.read_only, show: (row) => (row.read_only ? 'read-only' : '') },
  ],
  (row) => row.name,
  { empty: 'no profiles yet; create one: tug profile set <name> secrets.address=https://…' },
)

const show = tugCommand({
  name: 'show',
  summary: 'Show a profile, or with --effective every setting in effect and its source',
  params: {
    name: argument.of('name of the profile; the current one by default', readProfileName, {
      placeholder: 'name',
      complete: 'profile',
    }),
    effective: flag.boolean('each value in effect, from flags, environment, profile and defaults'),
    all: flag.boolean('with --effective, settings without a value too', { needs: ['effective'] }),
  },
  examples: [
    { line: 'profile show', note: 'the current profile' },
    { line: 'profile show --effective', note: 'where each value comes from' },
  ],
  async run({ name, effective, all }, context) {
    const { config, profileName } = context.session.saved
    const wanted = name ?? profileName
    if (effective === true) {
      const rows = effectiveRows(context, name).filter(({ value }) => all === true || value !== null)
      return { data: asJson(rows), view: effectiveView }
    }
    const isMissing = name === undefined && !Object.hasOwn(config.profiles ?? {}, wanted)
    if (isMissing) context.io.note(`profile ${wanted} is empty; the settings in effect: tug profile show --effective`)
    const profile = isMissing ? {} : profileOf(config, wanted)
    const values = Object.entries(profile).flatMap(([key, value]): [string, string][] =>
      typeof value === 'string'
        ? [[key, value]]
        : Object.entries(value as Record<string, string>).map(([inner, one]) => [`${key}.${inner}`, one]),
    )
    return {
      data: Object.fromEntries(values),
      view: record<Json>(
        values.map(([key, value]) => ({ name: key, value: () => value })),
        () => wanted,
      ),
    }
  },
})

/** A setting of a service, or of all if `service` is empty. */
interface EffectiveRow {
  readonly service: string
  readonly setting: string
  readonly value: string | null
  readonly source: string
}

/** Every setting of every service with value and source, as with `--profile <named>`; of tokens only the source. */
function effectiveRows({ openService, session }: TugContext, named: string | undefined): EffectiveRow[] {
  const sessions = serviceNames.map((service) => [service, openService(service, { profile: named }).session] as const)
  const profile = {
    text: named ?? session.saved.profileName,
    source: named === undefined ? profileSource(session) : 'argument',
  }
  const [, first] = sessions[0] ?? ['', session]
  const shared = (['output', 'trace', 'noInput'] as const).map((key) => rowOf('', key, first.setting(key)))
  const ofServices = sessions.flatMap(([service, of]) => {
    return settingRows
      .filter(([, { profile: place, server, services = serviceNames }]) => {
        return (server === true || place === 'service' || place === 'both') && services.includes(service)
      })
      .map(([key]) => {
        if (key !== 'token') return rowOf(service, key, of.setting(key))
        const source = of.setting('address') === undefined ? undefined : of.tokenSource()?.source
        return rowOf(service, key, source === undefined ? undefined : { text: '(set, not shown)', source })
      })
  })
  return [rowOf('', 'profile', profile), ...shared, ...ofServices]
}

function profileSource({ sources, saved }: TugContext['session']): string {
  if (sources.flags.profile !== undefined) return 'flag --profile'
  if (sources.env['TUG_PROFILE']) return 'TUG_PROFILE'
  return saved.config.current === undefined ? 'default' : configFileName
}

function rowOf(
  service: string,
  key: SettingKey,
  found: { readonly text: string; readonly source: string } | undefined,
): EffectiveRow {
  return { service, setting: settingName(key), value: found?.text ?? null, source: found?.source ?? 'not set' }
}

/** A row for each setting; the sources are dimmed. */
const effectiveView = list<EffectiveRow>(
  [
    { name: 'service', value: (row) => row.service },
    { name: 'setting', value: (row) => row.setting, whole: true },
    { name: 'value', value: (row) => row.value, whole: true },
    { name: 'source', value: (row) => row.source, show: (row) => cell(row.source, 'dim'), whole: true },
  ],
  (row) => row.setting,
)

const use = tugCommand({
  name: 'use',
  summary: 'Make a profile the current one',
  params: { name: nameArgument },
  examples: [{ line: 'profile use prod', note: 'used from now on when --profile is not given' }],
  async run({ name }, context) {
    const { session } = context
    profileOf(session.saved.config, name)
    await context.updateConfig((config) => ({ ...config, current: name }))
    const changed = session.saved.config.current !== name
    return { done: nowCurrent(name), data: writeFacts('profile use', { profile: name }, changed) }
  },
})

const keyLines = profileKeys.map(([key, meaning]) => `  ${key.padEnd(34)}${meaning}`)

const set = tugCommand({
  name: 'set',
  summary: 'Create or change a profile; an empty value removes a key',
  description: `A profile becomes the current one if it is the only one; else use profile use. <service> is explorer, secrets or scheduler.

${keyLines.join('\n')}

Tokens are not part of a profile: store them with \`tug login <service>\`, or name a token_command.`,
  params: {
    name: nameArgument,
    values: argument.texts('settings to save', { required: true, placeholder: 'key=value', showsValue: isShownKey }),
  },
  examples: [
    {
      line: 'profile set prod secrets.address=https://vault.example.com secrets.dialect=hashicorp',
      note: 'an address and its API dialect',
    },
    {
      line: "profile set prod 'secrets.token_command=pass show vault' protected=true",
      note: 'a token from a program; writes ask first',
    },
    { line: 'profile set prod explorer.org=', note: 'remove a key' },
  ],
  async run({ name, values }, context) {
    const { config } = context.session.saved
    const place = { profileName: name, cwd: () => context.io.cwd }
    const changed = (profile: Profile = {}) =>
      values.reduce((before, value) => withProfileValue(before, value, place), profile)
    // Refused before the file is locked.
    changed(config.profiles?.[name])
    let current: string[] = []
    let isChanged = false
    await context.updateConfig((now) => {
      current = becomesCurrent(now, name) ? [nowCurrent(name)] : []
      const next = withProfile(now, name, changed)
      isChanged = !isDeepStrictEqual(next.profiles?.[name], now.profiles?.[name])
      return next
    })
    const done = [`saved profile ${name} (${values.map(shownAssignment).join(', ')})`, ...current]
    return { done, data: writeFacts('profile set', { profile: name }, isChanged) }
  },
})

/** What was set, without the value of a `token_command` or header, which may contain a secret. */
function shownAssignment(assignment: string): string {
  const [key = '', ...value] = assignment.split('=')
  return value.join('') !== '' && /(?:token_command|headers)$/i.test(key) ? `${key}=…` : assignment
}

const remove = tugCommand({
  name: 'delete',
  summary: 'Delete a profile and the tokens stored for it (asks first)',
  params: { name: nameArgument },
  examples: [{ line: 'profile delete old', note: 'its tokens are deleted too' }],
  async run({ name }, context) {
    const { session } = context
    const { protected: isProtected } = profileOf(session.saved.config, name)
    if (isYes(isProtected)) await context.confirmProfile(name, 'delete it')
    else await context.io.confirm(`Delete profile ${name} and the tokens stored for it?`)
    await context.updateConfig(({ current, profiles, ...rest }) => ({
      ...rest,
      ...(current === name || current === undefined ? {} : { current }),
      profiles: without(profiles ?? {}, [name]),
    }))
    if (Object.hasOwn(session.saved.credentials, name)) {
      await context.updateCredentials((credentials) => without(credentials, [name]))
    }
    return { done: `deleted profile ${name}`, data: writeFacts('profile delete', { profile: name }, true) }
  },
})

const path = tugCommand({
  name: 'path',
  summary: 'Print the path of the configuration file',
  rawOutput: true,
  params: {},
  examples: [{ line: 'profile path', note: 'the file, even if it does not exist yet' }],
  async run(_, context) {
    const { folder } = context.session.saved
    if (folder === '') throw new TugError('failed', 'HOME is not set, so there is no configuration file')
    return { raw: `${join(folder, configFileName)}\n` }
  },
})

export const profile = group('profile', 'Manage saved profiles: addresses, namespaces, TLS, tokens', {
  list: async () => profileList,
  show: async () => show,
  use: async () => use,
  set: async () => set,
  delete: async () => remove,
  path: async () => path,
})

/** A profile by name. Throws a usage error with the nearest names. */
function profileOf(config: ConfigFile, name: string): Profile {
  const found = lookUp(config.profiles ?? {}, name)
  if (found === undefined) throw noSuchProfile(name, config)
  return found
}

/** The confirmation for a profile that becomes the current one. */
export function nowCurrent(name: string): string {
  return `profile ${name} is now the current profile`
}

/** True if saving the profile makes it the current one: no other is saved, and none is current. */
export function becomesCurrent({ current, profiles = {} }: ConfigFile, name: string): boolean {
  return current === undefined && Object.keys(profiles).every((other) => other === name)
}

/** The configuration with a profile that is new or changed. */
export function withProfile(
  config: ConfigFile,
  name: string,
  change: (profile: Profile | undefined) => Profile,
): ConfigFile {
  return {
    ...config,
    ...(becomesCurrent(config, name) ? { current: name } : {}),
    profiles: { ...config.profiles, [name]: change(config.profiles?.[name]) },
  }
}

/** The name of a profile that may be new. Throws RangeError. */
export function readProfileName(name: string): string {
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name) || name === '__proto__')
    throw new RangeError(`'${name}' is not a profile name: use letters, digits, '-', '_' and '.'`)
  return name
}

/** The object without these keys. */
export function without<T extends object>(object: T, keys: readonly string[]): T {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !keys.includes(name))) as T
}
