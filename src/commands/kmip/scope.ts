import { command, writeFacts } from '../../core/command.ts'
import * as kmip from '../../api/kmip.ts'
import { flag } from '../../core/param.ts'
import { listResult, sayWarnings } from '../../api/secrets.ts'
import { deleteListed, isListed, unlisted } from './listed.ts'
import { scopeParam } from './params.ts'

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
    const request = kmip.deleteScope({ scope }, force === true ? { query: [['force', 'true']] } : {})
    const withForce = context.commandLine('kmip scope delete', scope, '--force')
    const withKeys = `Delete scope ${scope} with its roles, certificates and all its keys? Data encrypted with these keys is lost.`
    return deleteListed(context, {
      name: scope,
      list: kmip.listScopes({}),
      request,
      what: `scope ${scope}`,
      missing: `no scope ${scope}`,
      question: force === true ? withKeys : `Delete scope ${scope} with its roles and certificates?`,
      checkCommand: context.commandLine('kmip scope list'),
      facts: { scope },
      ...(force === true ? {} : { refusedHint: `delete it with every key in it: ${withForce}` }),
    })
  },
})
