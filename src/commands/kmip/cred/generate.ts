import * as api from '../../../api/kmip.ts'
import { usageError } from '../../../core/errors.ts'
import { flag } from '../../../core/param.ts'
import { fileWords, withoutMark } from '../../../core/words.ts'
import type { Decision, Work } from '../../../write/work.ts'
import { onlyTarget } from '../../../write/work.ts'
import { write } from '../../../write/write.ts'
import { answered } from '../params.ts'
import { checkCsr, isSignedWithSha1 } from './certificate.ts'
import { appliedOf, certificateResult, checkRole, destinationOf, issueNew, withoutRole } from './issue.ts'
import type { Role } from './params.ts'
import { outputFlags, roleArguments } from './params.ts'

export const generate = write({
  name: 'generate',
  summary: 'Issue a client certificate with a new private key',
  description:
    'The private key is only in this response, so give --out-dir or an output format that contains it (-o json, yaml, --raw). The folder is checked first; if a file cannot be written afterwards, the certificate is revoked. The files are replaced together.',
  repeats: 'each run issues another certificate',
  endpoint: api.generateCredential,
  also: [api.revokeCredential, api.readRole],
  params: { ...roleArguments, ...outputFlags },
  examples: [
    { line: 'kmip cred generate storage backup --out-dir ./netapp-a1', note: 'three files, 0600' },
    {
      line: 'kmip cred generate storage backup --format pem_bundle --out-dir ./mongodb',
      note: 'key, certificate and chain in client.pem',
    },
    { line: 'kmip cred generate storage backup -o json > credential.json', note: 'everything in one JSON document' },
  ],
  async open({ scope, role, format = 'pem', outDir, force, plan }, context): Promise<Work> {
    const destination = destinationOf(outDir, { force, format, key: true }, context)
    return issueWork('issue', { scope, role }, async () => {
      const { format: output } = context.settings
      if (outDir === undefined && !context.io.isDryRun && !['json', 'yaml'].includes(output))
        throw usageError(
          `-o ${output} would lose the private key, which is shown only once; nothing was sent`,
          'write files: --out-dir <dir>',
          'or print the whole response: -o json',
        )
      await destination.check()
      if (plan === true) await checkRole({ scope, role }, context)
      return {
        action: 'issue',
        words: `issue a certificate with a new key${outDir === undefined ? '' : ` into ${outDir}`}`,
        apply: async (run) =>
          appliedOf(await issueNew({ scope, role }, format, destination, run.context), 'issue', { scope, role }),
      }
    })
  },
})

/** The work of issuing one certificate. */
function issueWork(action: string, { scope, role }: Role, decide: () => Promise<Decision>): Work {
  const data = { scope, role }
  return { action, target: 'role', noun: 'certificate', data, ...onlyTarget(`${scope}/${role}`, { decide }) }
}

export const sign = write({
  name: 'sign',
  summary: 'Issue a client certificate for a signing request (CSR)',
  repeats: 'each run issues another certificate',
  endpoint: api.signCredential,
  also: [api.readRole],
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
      note: 'the private key is never sent',
    },
  ],
  async open({ scope, role, csr, format = 'pem', outDir, force, plan }, context): Promise<Work> {
    const { io } = context
    const pem = checkCsr(withoutMark(Buffer.from(await io.readFile(csr)).toString()), fileWords(csr))
    if (isSignedWithSha1(pem))
      io.warn(
        'the CSR is signed with SHA-1, which is deprecated; the engine may reject it (with openssl: req -new -sha256)',
      )
    const { check, ready, folder } = destinationOf(outDir, { force, format, key: false }, context)
    return issueWork('sign', { scope, role }, async () => {
      await check()
      if (plan === true) await checkRole({ scope, role }, context)
      return {
        action: 'sign',
        words: `issue a certificate for the key of ${fileWords(csr)}${outDir === undefined ? '' : ` into ${outDir}`}`,
        apply: async (run) => {
          const response = await run.context.http
            .send(api.signCredential({ scope, role }, { body: { csr: pem, format }, ready }))
            .catch((error: unknown) => {
              throw withoutRole(error, { scope, role }, run.context)
            })
          const issue = { scope, role, format, folder: folder() }
          const issued = await certificateResult(response, answered(response, io), issue, run.context)
          return appliedOf(issued, 'sign', issue)
        },
      }
    })
  },
})
