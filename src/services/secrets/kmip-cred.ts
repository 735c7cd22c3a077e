import { at, text } from '../../core/answer.ts'
import { command, group, list, record } from '../../core/command.ts'
import type { Result } from '../../core/command.ts'
import { mapConcurrently } from '../../core/concurrent.ts'
import type { Context } from '../../core/context.ts'
import { formatSpan } from '../../core/duration.ts'
import { exitCodes, TugError, usageError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { withEntries } from '../../core/json.ts'
import type { JsonObject } from '../../core/json.ts'
import { argument, flag } from '../../core/param.ts'
import { fillPath } from '../../core/request.ts'
import type { CertificateFormat } from './kmip-certificate.ts'
import {
  certificateFacts,
  certificateFormats,
  checkCertificate,
  checkCsr,
  credentialParts,
} from './kmip-certificate.ts'
import type { OutDir } from './kmip-files.ts'
import { readSerial } from './kmip-key.ts'
import { roleParam } from './kmip-role.ts'
import { namesView, scopeParam } from './kmip-scope.ts'
import { listNames } from './list.ts'

const base = '/v1/{mount}/scope/{scope}/role/{role}/credential'
const lookupsAtOnce = 8

const place = { scope: scopeParam, role: roleParam }
const filing = {
  format: flag.choice('encoding of certificate, key and chain', certificateFormats, { defaultText: 'pem' }),
  outDir: flag.text('write certificate, chain and key into this folder (made 0700 when missing)', {
    placeholder: 'dir',
    complete: 'directory',
  }),
  force: flag.boolean('replace files in the folder'),
}

interface Role {
  readonly scope: string
  readonly role: string
}

function pathOf(ending: string, { scope, role }: Role, { settings }: Context): string {
  return fillPath(`${base}${ending}`, { mount: settings.route.mount, scope, role }, ['mount'])
}

const generate = command({
  name: 'generate',
  summary: 'Issue a client certificate with a new private key',
  description:
    'The private key exists in this one answer only. So --out-dir is needed, or an output that carries the key (-o json, yaml, --raw). The folder is checked before the server is asked; if a file cannot be written afterwards, the certificate is revoked.',
  endpoints: [`POST ${base}/generate`, `POST ${base}/revoke`],
  params: { ...place, ...filing },
  examples: [
    { line: 'kmip cred generate storage backup --out-dir ./netapp-a1', note: 'three files, 0600' },
    { line: 'kmip cred generate storage backup -o json > credential.json', note: 'everything in one JSON document' },
  ],
  async run({ scope, role, format = 'pem', outDir, force }, context) {
    const { http, settings, io } = context
    if (outDir === undefined && !http.dryRun && !['json', 'ndjson', 'yaml'].includes(settings.format)) {
      throw usageError(
        `-o ${settings.format} would lose the private key, which is shown only once; nothing was sent`,
        'write files: --out-dir <dir>',
        'or take the whole answer: -o json',
      )
    }
    const folder = await openFolder(outDir, force, format, context)
    if (folder !== undefined) io.note(`checked: ${folder.name} can be written (the key is shown only once)`)
    const request = { method: 'POST', path: pathOf('/generate', { scope, role }, context), body: { format } }
    return issued((await http.send(request)).json(), { scope, role, format, folder }, context)
  },
})

const sign = command({
  name: 'sign',
  summary: 'Issue a client certificate for a signing request (CSR)',
  endpoints: [`POST ${base}/sign`, `POST ${base}/revoke`],
  params: {
    ...place,
    csr: flag.text('file with the CSR in PEM (-: standard input)', {
      required: true,
      placeholder: 'file|-',
      complete: 'file',
    }),
    ...filing,
  },
  examples: [
    {
      line: 'kmip cred sign storage backup --csr client.csr --out-dir ./client',
      note: 'the key stays where it was made',
    },
  ],
  async run({ scope, role, csr, format = 'pem', outDir, force }, context) {
    const { http, io } = context
    const pem = checkCsr(await io.readText(csr), csr === '-' ? 'standard input' : csr)
    const folder = await openFolder(outDir, force, format, context)
    const request = { method: 'POST', path: pathOf('/sign', { scope, role }, context), body: { csr: pem, format } }
    return issued((await http.send(request)).json(), { scope, role, format, folder }, context)
  },
})

const lookup = command({
  name: 'lookup',
  summary: 'Show an issued certificate by its serial number',
  endpoints: [`GET ${base}/lookup`],
  params: {
    ...place,
    serial: argument.of('serial number: decimal, or hexadecimal with colons', readSerial, {
      required: true,
      placeholder: 'serial',
    }),
    ...filing,
  },
  examples: [
    {
      line: 'kmip cred lookup storage backup 728181095563584845125173905844944137943705466376',
      note: 'subject and expiry',
    },
    {
      line: 'kmip cred lookup storage backup 55:f2:0b:35:16 --out-dir ./client',
      note: 'the serial as openssl shows it; files for certificate and chain',
    },
  ],
  async run({ scope, role, serial, format = 'pem', outDir, force }, context) {
    const folder = await openFolder(outDir, force, format, context)
    const data = await lookUp(serial, format, { scope, role }, context)
    if (folder === undefined) return { data: data ?? null, view: await cardView(data, format, context) }
    const { writeParts } = await import('./kmip-files.ts')
    const files = await writeParts(folder, credentialParts(data, format))
    context.io.note(`wrote ${files.join(', ')} (0600)`)
    return { data: await summary(data, format, files), view: issuedView }
  },
})

async function lookUp(
  serial: string,
  format: CertificateFormat,
  role: Role,
  context: Context,
): Promise<Json | undefined> {
  const query = [
    ['serial_number', serial],
    ['format', format],
  ] as const
  const response = await context.http.send({ method: 'GET', path: pathOf('/lookup', role, context), query })
  return at(response.json(), 'data')
}

const credList = command({
  name: 'list',
  summary: 'List the serial numbers of the certificates of a role',
  description:
    '--details and --expiring look each certificate up, several at a time. With --exit-code, --expiring exits 9 when it finds any.',
  endpoints: [`LIST ${base}`, `GET ${base}/lookup`],
  params: {
    ...place,
    details: flag.boolean('look each one up: subject, expiry'),
    expiring: flag.duration('only those that end within this time (ended ones too)'),
    exitCode: flag.boolean('exit 9 when --expiring finds any'),
  },
  examples: [
    { line: 'kmip cred list storage backup', note: 'serial numbers' },
    { line: 'kmip cred list storage backup --expiring 7d --exit-code', note: 'for a nightly check' },
  ],
  async run({ scope, role, details, expiring, exitCode }, context): Promise<Result> {
    if (exitCode === true && expiring === undefined) throw usageError('--exit-code goes with --expiring <duration>')
    const serials = await listNames(context, pathOf('', { scope, role }, context), { emptyWhen404: true })
    if (details !== true && expiring === undefined) {
      return { data: serials, view: namesView('serial', `no certificates of role ${role} in ${scope}`) }
    }
    const { rows, failed } = await lookEachUp(serials, { scope, role }, context)
    const limit = context.now().getTime() + (expiring ?? 0)
    const found =
      expiring === undefined ? rows : rows.filter((row) => Date.parse(text(row, 'not_after') ?? '') <= limit)
    const status = failed > 0 ? exitCodes.partial : exitCode === true && found.length > 0 ? exitCodes.differences : 0
    return { data: found, view: detailsView, exitCode: status }
  },
})

async function lookEachUp(
  serials: readonly string[],
  role: Role,
  context: Context,
): Promise<{ rows: Json[]; failed: number }> {
  const rows: Json[] = []
  let failed = 0
  const outcomes = mapConcurrently(serials, lookupsAtOnce, async (serial) => {
    try {
      const facts = await certificateFacts(credentialParts(await lookUp(serial, 'pem', role, context), 'pem'), serial)
      return facts ?? new TugError('failed', 'the certificate cannot be read')
    } catch (error) {
      // One that was revoked since the list was made is no failure of the list.
      if (error instanceof TugError && error.code === 'not_found') return undefined
      if (error instanceof TugError && error.code !== 'interrupted') return error
      throw error
    }
  })
  let index = 0
  for await (const outcome of outcomes) {
    const serial = serials[index] as string
    index += 1
    if (outcome instanceof TugError) {
      failed += 1
      context.io.warn(`${serial}: ${outcome.message}`)
    } else if (outcome !== undefined) rows.push({ ...outcome })
  }
  return { rows, failed }
}

const revoke = command({
  name: 'revoke',
  summary: 'Revoke a certificate, by its serial number or by itself',
  endpoints: [`POST ${base}/revoke`],
  params: {
    ...place,
    serial: flag.of('serial number: decimal, or hexadecimal with colons', readSerial, { placeholder: 'n' }),
    certificate: flag.text('file with the certificate in PEM (-: standard input)', {
      placeholder: 'file|-',
      complete: 'file',
    }),
  },
  examples: [
    {
      line: 'kmip cred revoke storage backup --serial 728181095563584845125173905844944137943705466376',
      note: 'asks first',
    },
    { line: 'kmip cred revoke storage backup --certificate client.pem --yes', note: 'in a script' },
  ],
  async run({ scope, role, serial, certificate }, context) {
    if ((serial === undefined) === (certificate === undefined)) {
      throw usageError(
        'exactly one of --serial and --certificate is needed',
        'tug kmip cred list shows the serial numbers',
      )
    }
    const { http, io } = context
    const named = serial ?? (certificate === '-' ? 'standard input' : (certificate as string))
    const body =
      serial === undefined
        ? { certificate: checkCertificate(await io.readText(certificate as string), named) }
        : { serial_number: serial }
    await io.confirm(`Revoke certificate ${named} of role ${role} in ${scope}? Its holder loses access at once.`)
    await http.send({ method: 'POST', path: pathOf('/revoke', { scope, role }, context), body })
    io.note(`revoked ${named}`)
    return undefined
  },
})

async function openFolder(
  outDir: string | undefined,
  force: boolean | undefined,
  format: CertificateFormat,
  { io, http }: Context,
): Promise<OutDir | undefined> {
  if (outDir === undefined || http.dryRun) return undefined
  const { prepareOutDir } = await import('./kmip-files.ts')
  return prepareOutDir(outDir, io.cwd, force === true, format === 'der' ? 'der' : 'pem')
}

/** What becomes of an answer that issued a certificate: files, or the whole answer. Its key is a secret from here on. */
async function issued(
  answer: Json,
  { scope, role, format, folder }: Role & { format: CertificateFormat; folder: OutDir | undefined },
  context: Context,
): Promise<Result> {
  const data = at(answer, 'data')
  const parts = credentialParts(data, format)
  context.io.secret(text(data, 'private_key') ?? '')
  if (parts.privateKey !== undefined && format !== 'der') context.io.secret(parts.privateKey.toString())
  if (folder === undefined) return { data: data ?? null, view: await cardView(data, format, context) }
  const { writeParts } = await import('./kmip-files.ts')
  try {
    const files = await writeParts(folder, parts)
    context.io.note(`wrote ${files.join(', ')} (0600)`)
    return { data: await summary(data, format, files), view: issuedView }
  } catch (error) {
    throw await withdrawn(error, text(data, 'serial_number') ?? '', { scope, role }, context)
  }
}

/** A certificate whose files could not be written is revoked; the error says whether that worked. */
async function withdrawn(error: unknown, serial: string, role: Role, context: Context): Promise<TugError> {
  const reason = (error as Error).message
  try {
    await context.http.send({ method: 'POST', path: pathOf('/revoke', role, context), body: { serial_number: serial } })
    return new TugError('failed', `${reason}; certificate ${serial} was revoked`, {
      hints: ['mend the folder and issue another'],
      cause: error,
    })
  } catch (failure) {
    return new TugError(
      'failed',
      `${reason}; certificate ${serial} could not be revoked either: ${(failure as Error).message}`,
      {
        hints: [`revoke it by hand: tug kmip cred revoke ${role.scope} ${role.role} --serial ${serial}`],
        cause: error,
      },
    )
  }
}

async function summary(data: Json | undefined, format: CertificateFormat, files: readonly string[]): Promise<Json> {
  const serial = text(data, 'serial_number') ?? ''
  const facts = await certificateFacts(credentialParts(data, format), serial)
  return {
    serial_number: serial,
    subject: facts?.subject ?? null,
    not_after: facts?.not_after ?? null,
    files: [...files],
  }
}

const serialColumn = { name: 'serial', value: (row: Json) => at(row, 'serial_number'), whole: true }
const expiresColumn = {
  name: 'expires',
  value: (row: Json) => at(row, 'not_after'),
  show: (row: Json, { now }: { now: Date }) => expiry(text(row, 'not_after'), now),
  whole: true,
}

const issuedView = list<Json>([serialColumn, expiresColumn], (row) => text(row, 'serial_number') ?? '')

const detailsView = list<Json>(
  [
    serialColumn,
    { name: 'subject', value: (row) => at(row, 'subject') },
    expiresColumn,
    { name: 'not_before', value: (row) => at(row, 'not_before'), wide: true },
  ],
  (row) => text(row, 'serial_number') ?? '',
  { empty: 'none' },
)

/** `2026-11-22 07:12 UTC (24h)`, in words and colour when it is near or over. */
function expiry(instant: string | undefined, now: Date) {
  if (instant === undefined) return ''
  const left = Date.parse(instant) - now.getTime()
  const absolute = `${instant.slice(0, 16).replace('T', ' ')} UTC`
  if (left <= 0) return { text: `${absolute} (ended)`, tone: 'bad' as const }
  const shown = `${absolute} (${formatSpan(Math.round(left / 60_000) * 60_000)})`
  return left < 7 * 86_400_000 ? { text: shown, tone: 'warn' as const } : { text: shown }
}

/** One credential as a card: serial, subject, expiry; never the key. */
async function cardView(data: Json | undefined, format: CertificateFormat, { now }: Context) {
  const serial = text(data, 'serial_number') ?? ''
  const facts = await certificateFacts(credentialParts(data, format), serial)
  const row: JsonObject = facts === undefined ? { serial_number: serial } : withEntries({}, { ...facts })
  return record<Json>(
    [
      { name: 'serial', value: () => serial },
      { name: 'subject', value: () => facts?.subject },
      { name: 'expires', value: () => facts?.not_after, show: () => expiry(text(row, 'not_after'), now()) },
    ],
    () => serial,
  )
}

export const cred = group('cred', 'Client certificates: issue, look up, list, revoke', [
  generate,
  sign,
  lookup,
  credList,
  revoke,
])
