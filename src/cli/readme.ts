import { familyVariables } from '../config/families.ts'
import { settingsTable } from '../config/settings.ts'
import type { Setting } from '../config/settings.ts'
import { exitMeanings } from '../core/errors.ts'
import type { Program } from './catalogue.ts'
import { coverageOf } from './coverage.ts'

export const readmeTableNames = ['settings', 'exit-codes', 'endpoints'] as const

export type ReadmeTableName = (typeof readmeTableNames)[number]

/** The tables of the README that the program writes itself, in Markdown. */
export function readmeTables(program: Program): Readonly<Record<ReadmeTableName, string>> {
  return {
    settings: table(
      ['setting', 'flag', 'variable', 'profile key', 'default', 'also read from'],
      settingsTable.map(settingRow),
    ),
    'exit-codes': table(
      ['code', 'meaning'],
      exitMeanings.map(([status, meaning]) => [code(status), prose(meaning)]),
    ),
    endpoints: table(['method', 'path', 'needs', 'blocking', 'command'], endpointRows(program)),
  }
}

/**
 * The README with what stands between `<!-- tug:name -->` and `<!-- /tug:name -->` replaced by a table. Throws when the
 * markers are not there.
 */
export function replaceBetweenMarkers(readme: string, name: ReadmeTableName, text: string): string {
  const begin = `<!-- tug:${name} -->`
  const end = `<!-- /tug:${name} -->`
  const from = readme.indexOf(begin)
  const to = readme.indexOf(end, from)
  if (from === -1 || to === -1) throw new Error(`the README has no place ${begin} … ${end}`)
  return `${readme.slice(0, from + begin.length)}\n\n${text}\n${readme.slice(to)}`
}

function settingRow(setting: Setting): string[] {
  const { key, flag, variables, profile, meaning, family } = setting
  const vendors = Object.values(familyVariables).flatMap((names) =>
    Object.entries(names)
      .filter(([, one]) => one === family)
      .map(([name]) => name),
  )
  return [
    prose(meaning),
    flag === undefined ? '' : code(`--${flag}`),
    [...new Set(Object.values(variables))].map(code).join(', '),
    profile === undefined ? '' : code(profile.of === 'service' ? `<service>.${profile.key}` : key),
    setting.default === undefined ? '' : code(setting.default),
    vendors.map(code).join(', '),
  ]
}

function endpointRows(program: Program): string[][] {
  return coverageOf(program).map(({ method, path, acl, blocking, command }) => [
    code(method),
    code(path),
    acl === undefined ? '' : prose(acl),
    blocking === true ? 'yes' : '',
    code(`tug ${command}`),
  ])
}

function table(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  return [headers, headers.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

function code(text: string): string {
  return `\`${text.replaceAll('|', String.raw`\|`)}\``
}

/** Prose keeps its `code`; what Markdown would take for markup or HTML is escaped. */
function prose(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((piece, index) => (index % 2 === 1 ? piece : piece.replace(/[<*_[\]\\]/g, String.raw`\$&`)))
    .join('')
    .replaceAll('|', String.raw`\|`)
}
