import { command, group } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import * as kmip from '../../api/kmip.ts'
import { query } from '../../core/param.ts'
import { listResult } from '../../api/secrets-list.ts'
import { scopeParam } from './params.ts'

const scopeList = command({
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

const scopeCreate = command({
  name: 'create',
  endpoint: kmip.createScope,
  summary: 'Create a scope, or leave an existing one unchanged',
  params: { scope: scopeParam },
  checkCommand: (_, context) => context.commandLine('kmip scope list'),
  output: ({ scope }) => ({ done: `scope ${scope} exists`, data: { scope } }),
  examples: [{ line: 'kmip scope create finance', note: 'a namespace for managed objects' }],
})

const scopeDelete = command({
  name: 'delete',
  endpoint: kmip.deleteScope,
  summary: 'Delete a scope; --force is needed if it contains managed objects',
  params: { scope: scopeParam, force: query.boolean('delete its managed objects too') },
  checkCommand: (_, context) => context.commandLine('kmip scope list'),
  output: ({ scope }) => ({ done: `deleted scope ${scope}`, data: { scope, deleted: true } }),
  asks: ({ scope, force }) =>
    force === true
      ? `Delete scope ${scope} with its roles, certificates and all its keys? Data encrypted with these keys is lost.`
      : `Delete scope ${scope} with its roles and certificates?`,
  failure: refusedDelete,
  examples: [
    { line: 'kmip scope delete finance', note: 'asks first' },
    { line: 'kmip scope delete archive --force --yes', note: 'with the keys in it, in a script' },
  ],
})

export const scope = group('scope', 'Scopes: namespaces of managed objects', [scopeList, scopeCreate, scopeDelete])

/** A scope that still has managed objects is refused; the hint says how to delete it all the same. */
function refusedDelete(
  error: unknown,
  { scope: name, force }: { scope: string; force: boolean | undefined },
  context: Context,
) {
  if (!(error instanceof TugError) || error.code !== 'invalid' || force === true) return error
  const line = context.commandLine('kmip scope delete', name, '--force')
  return error.with({ hints: [...error.hints, `delete it with every key in it: ${line}`] })
}
