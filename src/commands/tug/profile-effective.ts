import type { ListView } from '../../core/command.ts'
import { list } from '../../core/command.ts'
import { serviceNames } from '../../core/request.ts'
import { configFileName } from '../../config/profiles.ts'
import type { SettingKey } from '../../config/settings.ts'
import { settingName, settingRows } from '../../config/settings.ts'
import type { TugContext } from './context.ts'

/** A setting of a service, or of all if `service` is empty. */
interface EffectiveRow {
  readonly service: string
  readonly setting: string
  readonly value: string | null
  readonly source: string
}

/** Every setting of every service with value and source; of tokens only the source. */
export function effectiveRows({ openService, session }: TugContext): EffectiveRow[] {
  const profile = { text: session.saved.profileName, source: profileSource(session) }
  const shared = (['output', 'trace', 'noInput'] as const).map((key) => rowOf('', key, session.setting(key)))
  const ofServices = serviceNames.flatMap((service) => {
    const { session: of } = openService(service)
    return settingRows
      .filter(([, { profile: place, server, services = serviceNames }]) => {
        return (server === true || place === 'service' || place === 'both') && services.includes(service)
      })
      .map(([key]) => rowOf(service, key, key === 'token' ? tokenOf(of) : of.setting(key)))
  })
  return [rowOf('', 'profile', profile), ...shared, ...ofServices]
}

function tokenOf(session: TugContext['session']): Found | undefined {
  const source = session.setting('address') === undefined ? undefined : session.tokenSource()?.source
  return source === undefined ? undefined : { text: '(set, not shown)', source }
}

function profileSource({ sources, saved }: TugContext['session']): string {
  if (sources.flags.profile !== undefined) return 'flag --profile'
  if (sources.env['TUG_PROFILE']) return 'TUG_PROFILE'
  return saved.config.current === undefined ? 'default' : configFileName
}

type Found = { readonly text: string; readonly source: string }

function rowOf(service: string, key: SettingKey, found: Found | undefined): EffectiveRow {
  return { service, setting: settingName(key), value: found?.text ?? null, source: found?.source ?? 'not set' }
}

/** A row for each setting; the sources are dimmed. */
export const effectiveView: ListView = list<EffectiveRow>(
  [
    { name: 'service', value: (row) => row.service },
    { name: 'setting', value: (row) => row.setting },
    { name: 'value', value: (row) => row.value, whole: true },
    {
      name: 'source',
      value: (row) => row.source,
      show: (row) => ({ text: row.source, tone: 'dim' }),
    },
  ],
  (row) => row.setting,
)
