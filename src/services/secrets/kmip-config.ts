import { at, text } from '../../core/answer.ts'
import { command, group, record } from '../../core/command.ts'
import { TugError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { body, flag } from '../../core/param.ts'
import { fillPath } from '../../core/request.ts'
import { checkKeyPair, keyBits, keyTypes, readSeconds } from './kmip-key.ts'

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

const view = record<Json>(
  fields.map((name) => ({ name, value: (config: Json) => at(config, name) })),
  () => 'config',
)

const route = '/v1/{mount}/config'

const configGet = command({
  name: 'get',
  summary: 'Show the configuration of the engine',
  endpoints: [`GET ${route}`],
  params: {},
  examples: [{ line: 'kmip config get', note: 'what the server returns; nothing is filled in' }],
  async run(_, { http, settings }) {
    const path = fillPath(route, { mount: settings.route.mount }, ['mount'])
    const response = await http.send({ method: 'GET', path }).catch((error: unknown) => {
      // A path without anything says nothing more than 404; a mount that is not there has its own words.
      if (!(error instanceof TugError) || error.code !== 'not_found' || error.hints.length > 0) throw error
      throw error.with({
        message: 'the engine was never configured',
        hints: ['tug kmip config set   (without flags it starts with the defaults of the server)'],
      })
    })
    return { data: at(response.json(), 'data') ?? null, view, rawBody: response.body }
  },
})

const configSet = command({
  name: 'set',
  summary: 'Configure the engine: makes its CA and starts its listener',
  description:
    'Only what is given is sent; nothing given sends {}, which starts the listener with the defaults of the server. A running listener restarts when anything but the settings of clients changes.',
  endpoints: [`POST ${route}`],
  params: {
    listenAddrs: body.list('addresses to listen on', { placeholder: 'host:port,…' }),
    connectionTimeout: body.of('time within which a connection must be ready', readSeconds, {
      placeholder: 'duration',
    }),
    serverHostnames: body.list("DNS names of the server's certificate, the common name first", { placeholder: 'a,b' }),
    serverIps: body.list("IP addresses of the server's certificate", { placeholder: 'a,b' }),
    tlsCaKeyType: body.choice("type of the CA's key", keyTypes),
    tlsCaKeyBits: body.of("bits of the CA's key", keyBits, { placeholder: 'n' }),
    tlsMinVersion: body.choice('least TLS version accepted', ['tls10', 'tls11', 'tls12', 'tls13']),
    defaultTlsClientKeyType: body.choice('type of client keys', keyTypes),
    defaultTlsClientKeyBits: body.of('bits of client keys', keyBits, { placeholder: 'n' }),
    defaultTlsClientTtl: body.of('lifetime of client certificates', readSeconds, { placeholder: 'duration' }),
  },
  examples: [
    {
      line: 'kmip config set --listen-addrs 0.0.0.0:5696 --server-hostnames kmip.example.com',
      note: 'listen for clients',
    },
    { line: 'kmip config set --default-tls-client-ttl 30d', note: 'certificates issued from now on' },
  ],
  async run(input, { http, io, settings }) {
    checkKeyPair(input.tlsCaKeyType, input.tlsCaKeyBits, '--tls-ca-key-bits')
    checkKeyPair(input.defaultTlsClientKeyType, input.defaultTlsClientKeyBits, '--default-tls-client-key-bits')
    const given = Object.entries(input).flatMap(([key, value]): [string, Json][] =>
      value === undefined ? [] : [[key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value as Json]],
    )
    await http.send({
      method: 'POST',
      path: fillPath(route, { mount: settings.route.mount }, ['mount']),
      body: Object.fromEntries(given),
    })
    const changed = given.map(([name]) => name).join(', ')
    io.note(given.length === 0 ? 'configured the engine with the defaults of the server' : `configured ${changed}`)
    return undefined
  },
})

export const config = group('config', 'The configuration of the engine', [configGet, configSet])

export const ca = command({
  name: 'ca',
  summary: "Print the engine's CA certificates as PEM",
  endpoints: ['GET /v1/{mount}/ca'],
  rawOutput: true,
  params: {
    outputFile: flag.text('write to this file', { short: 'O', placeholder: 'file', complete: 'file' }),
    force: flag.boolean('replace the file'),
  },
  examples: [
    { line: 'kmip ca > ca.pem', note: 'for the trust store of a client' },
    { line: 'kmip ca -O ca.pem --force', note: 'written beside and renamed when whole' },
  ],
  async run({ outputFile, force }, { http, io, settings }) {
    const file = outputFile === undefined ? undefined : { path: outputFile, replace: force === true }
    if (file !== undefined) {
      const { checkWritable } = await import('../../output/files.ts')
      const { resolve } = await import('node:path')
      await checkWritable(resolve(io.cwd, file.path), file)
    }
    const answer = await http.send({
      method: 'GET',
      path: fillPath('/v1/{mount}/ca', { mount: settings.route.mount }, ['mount']),
    })
    const pem = text(answer.json(), 'data', 'ca_pem')
    if (pem === undefined) throw new TugError('failed', 'the answer holds no ca_pem')
    const whole = pem.endsWith('\n') ? pem : `${pem}\n`
    const finish = (bytes: number) => io.note(`${bytes} bytes → ${outputFile}`)
    return file === undefined ? { raw: whole } : { raw: whole, file, finish }
  },
})
