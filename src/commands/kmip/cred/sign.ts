import * as api from '../../../api/kmip.ts'
import { command } from '../../../core/command.ts'
import { flag } from '../../../core/param.ts'
import { fileWords } from '../../../core/words.ts'
import { answered } from '../answer.ts'
import { checkCsr, isSignedWithSha1 } from './certificate.ts'
import { destinationOf, shown, withoutRole } from './issue.ts'
import { filing, place } from './place.ts'

export const sign = command({
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
    const pem = checkCsr(Buffer.from(await io.readFile(csr)).toString(), fileWords(csr))
    if (isSignedWithSha1(pem)) {
      io.warn(
        'the CSR is signed with SHA-1, which is deprecated; the engine may refuse it (with openssl: req -new -sha256)',
      )
    }
    const { ready, folder } = destinationOf(outDir, { force, format, key: false }, context)
    const response = await http
      .send(api.signCredential({ scope, role }, { body: { csr: pem, format }, ready }))
      .catch((error: unknown) => {
        throw withoutRole(error, { scope, role }, context)
      })
    return shown(response, answered(response, io), { scope, role, format, folder: folder() }, context)
  },
})
