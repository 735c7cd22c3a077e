import * as api from '../../../api/kmip.ts'
import { command, group } from '../../../core/command.ts'
import { usageError } from '../../../core/errors.ts'
import { argument, flag } from '../../../core/param.ts'
import { fileWords } from '../../../core/words.ts'
import { answered } from '../answer.ts'
import { certificateFacts, checkCertificate, checkCsr } from './certificate.ts'
import { generated, openFolder, perhapsIssued, shown } from './issue.ts'
import { credList } from './list.ts'
import { filing, lookUp, place } from './place.ts'
import { readSerial } from '../key.ts'

const generate = command({
  name: 'generate',
  summary: 'Issue a client certificate with a new private key',
  description:
    'The private key exists in this one answer only. So --out-dir is needed, or an output that carries the key (-o json, yaml, --raw). The folder is checked before the server is asked; if a file cannot be written afterwards, the certificate is revoked.',
  endpoint: api.generateCredential,
  also: [api.revokeCredential],
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
    const folder = await openFolder(outDir, { force, format, key: true }, context)
    if (folder !== undefined) io.note(`checked: ${folder.name} can be written (the key is shown only once)`)
    const response = await http
      .send(api.generateCredential({ scope, role }, { body: { format } }))
      .catch((error: unknown) => {
        throw perhapsIssued(error, { scope, role }, context)
      })
    return generated(response, { scope, role, format, folder }, context)
  },
})

const sign = command({
  name: 'sign',
  summary: 'Issue a client certificate for a signing request (CSR)',
  endpoint: api.signCredential,
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
    const pem = checkCsr(await io.readText(csr), fileWords(csr))
    const folder = await openFolder(outDir, { force, format, key: false }, context)
    const response = await http.send(api.signCredential({ scope, role }, { body: { csr: pem, format } }))
    return shown(response, answered(response, io), { scope, role, format, folder }, context)
  },
})

const lookup = command({
  name: 'lookup',
  summary: 'Show an issued certificate by its serial number',
  endpoint: api.lookupCredential,
  params: {
    ...place,
    serial: argument.of('serial number: decimal, or hexadecimal as other tools show it', readSerial, {
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
      line: 'kmip cred lookup storage backup 55:f2:f2:0b:35:16:6b:6b:f3:59:15:ac:cc:7b:d4:81:21:30:d5:83 --out-dir ./client',
      note: 'the serial as openssl shows it; files for certificate and chain',
    },
  ],
  async run({ scope, role, serial, format = 'pem', outDir, force }, context) {
    const folder = await openFolder(outDir, { force, format, key: false }, context)
    const { response, data } = await lookUp(serial, format, { scope, role }, context)
    return shown(response, data, { scope, role, format, folder }, context)
  },
})

const revoke = command({
  name: 'revoke',
  summary: 'Revoke a certificate, by its serial number or by itself',
  endpoint: api.revokeCredential,
  params: {
    ...place,
    serial: flag.of('serial number: decimal, or hexadecimal as other tools show it', readSerial, { placeholder: 'n' }),
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
    if (serial !== undefined) return revoked(serial, { serial_number: serial })
    const name = fileWords(certificate as string)
    const pem = checkCertificate(await io.readText(certificate as string), name)
    const facts = await certificateFacts({ certificate: Buffer.from(pem) }, '')
    return revoked(facts === undefined ? `of ${name}` : `${facts.serial_number} (${name})`, { certificate: pem })

    async function revoked(named: string, body: { [key: string]: string }): Promise<undefined> {
      await io.confirm(`Revoke certificate ${named} of role ${role} in ${scope}? Its holder loses access at once.`)
      await http.send(api.revokeCredential({ scope, role }, { body }))
      io.note(`revoked certificate ${named}`)
    }
  },
})

export const cred = group('cred', 'Client certificates: issue, look up, list, revoke', [
  generate,
  sign,
  lookup,
  credList,
  revoke,
])
