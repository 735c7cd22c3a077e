import { exitMeanings } from '../core/errors.ts'
import type { Program, SettingFact, SettingFacts } from './catalogue.ts'
import { coverageOf } from './catalogue.ts'
import { otherLines, tasks } from './tasks.ts'

export const tableNames = ['tasks', 'other-tools', 'settings', 'exit-codes', 'endpoints'] as const

export type TableName = (typeof tableNames)[number]

/** The generated tables of the reference, in Markdown. */
export function referenceTables(program: Program, settings: SettingFacts): Readonly<Record<TableName, string>> {
  const run = (line: string) => code(`tug ${line}`)
  return {
    tasks: table(
      ['I want to …', 'line'],
      tasks.map(([task, line]) => [prose(task), run(line)]),
    ),
    'other-tools': table(
      ['their line', "`tug`'s line"],
      otherLines.map(([theirs, line]) => [code(theirs), run(line)]),
    ),
    settings: table(
      ['setting', 'flag', 'variable', 'profile key', 'default', 'also read from'],
      settings.rows.map(settingRow),
    ),
    'exit-codes': table(
      ['code', 'meaning'],
      exitMeanings.map(([status, meaning]) => [code(status), prose(meaning)]),
    ),
    endpoints: table(
      ['method', 'path', 'needs', 'blocking', 'command'],
      coverageOf(program).map(({ endpoint: { method, path, acl, blocking }, command }) => [
        code(method),
        code(path),
        acl === undefined ? '' : prose(acl),
        blocking === true ? 'yes' : '',
        code(`tug ${command}`),
      ]),
    ),
  }
}

/**
 * Replaces the content between `<!-- tug:name -->` and `<!-- /tug:name -->` in a page by a table. Throws if the markers are
 * missing.
 */
export function replaceBetweenMarkers(page: string, name: TableName, text: string): string {
  const begin = `<!-- tug:${name} -->`
  const end = `<!-- /tug:${name} -->`
  const from = page.indexOf(begin)
  const to = page.indexOf(end, from)
  if (from === -1 || to === -1) throw new Error(`the page has no place ${begin} … ${end}`)
  return `${page.slice(0, from + begin.length)}\n\n${text}\n${page.slice(to)}`
}

function settingRow({
  meaning,
  flag,
  variables,
  profileKey,
  default: standard,
  vendorVariables,
}: SettingFact): string[] {
  return [
    prose(meaning),
    flag === undefined ? '' : code(flag),
    variables.map(code).join(', '),
    profileKey === undefined ? '' : code(profileKey),
    standard ?? '',
    vendorVariables.map(code).join(', '),
  ]
}

function table(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  return [headers, headers.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

function code(text: string): string {
  return `\`${text.replaceAll('|', String.raw`\|`)}\``
}

/** Prose with its `code`; other Markdown and HTML is escaped. */
function prose(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((piece, index) => (index % 2 === 1 ? piece : piece.replace(/[<*_[\]\\]/g, String.raw`\$&`)))
    .join('')
    .replaceAll('|', String.raw`\|`)
}
