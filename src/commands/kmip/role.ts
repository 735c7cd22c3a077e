import * as kmip from '../../api/kmip.ts'
import { listResult } from '../../api/secrets.ts'
import { asJson, at, text } from '../../core/answer.ts'
import type { RecordView } from '../../core/command.ts'
import { cell, command, record } from '../../core/command.ts'
import type { Json } from '../../core/json.ts'
import { entriesOf, isObject, keysOf } from '../../core/json.ts'
import type { Cell } from '../../core/output.ts'
import { noSuchRole } from './messages.ts'
import { answered, roleParam, scopeParam, shownSpan, wordedAbsence } from './params.ts'

export const roleList = command({
  name: 'list',
  summary: 'List the roles of a scope',
  endpoint: kmip.listRoles,
  params: { scope: scopeParam },
  examples: [{ line: 'kmip role list storage', note: 'all roles of the scope' }],
  async run({ scope }, context) {
    const empty = `no roles in ${scope}; create one: ${context.commandLine('kmip role set', scope)} <role>`
    return listResult(context, kmip.listRoles({ scope }), { emptyWhen404: true, column: 'role', empty })
  },
})

export const roleGet = command({
  name: 'get',
  endpoint: kmip.readRole,
  summary: "Show a role's operations, and the key and lifetime of its certificates",
  params: { scope: scopeParam, role: roleParam },
  examples: [{ line: 'kmip role get storage backup', note: 'its operations by name' }],
  async run({ scope, role }, context) {
    const response = await context.http.send(kmip.readRole({ scope, role })).catch((error: unknown) => {
      throw wordedAbsence(error, noSuchRole(scope, role, context))
    })
    const data = answered(response, context.io)
    return {
      data: asJson(data),
      view: viewOf(keysOf(data), role, context.settings.dialect !== 'neutral'),
      rawBody: response.body,
    }
  },
})

/** The width beside a field's name on 80 columns. */
const lineLength = 58
const shownFields = ['tls_client_key_type', 'tls_client_key_bits', 'tls_client_ttl']

/** Operations by name, overrides of the engine's defaults, then others that a newer server returns. */
function viewOf(names: readonly string[], roleName: string, isProduct: boolean): RecordView {
  const more = names.filter((name) => !name.startsWith('operation_') && !shownFields.includes(name))
  return record<Json>(
    [
      { name: 'operations', value: allowed, show: (answer) => inLines(allowed(answer)), whole: true, list: ', ' },
      ...shownFields.map((name) => ({
        name,
        value: (answer: Json) => at(answer, name),
        show: override(name, isProduct),
      })),
      ...more.map((name) => ({ name, value: (answer: Json) => at(answer, name) })),
    ],
    () => roleName,
  )
}

/** The operations a role may perform, including unknown ones. */
function allowed(role: Json): string {
  if (!isObject(role)) return ''
  const granted = entriesOf(role).flatMap(([name, value]) =>
    name.startsWith('operation_') && value === true ? [name.slice('operation_'.length)] : [],
  )
  return granted.length === 0 ? 'none' : granted.join(', ')
}

/** A list wrapped between its items where it doesn't fit a line. */
function inLines(names: string): string {
  return names.replace(new RegExp(`(?=.{${lineLength + 1}})(.{1,${lineLength}},) `, 'g'), '$1\n')
}

/** An override; products omit one that is not set, or return 0 or an empty string. */
function override(name: string, isProduct: boolean) {
  return (role: Json): Cell | string => {
    const value = text(role, name) ?? ''
    if (value === '' && !isProduct) return ''
    if (value === '' || value === '0') return cell('engine default', 'dim')
    return name === 'tls_client_ttl' ? shownSpan(role, name) : value
  }
}
