import { at, text } from '../../core/answer.ts'
import type { ListView } from '../../core/command.ts'
import { list } from '../../core/command.ts'
import type { Json } from '../../core/json.ts'
import type { ServiceName } from '../../core/request.ts'
import { serviceNames } from '../../core/request.ts'
import { configFileName } from '../../config/profiles.ts'
import type { SettingKey } from '../../config/settings.ts'
import { settingsTable } from '../../config/settings.ts'
import type { World } from '../../context.ts'

/** Every setting of every service, its value and source; tokens are named by their source only. */
export function effectiveRows({ openService, session }: World): Json[] {
  const shared = ['profile', 'output', 'trace', 'no_input'] as const satisfies SettingKey[]
  const rows: Json[] = shared.map((key) =>
    rowOf(
      '',
      key,
      key === 'profile' ? { value: session.saved.profileName, source: profileSource(session) } : session.setting(key),
    ),
  )
  for (const service of serviceNames) {
    const { session: of } = openService(service)
    for (const { key } of settingsTable) {
      if ((shared as readonly string[]).includes(key) || !concerns(service, key)) continue
      if (key === 'token') {
        const source = of.setting('address') === undefined ? undefined : of.tokenSource()?.source
        rows.push(rowOf(service, key, source === undefined ? undefined : { value: '(set, not shown)', source }))
      } else rows.push(rowOf(service, key, of.setting(key)))
    }
  }
  return rows
}

function profileSource({ sources, saved }: World['session']): string {
  if (sources.flags['profile'] !== undefined) return 'flag --profile'
  if (sources.env['TUG_PROFILE']) return 'TUG_PROFILE'
  return saved.config.current === undefined ? 'default' : configFileName
}

function concerns(service: ServiceName, key: string): boolean {
  const only: Readonly<Record<string, readonly ServiceName[]>> = {
    org: ['explorer'],
    namespace: ['secrets', 'scheduler'],
    region: ['scheduler'],
    kv_mount: ['secrets'],
    kmip_mount: ['secrets'],
    list_method: ['secrets'],
  }
  return only[key]?.includes(service) ?? true
}

function rowOf(service: string, setting: string, found: { value: string; source: string } | undefined): Json {
  return { service, setting, value: found?.value ?? null, source: found?.source ?? 'not set' }
}

/** A row for each setting; sources stand back. */
export const effectiveView: ListView = list<Json>(
  [
    { name: 'service', value: (row) => at(row, 'service') },
    { name: 'setting', value: (row) => at(row, 'setting') },
    { name: 'value', value: (row) => at(row, 'value'), whole: true },
    {
      name: 'source',
      value: (row) => at(row, 'source'),
      show: (row) => ({ text: text(row, 'source') ?? '', tone: 'dim' }),
    },
  ],
  (row) => text(row, 'setting') ?? '',
)
