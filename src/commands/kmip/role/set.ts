import * as kmip from '../../../api/kmip.ts'
import { operations } from '../../../api/kmip-operations.ts'
import { printWarnings } from '../../../api/secrets.ts'
import { asJson } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { isForbidden, TugError, usageError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { isObject, plainText } from '../../../core/json.ts'
import { flag } from '../../../core/param.ts'
import { didYouMean } from '../../../core/words.ts'
import type { SettingChange } from '../../../write/settings.ts'
import { changeWords, decideSettings } from '../../../write/settings.ts'
import type { Applied, Decision, ItemRun, Work } from '../../../write/work.ts'
import { onlyTarget } from '../../../write/work.ts'
import { write } from '../../../write/write.ts'
import {
  answered,
  bodyOf,
  checkKeyPair,
  keyTypes,
  readSeconds,
  roleParam,
  scopeParam,
  shownSpan,
  createScope,
  nothingThere,
} from '../params.ts'
import { isListed } from '../scope.ts'

export const roleSet = write({
  name: 'set',
  summary: 'Create or change a role: its operations, and the key and lifetime of its certificates',
  description:
    '--operation replaces the whole set: these operations are allowed, all others are not. Without --operation, --all-operations or --no-operations the operations stay unchanged. The role is read first, and nothing is sent if it would not change.',
  endpoint: kmip.writeRole,
  also: [kmip.readRole, kmip.listScopes],
  params: {
    scope: scopeParam,
    role: roleParam,
    operation: flag.list('operations to allow, without their prefix', {
      placeholder: 'create,get,…',
      complete: 'kmip-operation',
    }),
    allOperations: flag.boolean('allow every operation', { excludes: ['operation', 'noOperations'] }),
    noOperations: flag.boolean('allow no operation', { excludes: ['operation'] }),
    noCheck: flag.boolean('send operations and key sizes unknown to tug'),
    tlsClientKeyType: flag.choice('key type of clients', keyTypes),
    tlsClientKeyBits: flag.integer('key size of clients in bits', { min: 1 }),
    tlsClientTtl: flag.of('lifetime of client certificates', readSeconds, { placeholder: 'duration' }),
  },
  examples: [
    { line: 'kmip role set storage backup --operation create,get,locate,activate', note: 'exactly these' },
    { line: 'kmip role set storage admin --all-operations --tls-client-ttl 12h', note: 'everything, for half a day' },
  ],
  async open(input, context): Promise<Work> {
    const { scope, role, operation, allOperations, noOperations, noCheck } = input
    if (noCheck !== true) checkKeyPair(input.tlsClientKeyType, input.tlsClientKeyBits, '--tls-client-key-bits')
    const { tlsClientKeyType, tlsClientKeyBits, tlsClientTtl } = input
    const body: Record<string, Json> = {
      ...(operation === undefined ? {} : operationFields(operation, noCheck === true)),
      ...(allOperations === true ? { operation_all: true } : {}),
      ...(noOperations === true ? { operation_none: true } : {}),
      ...bodyOf({ tlsClientKeyType, tlsClientKeyBits, tlsClientTtl }),
    }
    const apply = async (run: ItemRun): Promise<Applied> => {
      const checkCommand = context.commandLine('kmip role get', scope, role)
      const request = kmip.writeRole({ scope, role }, { body, checkCommand })
      const response = await run.context.http.send(request).catch((error: unknown) => {
        throw withoutScope(error, scope, context)
      })
      printWarnings(run.context.io, response)
      return { words: `saved role ${scope}/${role}` }
    }
    return {
      action: 'role set',
      target: 'role',
      noun: 'role',
      data: { scope, role },
      ...onlyTarget(`${scope}/${role}`, {
        async decide(): Promise<Decision> {
          const present = await readForWrite(context, scope, role)
          const decision = decideSettings(present, Object.entries(body), { apply, words: roleWords })
          if (decision.action !== 'create') return decision
          const settings = Object.entries(body).filter(([, value]) => value !== false)
          const words = roleWords(settings.map(([name, after]) => ({ name, before: undefined, after })))
          return { ...decision, words: words === '' ? 'new' : `new   ${words}` }
        },
      }),
    }
  },
})

/** The role, with the operations that it doesn't allow; null if it is new, undefined if it may not be read. */
async function readForWrite(context: Context, scope: string, role: string): Promise<Json | undefined> {
  try {
    const shown = asJson(answered(await context.http.send(kmip.readRole({ scope, role })), context.io))
    const names = ['all', 'none', ...operations].map((name) => `operation_${name}`)
    return { ...Object.fromEntries(names.map((name) => [name, false])), ...(isObject(shown) ? shown : {}) }
  } catch (error) {
    if (isForbidden(error)) return undefined
    if (!(error instanceof TugError)) throw error
    if (error.reason !== 'nothing_there') throw withoutScope(error, scope, context)
    if ((await isListed(context, kmip.listScopes({}), scope)) === false)
      throw nothingThere(`no scope ${scope}`, createScope(scope, context))
    return null
  }
}

function shownSetting(name: string, value: Json): string {
  return name === 'tls_client_ttl' ? shownSpan({ [name]: value }, name) : plainText(value)
}

/** The changed settings, with the operations as two lists: `allow create, get   forbid destroy   tls_client_ttl: 1h → 2h`. */
function roleWords(changes: readonly SettingChange[]): string {
  const isOperation = ({ name }: SettingChange) => name.startsWith('operation_')
  const operationsThat = (verb: string, value: boolean) => {
    const names = changes.filter((change) => isOperation(change) && change.after === value)
    return names.length === 0 ? [] : [`${verb} ${names.map(({ name }) => name.replace('operation_', '')).join(', ')}`]
  }
  const others = changes.filter((change) => !isOperation(change)).map((change) => changeWords(change, shownSetting))
  return [...operationsThat('allow', true), ...operationsThat('forbid', false), ...others].join('   ')
}

/** Adds a hint to "not found", which for a new role means that its scope doesn't exist. */
function withoutScope(error: unknown, scope: string, context: Context): unknown {
  if (!(error instanceof TugError) || error.code !== 'not_found' || error.hints.length > 0) return error
  return error.with({ hints: [createScope(scope, context)] })
}

/** A field for every operation. Throws a usage error for an unknown name, unless `allowUnknown`. */
function operationFields(names: readonly string[], allowUnknown: boolean): { [key: string]: Json } {
  const wanted = names.map((name) =>
    name
      .toLowerCase()
      .replaceAll('-', '_')
      .replace(/^operation_/, ''),
  )
  for (const name of wanted) {
    if (name === 'all' || name === 'none')
      throw usageError(`--operation: '${name}' is a flag of its own: --${name === 'all' ? 'all' : 'no'}-operations`)
    if (!/^[a-z][a-z_]*$/.test(name)) throw usageError(`--operation: '${name}' cannot name an operation`)
    if (!allowUnknown && !(operations as readonly string[]).includes(name))
      throw usageError(
        `--operation: unknown operation '${name}'${didYouMean(name, operations)}`,
        `known: ${operations.join(', ')}`,
        'a newer server may have it: --no-check sends the name',
      )
  }
  const all = new Set<string>([...operations, ...wanted])
  return Object.fromEntries([...all].map((name) => [`operation_${name}`, wanted.includes(name)]))
}
