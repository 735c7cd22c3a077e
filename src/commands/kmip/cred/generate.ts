import * as api from '../../../api/kmip.ts'
import { command } from '../../../core/command.ts'
import { flag } from '../../../core/param.ts'
import { fileWords, withoutMark } from '../../../core/words.ts'
import { answered } from '../params.ts'
import { checkCsr, isSignedWithSha1 } from './certificate.ts'
import { certificateResult, destinationOf, issueNew, withoutRole } from './issue.ts'
import { keyWouldBeLost, signedWithSha1 } from './messages.ts'
import { outputFlags, roleArguments } from './params.ts'

export const generate = command({
  name: 'generate',
  summary: 'Issue a client certificate with a new private key',
  description:
    'The private key exists in this one answer only. So --out-dir is needed, or an output that carries the key (-o json, yaml, --raw). The folder is checked before the server is asked; if a file cannot be written afterwards, the certificate is revoked. The files appear all at once: a run that is killed leaves the old ones or the new ones.',
  endpoint: api.generateCredential,
  also: [api.revokeCredential],
  params: { ...roleArguments, ...outputFlags },
  examples: [
    { line: 'kmip cred generate storage backup --out-dir ./netapp-a1', note: 'three files, 0600' },
    {
      line: 'kmip cred generate storage backup --format pem_bundle --out-dir ./mongodb',
      note: 'key, certificate and chain in client.pem',
    },
    { line: 'kmip cred generate storage backup -o json > credential.json', note: 'everything in one JSON document' },
  ],
  async run({ scope, role, format = 'pem', outDir, force }, context) {
    const destination = destinationOf(outDir, { force, format, key: true }, context)
    const ready = async () => {
      const { format: output } = context.settings
      if (outDir === undefined && !['json', 'ndjson', 'yaml'].includes(output)) throw keyWouldBeLost(output)
      await destination.ready()
    }
    return issueNew({ scope, role }, format, { ...destination, ready }, context)
  },
})

export const sign = command({
  name: 'sign',
  summary: 'Issue a client certificate for a signing request (CSR)',
  endpoint: api.signCredential,
  params: {
    ...roleArguments,
    csr: flag.text('file with the CSR in PEM (-: standard input)', {
      required: true,
      placeholder: 'file|-',
      complete: 'file',
    }),
    ...outputFlags,
  },
  examples: [
    {
      line: 'kmip cred sign storage backup --csr client.csr --out-dir ./client',
      note: 'the key stays where it was made',
    },
  ],
  async run({ scope, role, csr, format = 'pem', outDir, force }, context) {
    const { http, io } = context
    const pem = checkCsr(withoutMark(Buffer.from(await io.readFile(csr)).toString()), fileWords(csr))
    if (isSignedWithSha1(pem)) io.warn(signedWithSha1)
    const { ready, folder } = destinationOf(outDir, { force, format, key: false }, context)
    const response = await http
      .send(api.signCredential({ scope, role }, { body: { csr: pem, format }, ready }))
      .catch((error: unknown) => {
        throw withoutRole(error, { scope, role }, context)
      })
    const issue = { action: 'sign', scope, role, format, folder: folder() }
    return certificateResult(response, answered(response, io), issue, context)
  },
})
