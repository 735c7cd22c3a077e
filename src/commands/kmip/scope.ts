import * as kmip from '../../api/kmip.ts'
import { listNames, namesView, printWarnings, sendList } from '../../api/secrets.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import type { HttpRequest } from '../../core/request.ts'
import { read } from '../../read/read.ts'
import type { Applied, Decision, ItemRun, Work } from '../../write/work.ts'
import { onlyTarget, unseen } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { scopeParam, nothingThere } from './params.ts'

/** True if the engine lists the name; undefined if the list may not be read (403). */
export async function isListed(context: Context, list: HttpRequest, name: string): Promise<boolean | undefined> {
  try {
    return (await listNames(context, list)).includes(name)
  } catch (error) {
    if (error instanceof TugError && error.facts.status === 403) return undefined
    throw error
  }
}

/** The deletion of a scope or role. */
interface Deletion {
  readonly action: string
  readonly target: 'scope' | 'role'
  readonly item: string
  /** More members of the result. */
  readonly data?: Readonly<Record<string, Json>>
  readonly list: HttpRequest
  /** The target's name in the list. */
  readonly name: string
  readonly request: HttpRequest
  /** `role backup in scope storage`. */
  readonly what: string
  readonly missing: TugError
  readonly question: string
  /** A hint if the engine refuses the request as invalid. */
  readonly refusedHint?: string
}

/** For the help of deletions. */
export const unlisted =
  'If the list may not be read, the request is sent alone and reported as not verified; in JSON changed is null then.'

/**
 * The work of a deletion. The engine reports success for a name that doesn't exist, so the list of names is read first and a
 * missing one is "not found".
 */
export function deletionWork(context: Context, deletion: Deletion): Work {
  const { action, target, item, data = {}, list, name, request, what, missing, question, refusedHint } = deletion
  const send = async (run: ItemRun): Promise<Applied> => {
    const response = await run.context.http.send(request).catch((error: unknown) => {
      const isRefused = refusedHint !== undefined && error instanceof TugError && error.code === 'invalid'
      throw isRefused ? error.with({ hints: [...error.hints, refusedHint] }) : error
    })
    printWarnings(run.context.io, response)
    return { words: `deleted ${what}` }
  }
  const sendUnseen = async (run: ItemRun): Promise<Applied> => {
    await send(run)
    return { words: `requested deletion of ${what}, not verified`, facts: { confirmed: false } }
  }
  const decide = async (): Promise<Decision> => {
    const listed = await isListed(context, list, name)
    if (listed === false) throw missing
    if (listed === undefined) return { ...unseen, apply: sendUnseen }
    return { action: 'delete', words: `delete ${what}`, apply: send }
  }
  return {
    action,
    target,
    noun: target,
    data,
    ...onlyTarget(item, { decide, ask: () => question }),
  }
}

export const scopeList = read({
  name: 'list',
  summary: 'List the scopes',
  endpoint: kmip.listScopes,
  params: {},
  examples: [{ line: 'kmip scope list', note: 'all scopes of the engine' }],
  send: sendList,
  view: (_, { commandLine }) =>
    namesView('scope', `no scopes; create one: ${commandLine('kmip scope create')} <scope>`),
})

export const scopeCreate = write({
  name: 'create',
  endpoint: kmip.createScope,
  also: [kmip.listScopes],
  summary: 'Create a scope, or leave an existing one unchanged',
  description:
    'Nothing is sent if the scope exists. If the list may not be read, the request is sent alone; in JSON changed is null then.',
  params: { scope: scopeParam },
  examples: [{ line: 'kmip scope create finance', note: 'a namespace for managed objects' }],
  async open({ scope }, context): Promise<Work> {
    const send = async (run: ItemRun): Promise<Applied> => {
      const checkCommand = context.commandLine('kmip scope list')
      printWarnings(run.context.io, await run.context.http.send(kmip.createScope({ scope }, { checkCommand })))
      return { words: `created scope ${scope}` }
    }
    const sendUnseen = async (run: ItemRun): Promise<Applied> => {
      await send(run)
      const words = `created scope ${scope} or left it unchanged; the list of scopes may not be read`
      return { words, facts: { confirmed: false } }
    }
    return {
      action: 'scope create',
      target: 'scope',
      noun: 'scope',
      ...onlyTarget(scope, {
        async decide(): Promise<Decision> {
          const listed = await isListed(context, kmip.listScopes({}), scope)
          if (listed === true) return { action: 'unchanged', words: 'exists already' }
          if (listed === undefined) return { ...unseen, apply: sendUnseen }
          return { action: 'create', words: 'new', apply: send }
        },
      }),
    }
  },
})

export const scopeDelete = write({
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
  async open({ scope, force }, context): Promise<Work> {
    const query = force === true ? ([['force', 'true']] as const) : []
    const checkCommand = context.commandLine('kmip scope list')
    const withKeys = `Delete scope ${scope} with its roles, certificates and all its keys? Data encrypted with these keys is lost.`
    const forceLine = context.commandLine('kmip scope delete', scope, ['--force'])
    return deletionWork(context, {
      action: 'scope delete',
      target: 'scope',
      item: scope,
      list: kmip.listScopes({}),
      name: scope,
      request: kmip.deleteScope({ scope }, { query, checkCommand }),
      what: `scope ${scope}`,
      missing: nothingThere(`no scope ${scope}`, `the scopes: ${checkCommand}`),
      question: force === true ? withKeys : `Delete scope ${scope} with its roles and certificates?`,
      ...(force === true ? {} : { refusedHint: `delete it with every key in it: ${forceLine}` }),
    })
  },
})
