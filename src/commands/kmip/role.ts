import * as kmip from '../../api/kmip.ts'
import { asJson, at, text } from '../../core/answer.ts'
import type { RecordView } from '../../core/command.ts'
import { cell, command, record, writeFacts } from '../../core/command.ts'
import { TugError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { entriesOf, isObject, keysOf } from '../../core/json.ts'
import type { Context } from '../../core/context.ts'
import type { Cell } from '../../core/output.ts'
import { flag } from '../../core/param.ts'
import { createScope, noSuchRole, notAnOperation, operationHasFlag, unknownOperation } from './messages.ts'
import {
  answered,
  bodyOf,
  checkKeyPair,
  keyTypes,
  readSeconds,
  roleParam,
  scopeParam,
  shownSpan,
  wordedAbsence,
} from './params.ts'
import { deleteListed, unlisted } from './scope.ts'
import { operations } from '../../api/kmip-operations.ts'
import { listResult, sayWarnings } from '../../api/secrets.ts'

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

export const roleSet = command({
  name: 'set',
  summary: 'Create or change a role: its operations, and the key and lifetime of its certificates',
  description:
    '--operation gives the whole set: these are allowed, all others are not. Without --operation, --all-operations or --no-operations the operations stay unchanged.',
  endpoint: kmip.writeRole,
  params: {
    scope: scopeParam,
    role: roleParam,
    operation: flag.list('operations to allow, without their prefix', {
      placeholder: 'create,get,…',
      complete: 'kmip-operation',
    }),
    allOperations: flag.boolean('allow every operation', { excludes: ['operation', 'noOperations'] }),
    noOperations: flag.boolean('allow no operation', { excludes: ['operation'] }),
    noCheck: flag.boolean('send operations and key sizes that tug does not know'),
    tlsClientKeyType: flag.choice('key type of clients', keyTypes),
    tlsClientKeyBits: flag.integer('key size of clients in bits', { min: 1 }),
    tlsClientTtl: flag.of('lifetime of client certificates', readSeconds, { placeholder: 'duration' }),
  },
  examples: [
    { line: 'kmip role set storage backup --operation create,get,locate,activate', note: 'exactly these' },
    { line: 'kmip role set storage admin --all-operations --tls-client-ttl 12h', note: 'everything, for half a day' },
  ],
  async run(input, context) {
    const { scope, role, operation, allOperations, noOperations, noCheck } = input
    if (noCheck !== true) checkKeyPair(input.tlsClientKeyType, input.tlsClientKeyBits, '--tls-client-key-bits')
    const { tlsClientKeyType, tlsClientKeyBits, tlsClientTtl } = input
    const body = {
      ...(operation === undefined ? {} : flagsFor(operation, noCheck === true)),
      ...(allOperations === true ? { operation_all: true } : {}),
      ...(noOperations === true ? { operation_none: true } : {}),
      ...bodyOf({ tlsClientKeyType, tlsClientKeyBits, tlsClientTtl }),
    }
    const checkCommand = context.commandLine('kmip role get', scope, role)
    const request = kmip.writeRole({ scope, role }, { body, checkCommand })
    const response = await context.http.send(request).catch((error: unknown) => {
      throw withoutScope(error, scope, context)
    })
    sayWarnings(context.io, response)
    return { done: `saved role ${scope}/${role}`, data: writeFacts('set', { scope, role }, true, body) }
  },
})

/** "Not found" for a new role means that its scope, or the engine, doesn't exist. */
function withoutScope(error: unknown, scope: string, context: Context): unknown {
  if (!(error instanceof TugError) || error.code !== 'not_found' || error.hints.length > 0) return error
  return error.with({ hints: [createScope(scope, context)] })
}

/** The whole set for the endpoint. Throws a usage error for an unknown name, unless `newer` allows it. */
function flagsFor(names: readonly string[], newer: boolean): { [key: string]: Json } {
  const wanted = names.map((name) =>
    name
      .toLowerCase()
      .replaceAll('-', '_')
      .replace(/^operation_/, ''),
  )
  for (const name of wanted) {
    if (name === 'all' || name === 'none') throw operationHasFlag(name)
    if (!/^[a-z][a-z_]*$/.test(name)) throw notAnOperation(name)
    if (!newer && !(operations as readonly string[]).includes(name)) throw unknownOperation(name, operations)
  }
  const all = new Set<string>([...operations, ...wanted])
  return Object.fromEntries([...all].map((name) => [`operation_${name}`, wanted.includes(name)]))
}

export const roleDelete = command({
  name: 'delete',
  endpoint: kmip.deleteRole,
  also: [kmip.listRoles],
  summary: 'Delete a role',
  description: `The roles are listed first: one that doesn't exist is exit status 3 and nothing is sent. ${unlisted}`,
  params: { scope: scopeParam, role: roleParam },
  examples: [{ line: 'kmip role delete storage backup', note: 'asks first' }],
  async run({ scope, role }, context) {
    const checkCommand = context.commandLine('kmip role list', scope)
    return deleteListed(context, {
      name: role,
      list: kmip.listRoles({ scope }),
      request: kmip.deleteRole({ scope, role }, { checkCommand }),
      what: `role ${role} in scope ${scope}`,
      missing: noSuchRole(scope, role, context),
      question: `Delete role ${role} of scope ${scope}? Its certificates stop working.`,
      facts: { scope, role },
    })
  },
})
