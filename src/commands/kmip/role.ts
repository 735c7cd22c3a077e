import * as kmip from '../../api/kmip.ts'
import { namesView, sendList } from '../../api/secrets.ts'
import { at, text } from '../../core/answer.ts'
import type { RecordView } from '../../core/command.ts'
import { cell, record } from '../../core/command.ts'
import type { Json } from '../../core/json.ts'
import { entriesOf, isObject, keysOf } from '../../core/json.ts'
import type { Cell } from '../../core/output.ts'
import { asAbsence, noSuchRole, roleParam, scopeParam, shownSpan } from './params.ts'
import { read } from '../../read/read.ts'

export const roleList = read({
  name: 'list',
  summary: 'List the roles of a scope',
  endpoint: kmip.listRoles,
  params: { scope: scopeParam },
  examples: [{ line: 'kmip role list storage', note: 'all roles of the scope' }],
  send: sendList,
  view: ({ scope }, { commandLine }) =>
    namesView('role', `no roles in ${scope}; create one: ${commandLine('kmip role set', scope)} <role>`),
})

export const roleGet = read({
  name: 'get',
  endpoint: kmip.readRole,
  summary: "Show a role's operations, and the key and lifetime of its certificates",
  params: { scope: scopeParam, role: roleParam },
  examples: [{ line: 'kmip role get storage backup', note: 'its operations by name' }],
  failure: (error, { scope, role }, context) => asAbsence(error, noSuchRole(scope, role, context)),
  select: ({ data }) => data,
  view: ({ role }, { settings }, answer) => viewOf(keysOf(answer?.data ?? {}), role, settings.dialect !== 'neutral'),
})

/** The width of values beside field names in 80 columns. */
const lineLength = 58
const shownFields = ['tls_client_key_type', 'tls_client_key_bits', 'tls_client_ttl']

/** Operations by name, overrides of the engine's defaults, then fields that a newer server adds. */
function viewOf(names: readonly string[], roleName: string, isProduct: boolean): RecordView {
  const more = names.filter((name) => !name.startsWith('operation_') && !shownFields.includes(name))
  return record<Json>(
    [
      {
        name: 'operations',
        value: allowed,
        // Wrapped after a comma where it doesn't fit a line.
        show: (answer) =>
          allowed(answer).replace(new RegExp(`(?=.{${lineLength + 1}})(.{1,${lineLength}},) `, 'g'), '$1\n'),
        whole: true,
        list: ', ',
      },
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

/** The operations that a role may perform, including unknown ones. */
function allowed(role: Json): string {
  if (!isObject(role)) return ''
  const granted = entriesOf(role).flatMap(([name, value]) =>
    name.startsWith('operation_') && value === true ? [name.slice('operation_'.length)] : [],
  )
  return granted.length === 0 ? 'none' : granted.join(', ')
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
