import * as kmip from '../../api/kmip.ts'
import { listNames, listResult, sayWarnings } from '../../api/secrets.ts'
import { DryRunEnd } from '../../core/answer.ts'
import type { DoneResult } from '../../core/command.ts'
import { command, writeFacts } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import { flag } from '../../core/param.ts'
import type { HttpRequest } from '../../core/request.ts'
import { deleteWithKeys, noSuchScope } from './messages.ts'
import { scopeParam } from './params.ts'

/** True if the engine lists the name. Undefined if that is unknown: the list may not be read (403), or this is a dry run. */
export async function isListed(context: Context, list: HttpRequest, name: string): Promise<boolean | undefined> {
  try {
    return (await listNames(context, list, { emptyWhen404: true })).includes(name)
  } catch (error) {
    if (error instanceof DryRunEnd) return undefined
    if (error instanceof TugError && error.facts.status === 403) return undefined
    throw error
  }
}

/** A sentence for the help of deletions. */
export const unlisted =
  'If the list may not be read, the request is sent alone and reported as not verified; in JSON deleted is null then.'

/** Deletes a scope or role. The engine reports success for one that doesn't exist, so the list of names is read first. */
interface Deletion {
  readonly name: string
  readonly list: HttpRequest
  readonly request: HttpRequest
  /** `role backup in scope storage`. */
  readonly what: string
  readonly missing: TugError
  readonly question: string
  readonly facts: { readonly [key: string]: string }
  /** A hint for a request that the engine refuses as invalid. */
  readonly refusedHint?: string
}

/** Throws "not found", before it asks and sends, if the list doesn't contain the name. */
export async function deleteListed(context: Context, deletion: Deletion): Promise<DoneResult> {
  const { name, list, request, what, missing, question, facts, refusedHint } = deletion
  const listed = await isListed(context, list, name)
  if (listed === false) throw missing
  await context.io.confirm(question)
  const response = await context.http.send(request).catch((error: unknown) => {
    const isRefused = refusedHint !== undefined && error instanceof TugError && error.code === 'invalid'
    throw isRefused ? error.with({ hints: [...error.hints, refusedHint] }) : error
  })
  sayWarnings(context.io, response)
  const done = listed === true ? `deleted ${what}` : `requested deletion of ${what}, not verified`
  return { done, data: writeFacts('delete', facts, listed ?? null, { deleted: listed ?? null }) }
}

export const scopeList = command({
  name: 'list',
  summary: 'List the scopes',
  endpoint: kmip.listScopes,
  params: {},
  examples: [{ line: 'kmip scope list', note: 'all scopes of the engine' }],
  async run(_, context) {
    const empty = `no scopes; create one: ${context.commandLine('kmip scope create')} <scope>`
    return listResult(context, kmip.listScopes({}), { emptyWhen404: true, column: 'scope', empty })
  },
})

export const scopeCreate = command({
  name: 'create',
  endpoint: kmip.createScope,
  also: [kmip.listScopes],
  summary: 'Create a scope, or leave an existing one unchanged',
  description:
    'The scopes are listed first, to report whether the scope is new: in JSON created is true or false, or null if the list may not be read.',
  params: { scope: scopeParam },
  examples: [{ line: 'kmip scope create finance', note: 'a namespace for managed objects' }],
  async run({ scope }, context) {
    const existed = await isListed(context, kmip.listScopes({}), scope)
    const checkCommand = context.commandLine('kmip scope list')
    const response = await context.http.send(kmip.createScope({ scope }, { checkCommand }))
    sayWarnings(context.io, response)
    const created = existed === undefined ? null : !existed
    return { done: createdWords(scope, existed), data: writeFacts('create', { scope }, created, { created }) }
  },
})

function createdWords(scope: string, existed: boolean | undefined): string {
  if (existed === undefined) return `created scope ${scope} or left it unchanged; the list of scopes may not be read`
  return existed ? `scope ${scope} already existed` : `created scope ${scope}`
}

export const scopeDelete = command({
  name: 'delete',
  endpoint: kmip.deleteScope,
  also: [kmip.listScopes],
  summary: 'Delete a scope; --force is needed if it contains managed objects',
  description: `The scopes are listed first: one that doesn't exist is exit status 3 and nothing is sent. ${unlisted}`,
  params: { scope: scopeParam, force: flag.boolean('delete its managed objects too') },
  examples: [
    { line: 'kmip scope delete finance', note: 'asks first' },
    { line: 'kmip scope delete archive --force --yes', note: 'with the keys in it, in a script' },
  ],
  async run({ scope, force }, context) {
    const query = force === true ? ([['force', 'true']] as const) : []
    const checkCommand = context.commandLine('kmip scope list')
    const withKeys = `Delete scope ${scope} with its roles, certificates and all its keys? Data encrypted with these keys is lost.`
    return deleteListed(context, {
      name: scope,
      list: kmip.listScopes({}),
      request: kmip.deleteScope({ scope }, { query, checkCommand }),
      what: `scope ${scope}`,
      missing: noSuchScope(scope, context),
      question: force === true ? withKeys : `Delete scope ${scope} with its roles and certificates?`,
      facts: { scope },
      ...(force === true ? {} : { refusedHint: deleteWithKeys(scope, context) }),
    })
  },
})
