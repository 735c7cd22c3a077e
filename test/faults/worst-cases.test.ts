import { expect, test } from 'vitest'
import { serviceNamed } from '../../src/api/services.ts'
import { warningsOf } from '../../src/commands/job/jobs.ts'
import { fieldName } from '../../src/commands/job/plan/fields.ts'
import { withoutSecrets } from '../../src/output/secret-text.ts'
import { credentialParts } from '../../src/commands/kmip/cred/certificate.ts'
import { readMapText } from '../../src/commands/kv/data/document.ts'
import { serviceNames } from '../../src/core/service.ts'
import { withoutUrlSecrets, urlSecrets } from '../../src/core/secret-names.ts'
import { shellQuote } from '../../src/core/shell.ts'
import { withoutHeading } from '../../src/core/words.ts'
import { failureOf, isHtml } from '../../src/http/failure.ts'
import { requestedDelay } from '../../src/http/retry.ts'
import { escapeControl, escapeJson, escapeLines, escapePage, withoutCommands } from '../../src/output/safe.ts'
import { looksSecret } from '../../src/output/redact.ts'
import { wrapCells } from '../../src/output/width.ts'

/** Beginnings that patterns look for, and pieces whose repetition makes a careless pattern try again and again. */
const starts = ['', '<html>', '{"errors":["', 'a://', 'rpc error: ', 'job "', '1 error occurred:\n\t* ', 'x ']
const pieces = [
  '<title',
  'a://:::',
  ':',
  '://',
  '@',
  ' ',
  '\t',
  '\n',
  '.',
  '-',
  '/',
  '[',
  '"',
  '?token',
  '&sig',
  '?a=b',
  '\\',
  "'",
  ':: ',
  '\r',
  'A',
  '漢',
  'https://hook',
  '-----BEGIN A-----',
]
const phrases = [
  'did not provide required meta keys: [',
  'Enforcing job modify index ',
  'task group "',
  'struct field with name "',
  '\u001b[31',
  '👩\u200d',
]

const texts = [...pieces, ...phrases].map(
  (piece, index) => (starts[index % starts.length] as string) + piece.repeat(Math.ceil(400_000 / piece.length)),
)

/** Everything that reads foreign text with patterns. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  withoutUrlSecrets,
  urlSecrets,
  shellQuote,
  withoutHeading,
  looksSecret: (text) => looksSecret(text),
  isHtml: (body) => isHtml({ headers: {}, body }),
  requestedDelay: (text) => requestedDelay({ 'retry-after': text }, () => new Date(0)),
  escapeControl: (text) => escapeControl(text, { newlines: true }),
  escapeJson,
  escapeLines,
  escapePage: (text) => escapePage(text, (_, shown) => `\u001b[31m${shown}\u001b[39m`),
  withoutCommands,
  withoutSecrets,
  fieldName: (text) => [fieldName('Task', text), fieldName('Config', text)],
  warningsOf: (text) => warningsOf({ Warnings: text }),
  credentialParts: (text) =>
    credentialParts({ certificate: text, private_key: text, ca_chain: [text], serial_number: '1' }, 'pem'),
}

/** Those that take longer for each character. */
const slowReaders: Readonly<Record<string, (text: string) => unknown>> = {
  wrapCells: (text) => wrapCells(text, 20),
  readMapText: async (text) => readMapText(text, 'a file').catch(() => undefined),
}

test.each(Object.entries(readers))('%s reads the worst texts in time', (_, reader) => {
  for (const text of texts) reader(text)
})

test.each(Object.entries(slowReaders))('%s reads the worst texts of 50,000 characters in time', async (_, reader) => {
  for (const text of texts) await reader(text.slice(0, 50_000))
})

/** Each status has its own way to the message. */
test.each(serviceNames)('the worst errors of the %s service are read in time', async (name) => {
  const service = await serviceNamed(name)
  for (const body of texts)
    for (const status of [400, 403, 404, 500]) {
      const request = { method: 'GET', path: '/v1/secret/data/a' }
      expect(failureOf(service, { request, status, headers: {}, body, dialect: 'auto' }).facts.status).toBe(status)
    }
})
