import type { Context } from '../../../core/context.ts'
import type { DoneResult } from '../../../core/command.ts'
import { writeFacts } from '../../../core/command.ts'
import type { TugError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { flag } from '../../../core/param.ts'
import type { HttpRequest } from '../../../core/request.ts'
import { failureFor404 } from '../missing.ts'
import { placeHints } from '../place.ts'
import { refuseVersion1 } from '../version1.ts'
import { sendWrite } from '../write.ts'

export const metadataCas = flag.integer(
  'write only if this is the current version of the metadata (0: only if there is none; OpenBao)',
  { min: 0 },
)

export const clearCustomMetadata = flag.boolean('remove all custom metadata')

/** The flags that a command without any is missing; `more` are its own. */
export function settingFlags(...more: readonly string[]): string {
  const flags = ['--max-versions', '--cas-required', '--delete-version-after', '--custom-metadata k=v', ...more]
  return `give ${flags.join(', ')} or --clear-custom-metadata`
}

/** `metadata_cas`, if it is given. */
export function casEntries(cas: number | undefined): [string, Json][] {
  return cas === undefined ? [] : [['metadata_cas', cas]]
}

/** Sends a write of metadata; `more` are hints for its failure. A secret that doesn't exist is an error with the way to create it. */
export async function sendMetadata(
  context: Context,
  path: string,
  request: HttpRequest,
  entries: readonly (readonly [string, Json])[],
  more?: (error: TugError) => readonly string[],
): Promise<DoneResult> {
  const checkCommand = context.commandLine('kv metadata get', path)
  await refuseVersion1(context, `metadata/${path}`)
  const response = await sendWrite(context, path, { checkCommand, ...request }, more)
  if (response.status === 404) {
    const failure = failureFor404(context, response, path, undefined, 'metadata')
    if (placeHints(context, path).length > 0) throw failure
    const create = `to create it: ${context.commandLine('kv metadata put', path)} …`
    throw failure.with({ hints: [...failure.hints, create] })
  }
  const names = entries.map(([name]) => name).filter((name) => name !== 'metadata_cas')
  return {
    done: `${path}: wrote ${names.join(', ')}`,
    data: writeFacts(context.commandPath.slice(1).join(' '), { path }, true, Object.fromEntries(entries)),
    rawBody: response.body,
  }
}
