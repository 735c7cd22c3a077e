import { expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { changedLines } from '../../src/commands/job/plan/fields.ts'
import { jsonOrNothing, stringifyJson } from '../../src/core/json.ts'
import { posixQuote } from '../../src/core/shell.ts'
import { withoutUrlSecrets, urlSecrets } from '../../src/core/secret-names.ts'
import { guardCsv } from '../../src/output/csv.ts'
import { createMasks } from '../../src/output/masks.ts'
import { isKnownToken, knownTokens } from '../../src/core/secret-names.ts'
import { createRedactor, looksSecret } from '../../src/output/redact.ts'
import { escapeControl, escapeJson, withoutCommands } from '../../src/output/safe.ts'
import { linesWithoutSecrets, secretsIn } from '../../src/output/secret-text.ts'
import { renderMarkdownTable } from '../../src/output/table.ts'
import { toYaml } from '../../src/output/yaml.ts'

/** What each scanner looks for, and what makes a careless one begin again at each place. */
const pieces = [
  '"',
  '\\"',
  '"a":',
  '[',
  '{"a":[',
  '\\',
  'a',
  'a=',
  'a="',
  'token="',
  'password: ',
  "'",
  '\n',
  '\r\n',
  '- ',
  '::',
  '##[',
]
  .concat([
    ',',
    "',",
    '=1,',
    ' ',
    '://',
    'a://b:',
    '?token=',
    '&sig=',
    'https://hooks',
    '/hook/',
    'Bearer ',
    '--password ',
  ])
  .concat([
    'hvs.',
    'eyJa.',
    '-----BEGIN A PRIVATE KEY-----',
    'x-',
    'a.b',
    'a1',
    '\ud800',
    '漢',
    '%2',
    'b64+/=',
    '"__proto__":',
    '1e400,',
  ])

const redactor = createRedactor()
for (const secret of ['aaaaaa', 'planted-secret-1', 'a'.repeat(24)]) redactor.add(secret)
redactor.keep(`${'a'.repeat(10)}.hcl`)

function see(value: Json): void {
  const masks = createMasks({ stderr: { write: () => true } } as never, createRedactor())
  masks.see(value)
  masks.seeText(String(value))
  masks.announce()
}

async function guarded(text: string): Promise<void> {
  const body = (async function* () {
    yield Buffer.from(text)
  })()
  for await (const _ of guardCsv(body, { safe: true, bom: true })) continue
}

const scanners: Readonly<Record<string, (text: string) => unknown>> = {
  redact: (text) => redactor.redact(text),
  see,
  isKnownToken,
  knownTokens,
  looksSecret: (text) => looksSecret(text, text),
  linesWithoutSecrets: (text) => linesWithoutSecrets(text, `${text}x`),
  secretsIn: (text) => [...secretsIn(text)],
  urlSecrets: (text) => [urlSecrets(text), withoutUrlSecrets(text)],
  json: jsonOrNothing,
  jsonString: (text) => jsonOrNothing(`{"a":"${text}","b":1e400}`),
  stringifyJson: (text) => stringifyJson({ a: text }, 2),
  markdown: (text) => renderMarkdownTable({ headers: [text], rows: [[{ text }]], align: [] }),
  guarded,
  toYaml: (text) => toYaml({ a: text }),
  changedLines: (text) => changedLines(text, `${text}x`),
  posixQuote,
  escape: (text) => [escapeControl(text), escapeJson(text), withoutCommands(text)],
}

/** The processor time in milliseconds: other programs don't count. The least of a few runs, if one takes more than `enough`. */
async function costOf(scanner: (text: string) => unknown, text: string, enough = Infinity): Promise<number> {
  let least = Infinity
  for (let run = 0; run < 4 && (run === 0 || least >= enough); run += 1) {
    const before = process.cpuUsage()
    await scanner(text)
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

test.each(Object.entries(scanners))('%s takes ten times as long for ten times the text', async (_, scanner) => {
  const texts = pieces.map((piece) => piece.repeat(Math.ceil(1e6 / piece.length)))
  // The worst text of all is the one that takes longest when it is short.
  const parts: { readonly text: string; readonly cost: number }[] = []
  for (const text of texts) parts.push({ text, cost: await costOf(scanner, text.slice(0, 1e5)) })
  const worst = parts.toSorted((one, other) => other.cost - one.cost).slice(0, 3)
  for (const { text, cost } of worst) {
    const part = Math.min(cost, await costOf(scanner, text.slice(0, 1e5)))
    // A quadratic scanner takes a hundred times as long. Below five milliseconds, noise is larger.
    const most = 50 * Math.max(part, 5)
    expect([text.slice(0, 20), (await costOf(scanner, text, most)) < most]).toEqual([text.slice(0, 20), true])
  }
})
