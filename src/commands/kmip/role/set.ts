import * as kmip from '../../../api/kmip.ts'
import { newerOperations, operations } from '../../../api/kmip-operations.ts'
import { printWarnings } from '../../../api/secrets.ts'
import { secretsService } from '../../../api/secrets-service.ts'
import type { Context } from '../../../core/context.ts'
import { isForbidden, TugError, usageError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { keysOf, plainText } from '../../../core/json.ts'
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
    '--operation replaces the whole set: all others, known ones and those that the role shows, are no longer allowed. Nothing is sent if the role would not change.',
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
    const wanted = operation?.map(readOperation)
    const body: Record<string, Json> = {
      ...(allOperations === true ? { operation_all: true } : {}),
      ...(noOperations === true ? { operation_none: true } : {}),
      ...bodyOf({ tlsClientKeyType, tlsClientKeyBits, tlsClientTtl }),
    }
    const isProduct = context.settings.dialect === 'hashicorp'
    if (noCheck !== true) checkOperations(wanted, context.settings.dialect !== 'neutral')
    const applyWith =
      (settings: Record<string, Json>) =>
      async (run: ItemRun): Promise<Applied> => {
        const checkCommand = context.commandLine('kmip role get', scope, role)
        const request = kmip.writeRole({ scope, role }, { body: settings, checkCommand })
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
          const { present, shown } = await readForWrite(context, scope, role)
          const showsNewer = newerOperations.some((name) => present?.[`operation_${name}`] !== undefined)
          const hasNewer = isProduct || shown || showsNewer
          if (noCheck !== true) checkOperations(wanted, hasNewer)
          const settings = wanted === undefined ? body : { ...operationFields(wanted, present, hasNewer), ...body }
          // An operation that isn't shown is not allowed.
          const denied = keysOf(settings).filter((name) => name.startsWith('operation_'))
          const before = present && { ...Object.fromEntries(denied.map((name) => [name, false])), ...present }
          const apply = applyWith(settings)
          const decision = decideSettings(before, Object.entries(settings), { apply, words: roleWords })
          if (decision.action !== 'create') return decision
          const granted = Object.entries(settings).filter(([, value]) => value !== false)
          const words = roleWords(granted.map(([name, after]) => ({ name, before: undefined, after })))
          return { ...decision, words: words === '' ? 'new' : `new   ${words}` }
        },
      }),
    }
  },
})

/** The role as it is shown (null if it is new, undefined if it may not be read), and whether that showed a product. */
async function readForWrite(
  context: Context,
  scope: string,
  role: string,
): Promise<{ present: Readonly<Record<string, Json>> | null | undefined; shown: boolean }> {
  try {
    const response = await context.http.send(kmip.readRole({ scope, role }))
    return { present: answered(response, context.io), shown: secretsService.shown(response.headers) === 'hashicorp' }
  } catch (error) {
    const shown = error instanceof TugError && error.facts.dialect === 'hashicorp'
    if (isForbidden(error)) return { present: undefined, shown }
    if (!(error instanceof TugError)) throw error
    if (error.reason !== 'nothing_there') throw withoutScope(error, scope, context)
    if ((await isListed(context, kmip.listScopes({}), scope)) === false)
      throw nothingThere(`no scope ${scope}`, createScope(scope, context))
    return { present: null, shown }
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

/** The name of an operation, with or without its prefix. Throws a usage error. */
function readOperation(typed: string): string {
  const name = typed
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/^operation_/, '')
  if (name === 'all' || name === 'none')
    throw usageError(`--operation: '${name}' is a flag of its own: --${name === 'all' ? 'all' : 'no'}-operations`)
  if (!/^[a-z][a-z_]*$/.test(name)) throw usageError(`--operation: '${name}' cannot name an operation`)
  return name
}

/** Throws a usage error for an unknown operation, and for one of newer products if the server isn't known to be one. */
function checkOperations(names: readonly string[] = [], hasNewer: boolean): void {
  const known: readonly string[] = hasNewer ? [...operations, ...newerOperations] : operations
  for (const name of names) {
    if (known.includes(name)) continue
    const isNewer = newerOperations.some((one) => one === name)
    throw usageError(
      isNewer
        ? `--operation: only products have '${name}', and the server is not known to be one`
        : `--operation: unknown operation '${name}'${didYouMean(name, known)}`,
      `known: ${known.join(', ')}`,
      'a newer server may have it: --no-check sends the name',
    )
  }
}

/** A field for every operation that is known, named or shown. */
function operationFields(
  names: readonly string[],
  present: Readonly<Record<string, Json>> | null | undefined,
  hasNewer: boolean,
): Record<string, Json> {
  const shown = Object.entries(present ?? {}).flatMap(([key, value]) => {
    const name = key.replace(/^operation_/, '')
    const isWritten = name !== key && (value === true || !['all', 'none'].includes(name))
    return isWritten ? [name] : []
  })
  const all = new Set<string>([...operations, ...(hasNewer ? newerOperations : []), ...shown, ...names])
  return Object.fromEntries([...all].map((name) => [`operation_${name}`, names.includes(name)]))
}
