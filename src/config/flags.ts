import { formats } from '../core/context.ts'
import type { Params } from '../core/param.ts'
import { flag } from '../core/param.ts'

/** The two vocabularies of the wire. */
export const dialects = ['neutral', 'hashicorp'] as const

/** The flags that every command takes. */
export const globalParams = {
  profile: flag.text('use this saved profile', { short: 'p', placeholder: 'name', complete: 'profile' }),
  output: flag.choice('how the result is printed', formats, { short: 'o', placeholder: 'format' }),
  raw: flag.boolean("print the server's body, byte for byte"),
  query: flag.text('select from the JSON result before it is printed (JMESPath)', { placeholder: 'jmespath' }),
  columns: flag.list('columns of table, csv, tsv and md, in this order'),
  noHeaders: flag.boolean('leave the header line out of table, csv and tsv'),
  null: flag.boolean('end each name of `-o name` with a NUL byte instead of a newline', { short: '0' }),
  csvSafe: flag.boolean('guard csv cells that a spreadsheet would run as formulas'),
  csvBom: flag.boolean('begin csv with a byte order mark'),
  address: flag.text("base URL of the command's service (unix:///path too)", { placeholder: 'url' }),
  tokenFile: flag.text('read the token from a file (-: standard input)', { placeholder: 'file', complete: 'file' }),
  namespace: flag.text('namespace of the secrets store or the scheduler', { short: 'n', placeholder: 'ns' }),
  dialect: flag.choice('the vocabulary spoken on the wire', dialects),
  caCert: flag.text('trust this certificate authority (PEM)', { placeholder: 'file', complete: 'file' }),
  clientCert: flag.text('client certificate (PEM)', { placeholder: 'file', complete: 'file' }),
  clientKey: flag.text('key of the client certificate (PEM)', { placeholder: 'file', complete: 'file' }),
  tlsServerName: flag.text('name to verify and to send by SNI', { placeholder: 'name' }),
  insecure: flag.boolean('do not verify the TLS certificate (warns every time)'),
  timeout: flag.duration('until the response headers, then the longest silence between pieces of the body'),
  retries: flag.integer('how often a failed request is repeated', { min: 0, max: 100 }),
  dryRun: flag.boolean('print each request as a curl line, send nothing'),
  trace: flag.boolean('requests, responses and timings on stderr, secrets redacted'),
  quiet: flag.boolean('no progress, hints or confirmations on stderr', { short: 'q' }),
  yes: flag.boolean('answer yes to confirmations', { short: 'y' }),
  noInput: flag.boolean('never prompt'),
  color: flag.choice('colours', ['auto', 'always', 'never']),
} satisfies Params

/** Flags of all commands of one group. */
export const groupParams = {
  explorer: { org: flag.text('organization', { placeholder: 'name' }) },
  kmip: {
    mount: flag.text('where the engine is mounted', { placeholder: 'path', defaultText: 'kmip' }),
    listMethod: flag.choice('send lists as GET …?list=true or by the method LIST', ['get', 'list'], {
      defaultText: 'get',
    }),
  },
  kv: {
    mount: flag.text('where the engine is mounted', { placeholder: 'path', defaultText: 'secret' }),
    listMethod: flag.choice('send lists as GET …?list=true or by the method LIST', ['get', 'list'], {
      defaultText: 'get',
    }),
  },
  job: { region: flag.text('region of the scheduler', { placeholder: 'name' }) },
} satisfies Record<string, Params>
