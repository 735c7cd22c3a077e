import type { SettingFacts } from '../core/setting-facts.ts'
import { flagName } from '../core/param.ts'
import type { Setting, SettingKey } from './settings.ts'
import { familyVariables, settingName, settingRows } from './settings.ts'

/** The table of settings as manual, reference and help topics show it. */
export function settingFacts(): SettingFacts {
  return {
    rows: settingRows.map(([key, setting]) => ({
      meaning: setting.meaning ?? setting.flag.summary,
      flag: flagName(setting.flagKey ?? key),
      variables: [...new Set(Object.values(setting.variables ?? {}))],
      profileKey: profileKeyOf(key, setting),
      default: setting.flag.defaultText,
      vendorVariables: vendorVariables(setting),
    })),
    vendors: Object.entries(familyVariables).map(([service, names]) => [service, Object.keys(names)]),
  }
}

function profileKeyOf(key: SettingKey, { profile, services }: Setting): string | undefined {
  if (profile === undefined) return undefined
  const owner = services?.length === 1 ? services[0] : '<service>'
  return profile === 'profile' ? settingName(key) : `${owner}.${settingName(key)}`
}

function vendorVariables({ family }: Setting): string[] {
  if (family === undefined) return []
  return Object.values(familyVariables).flatMap((names) =>
    Object.entries(names)
      .filter(([, one]) => one === family)
      .map(([name]) => name),
  )
}
