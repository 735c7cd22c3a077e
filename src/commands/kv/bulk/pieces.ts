import type { Json } from '../../../core/json.ts'
import { objectFrom, stringifyJson } from '../../../core/json.ts'
import { mapOf } from '../values.ts'
import { incompleteDotenv, toDotenv } from './dotenv.ts'
import type { ExportFormat } from './formats.ts'
import { incompleteKey } from './formats.ts'

/** One secret as a piece of an export. `first`: nothing was written before it; `alone`: it is the only one. */
export async function pieceOf(
  name: string,
  data: Json,
  format: ExportFormat,
  { first, alone }: { first: boolean; alone: boolean },
): Promise<string> {
  if (format === 'json') return jsonMember(name, data, first)
  if (format === 'yaml') {
    const { toYaml } = await import('../../../output/yaml.ts')
    return toYaml(objectFrom([[name, data]]))
  }
  return `${first ? '' : '\n'}${toDotenv(alone ? undefined : name, data === null ? null : mapOf(data))}`
}

function jsonMember(name: string, data: Json, first: boolean): string {
  return `${first ? '{' : ','}\n  ${JSON.stringify(name)}: ${stringifyJson(data, 2).replaceAll('\n', '\n  ')}`
}

/** Says inside an export that something is missing, so that no reader takes it for a whole one. */
export function incompleteMark(words: string, format: ExportFormat, first: boolean): string {
  if (format === 'json') return jsonMember(incompleteKey, words, first)
  return format === 'yaml' ? `"${incompleteKey}": ${JSON.stringify(words)}\n` : incompleteDotenv(words)
}

/** The last piece of an export. */
export function endOf(format: ExportFormat, isEmpty: boolean): string {
  if (format === 'json') return isEmpty ? '{}\n' : '\n}\n'
  return format === 'yaml' && isEmpty ? '{}\n' : ''
}
