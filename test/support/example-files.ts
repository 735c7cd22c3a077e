// The X.509 library needs it first.
// oxlint-disable-next-line import/no-unassigned-import
import 'reflect-metadata'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509'
import { root } from './process.ts'

/** Runs `tug` with these words against the example's server and returns its output. */
export type Ask = (line: string) => Promise<string>

/** The files that examples read, by name, as a user would have them. */
export const exampleFiles: Readonly<Record<string, (ask: Ask) => Promise<string | Uint8Array>>> = {
  'web.hcl': () => readFile(join(root, 'examples/web.hcl')),
  'jobs/web.hcl': () => readFile(join(root, 'examples/web.hcl')),
  'jobs/api.json': (ask) => ask('job get api -o json'),
  'prod.hcl': async () => 'greeting = "good day"\n',
  'web.json': (ask) => ask('job get web -o json'),
  'rows.ndjson': async () => '{"id":1}\n{"id":2}\n',
  'orders.csv': async () => 'meta.source,payload\norders,a\nbills,b\n',
  'rows.gz': async () => gzipSync('{"id":1}\n'),
  'view.yaml': async (ask) =>
    (await ask(`explorer views get ${await firstView(ask)} -o yaml`)).replace(/^name: .*$/m, 'name: Mine'),
  'views.yaml': (ask) => ask('explorer views list -o yaml'),
  'view.json': async (ask) => ask(`explorer views get ${await firstView(ask)} -o json`),
  // Without its first row.
  'yesterday.json': async (ask) => {
    const rows = JSON.parse(await ask("explorer query workspaces -f 'drifted is true' --all -o json")) as object[]
    return JSON.stringify(rows.slice(1))
  },
  'versions.csv': (ask) => ask('explorer query workspaces --fields workspace_name,workspace_tool_version --all -o csv'),
  'queue.json': async () => '{"host":"queue.app.internal","port":5672}\n',
  'tls.key': async () => '-----BEGIN PRIVATE KEY-----\nbm90IGEga2V5\n-----END PRIVATE KEY-----\n',
  'app.json': (ask) => ask('kv export app/'),
  'secret.tugkv': (ask) => ask('kv backup -O -'),
  'team.tugkv': (ask) => ask('kv backup team/ -O -'),
  'restore.ndjson': async () => '',
  'paths.txt': async () => 'app/db\napp/cache\n',
  '.env': async () => 'HOST=db2.app.internal\nPORT=5432\n',
  'client.csr': signingRequest,
  'client.pem': async (ask) => {
    const credential = JSON.parse(await ask('kmip cred generate storage backup -o json')) as { certificate: string }
    return credential.certificate
  },
}

/** The ID of a saved view. */
export async function firstView(ask: Ask): Promise<string> {
  return firstLine(await ask('explorer views list -o name'))
}

/** The first line of an output. */
export function firstLine(printed: string): string {
  return printed.split('\n')[0] as string
}

/** Of a key type that the local server's roles accept. */
async function signingRequest(): Promise<string> {
  const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-521' }, true, ['sign', 'verify'])
  const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-512' }
  const request = await Pkcs10CertificateRequestGenerator.create({ name: 'CN=client', keys, signingAlgorithm })
  return request.toString('pem')
}
