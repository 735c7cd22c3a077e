import { flag } from '../../../core/param.ts'

const fileFormats = ['json', 'yaml', 'dotenv'] as const

/** How secrets are written to a file. */
export type FileFormat = (typeof fileFormats)[number]

/** The format of a file to read. */
export const formatFlag = flag.choice('format of the file', fileFormats, { meant: { env: 'dotenv', yml: 'yaml' } })

/** The format of an export. */
export const exportFormatFlag = flag.choice('format of the export', [...fileFormats, 'shell'], {
  meant: { env: 'dotenv', yml: 'yaml', sh: 'shell' },
})

/** The flags of `kv export` and `kv import` about the folder. */
export const levelFlags = {
  noRecursive: flag.boolean('only the secrets directly in the folder'),
}

/** The format that a file's name implies. */
export function formatOfFile(path: string): FileFormat | undefined {
  if (/\.ya?ml$/i.test(path)) return 'yaml'
  if (/\.json$/i.test(path)) return 'json'
  const name = /[^/\\]*$/.exec(path)?.[0] ?? ''
  return /^\.?(?:dot)?env(?:rc)?(?:[.-].*)?$|\.(?:dot)?env$/i.test(name) ? 'dotenv' : undefined
}

/** The name, in an export that misses something, of the text that says so. Not a map, so that an import refuses the file. */
export const incompleteKey = '# incomplete'
