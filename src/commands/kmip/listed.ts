import { DryRunEnd } from '../../core/answer.ts'
import type { DoneResult } from '../../core/command.ts'
import { writeFacts } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import type { HttpRequest } from '../../core/request.ts'
import { listNames, sayWarnings } from '../../api/secrets.ts'

/** True if the engine lists the name. Undefined if nobody can tell: the list may not be read (403), or this is a dry run. */
export async function isListed(context: Context, list: HttpRequest, name: string): Promise<boolean | undefined> {
  try {
    return (await listNames(context, list, { emptyWhen404: true })).includes(name)
  } catch (error) {
    if (error instanceof DryRunEnd) return undefined
    if (error instanceof TugError && error.facts.status === 403) return undefined
    throw error
  }
}

/** What the help of a deletion says of a list that may not be read. */
export const unlisted =
  'If the list may not be read, the request is sent alone and reported as not verified; in JSON deleted is null then.'

/** Deletes a scope or role. The engine reports success for one that doesn't exist, so the list of names is read first. */
export interface Deletion {
  readonly name: string
  readonly list: HttpRequest
  readonly request: HttpRequest
  /** `role backup in scope storage`. */
  readonly what: string
  /** `scope storage has no role backup`. */
  readonly missing: string
  readonly question: string
  /** A command line that lists what exists. */
  readonly checkCommand: string
  readonly facts: { readonly [key: string]: string }
  /** A hint for a request that the engine refuses as invalid. */
  readonly refusedHint?: string
}

/** Throws "not found", before it asks and sends, if the list doesn't contain the name. */
export async function deleteListed(context: Context, deletion: Deletion): Promise<DoneResult> {
  const { name, list, request, what, missing, question, checkCommand, facts, refusedHint } = deletion
  const listed = await isListed(context, list, name)
  if (listed === false) {
    throw new TugError('not_found', `${missing}; nothing was sent`, {
      reason: 'nothing_there',
      hints: [`list what exists: ${checkCommand}`],
    })
  }
  await context.io.confirm(question)
  const response = await context.http.send({ ...request, checkCommand }).catch((error: unknown) => {
    const isRefused = refusedHint !== undefined && error instanceof TugError && error.code === 'invalid'
    throw isRefused ? error.with({ hints: [...error.hints, refusedHint] }) : error
  })
  sayWarnings(context.io, response)
  const done = listed === true ? `deleted ${what}` : `requested deletion of ${what}, not verified`
  return { done, data: writeFacts('delete', facts, listed ?? null, { deleted: listed ?? null }) }
}
