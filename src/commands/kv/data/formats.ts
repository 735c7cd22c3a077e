import { flag } from '../../../core/param.ts'

const exportFormats = ['json', 'yaml', 'dotenv'] as const

/** How secrets are written to a file. */
export type ExportFormat = (typeof exportFormats)[number]

/** The flags of `kv export` and `kv import` about the file and its folder. */
export const formatFlags = {
  noRecursive: flag.boolean('only the secrets directly in the folder'),
  format: flag.choice('format of the file', exportFormats),
}

/** The format that a file's name implies. */
export function formatOfFile(path: string): ExportFormat | undefined {
  if (/\.ya?ml$/i.test(path)) return 'yaml'
  if (/\.json$/i.test(path)) return 'json'
  return /(?:^|[/.])(?:dot)?env(?:\.\w+)?$/i.test(path) ? 'dotenv' : undefined
}

/** The name, in an export that misses something, of the text that says so. Not a map, so that an import refuses the file. */
export const incompleteKey = '# incomplete'
