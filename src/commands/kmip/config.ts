import { isIP, isIPv6 } from 'node:net'
import * as api from '../../api/kmip.ts'
import { asJson, at } from '../../core/answer.ts'
import type { RecordView } from '../../core/command.ts'
import { command, record } from '../../core/command.ts'
import { readableBytes } from '../../core/words.ts'
import type { Context } from '../../core/context.ts'
import { isForbidden, TugError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { keysOf, plainText, sameJson } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import { read } from '../../read/read.ts'
import { decideSettings } from '../../write/settings.ts'
import type { Applied, Decision, ItemRun, Work } from '../../write/work.ts'
import { onlyTarget } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { destinationFlags, destinationOf } from '../../output/destination.ts'
import { printWarnings } from '../../api/secrets.ts'
import {
  answered,
  asAbsence,
  bodyOf,
  checkKeyPair,
  keyTypes,
  nothingThere,
  readSeconds,
  readSpan,
  shownSpan,
} from './params.ts'

const fields = [
  'listen_addrs',
  'connection_timeout',
  'server_hostnames',
  'server_ips',
  'tls_ca_key_type',
  'tls_ca_key_bits',
  'tls_min_version',
  'default_tls_client_key_type',
  'default_tls_client_key_bits',
  'default_tls_client_ttl',
] as const

/** The specification's fields in order, then those that a newer server adds. */
function viewOf(names: readonly string[]): RecordView {
  const more = names.filter((name) => !(fields as readonly string[]).includes(name))
  return record<Json>(
    [...fields, ...more].map((name) => ({
      name,
      value: (answer: Json) => at(answer, name),
      ...(isTime(name) ? { show: (answer: Json) => shownSpan(answer, name) } : {}),
    })),
    () => 'config',
  )
}

const isTime = (name: string) => name === 'connection_timeout' || name === 'default_tls_client_ttl'

export const configGet = read({
  name: 'get',
  summary: "Show the engine's configuration",
  endpoint: api.readConfig,
  params: {},
  examples: [{ line: 'kmip config get', note: 'as returned by the server' }],
  failure: (error, _, context) => perhapsNeverConfigured(error, context),
  select: ({ data }) => data,
  view: (_, __, answer) => viewOf(keysOf(answer?.data ?? {})),
})

/** True for a response that may mean that the engine was never configured. */
function isUnspecified(error: TugError): boolean {
  return api.readConfig.policy?.notRetried?.(error) === true
}

/** For a configuration of another shape: that of another engine. */
const wrongMountHint = ({ settings }: Context) =>
  `if ${settings.route.mount}/ is not a KMIP engine, set another mount with --mount`

/** Adds a hint to the error of a read if the engine may not be configured. */
function perhapsNeverConfigured(error: TugError, context: Context): TugError {
  const configure = `${context.commandLine('kmip config set')}   (without flags: the server's defaults)`
  if (error.facts.status === 200) return error.with({ hints: [...error.hints, wrongMountHint(context)] })
  if (isUnspecified(error))
    return error.with({ hints: [...error.hints, `if the engine was never configured: ${configure}`] })
  return asAbsence(error, nothingThere('the engine was never configured', configure))
}

export const configSet = write({
  name: 'set',
  summary: 'Configure the engine, which creates its CA and starts its listener',
  description:
    "Sends only the given settings that differ. Without any, {} starts the listener of an unconfigured engine with the server's defaults. A running listener restarts if anything but the client settings changes.",
  endpoint: api.writeConfig,
  also: [api.readConfig],
  params: {
    listenAddrs: flag.list('addresses to listen on', { placeholder: 'host:port,…', item: readListenAddress }),
    connectionTimeout: flag.of('time limit for establishing a connection', readSpan, {
      placeholder: 'duration',
    }),
    serverHostnames: flag.list("DNS names of the server's certificate, the common name first", { placeholder: 'a,b' }),
    serverIps: flag.list("IP addresses of the server's certificate; '' removes them all", {
      placeholder: 'a,b',
      clears: true,
      /** Throws RangeError. */
      item(typed) {
        if (isIP(typed) === 0) throw new RangeError(`'${typed}' is not an IP address`)
        return typed
      },
    }),
    tlsCaKeyType: flag.choice("the CA's key type", keyTypes),
    tlsCaKeyBits: flag.integer("the CA's key size in bits", { min: 1 }),
    tlsMinVersion: flag.choice('minimum TLS version', ['tls10', 'tls11', 'tls12', 'tls13']),
    defaultTlsClientKeyType: flag.choice('key type of clients', keyTypes),
    defaultTlsClientKeyBits: flag.integer('key size of clients in bits', { min: 1 }),
    defaultTlsClientTtl: flag.of('lifetime of client certificates', readSeconds, { placeholder: 'duration' }),
    noCheck: flag.boolean('send key sizes unknown to tug'),
  },
  examples: [
    {
      line: 'kmip config set --listen-addrs 0.0.0.0:5696 --server-hostnames kmip.example.com',
      note: 'listen for clients',
    },
    { line: "kmip config set --server-ips ''", note: 'only host names in the certificate' },
    { line: 'kmip config set --default-tls-client-ttl 30d', note: 'certificates issued from now on' },
  ],
  async open(input, context): Promise<Work> {
    if (input.noCheck !== true) {
      checkKeyPair(input.tlsCaKeyType, input.tlsCaKeyBits, '--tls-ca-key-bits')
      checkKeyPair(input.defaultTlsClientKeyType, input.defaultTlsClientKeyBits, '--default-tls-client-key-bits')
    }
    const settings = Object.entries(input).filter(([name]) => !['noCheck', 'plan', 'exitCode'].includes(name))
    const body = bodyOf(Object.fromEntries(settings))
    const { mount } = context.settings.route
    const apply = async (run: ItemRun): Promise<Applied> => {
      const checkCommand = context.commandLine('kmip config get')
      printWarnings(run.context.io, await run.context.http.send(api.writeConfig({}, { body, checkCommand })))
      return { words: `configured ${Object.keys(body).join(', ') || 'the engine'}` }
    }
    return {
      action: 'config set',
      target: 'mount',
      noun: 'mount',
      ...onlyTarget(mount, {
        decide: async (): Promise<Decision> =>
          decideSettings(await readForWrite(context), Object.entries(body), {
            apply,
            isEqual: (name, before, after) =>
              // Servers return times as seconds or as strings, whichever was sent.
              isTime(name)
                ? shownSetting(name, before) === shownSetting(name, after)
                : sameJson(before ?? [], after ?? []),
            show: shownSetting,
          }),
      }),
    }
  },
})

/** The configuration; null if there isn't one, undefined if it can't be read. */
async function readForWrite(context: Context): Promise<Json | undefined> {
  try {
    return asJson(answered(await context.http.send(api.readConfig({})), context.io))
  } catch (error) {
    if (!(error instanceof TugError)) throw error
    if (error.reason === 'nothing_there') return null
    if (error.facts.status === 200) throw error.with({ hints: [...error.hints, wrongMountHint(context)] })
    if (isForbidden(error) || isUnspecified(error)) return undefined
    throw error
  }
}

/** Times as durations, lists with commas. */
function shownSetting(name: string, value: Json): string {
  if (isTime(name)) return shownSpan({ [name]: value }, name)
  return Array.isArray(value) ? value.map(plainText).join(', ') || '(none)' : plainText(value)
}

/** `host:port`, or a host, for which the engine uses KMIP's port; IPv6 in brackets. Throws RangeError. */
function readListenAddress(typed: string): string {
  const [, six, host, port] = /^(?:\[([^[\]]*)\]|([\w.-]*))(?::(\d{1,5}))?$/.exec(typed) ?? []
  const isHost = six === undefined ? host !== undefined && typed !== '' : isIPv6(six)
  if (isHost && (port === undefined || (Number(port) >= 1 && Number(port) <= 65_535))) return typed
  if (isIPv6(typed)) throw new RangeError(`an IPv6 address needs brackets: [${typed}]:5696`)
  throw new RangeError(`'${typed}' is not host:port, for example 0.0.0.0:5696`)
}

/** Prints PEM. */
export const ca = command({
  name: 'ca',
  summary: "Print the engine's CA certificates as PEM",
  endpoint: api.readCa,
  rawOutput: true,
  params: destinationFlags,
  examples: [
    { line: 'kmip ca > ca.pem', note: 'for the trust store of a client' },
    { line: 'kmip ca -O ca.pem --force', note: 'replaced atomically' },
  ],
  async run(input, context) {
    const { http, io } = context
    const file = await destinationOf(context, input)
    const response = await http.send(api.readCa({})).catch((error: unknown) => {
      throw error instanceof TugError ? perhapsNeverConfigured(error, context) : error
    })
    const { ca_pem: pem } = answered(response, io)
    const raw = pem.endsWith('\n') ? pem : `${pem}\n`
    if (file === undefined) return { raw }
    return { raw, file, finish: (bytes: number) => io.note(`${readableBytes(bytes)} → ${file.path}`) }
  },
})
