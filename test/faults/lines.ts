import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from '../../src/core/command.ts'
import { loadAll, leaves } from '../../src/core/group.ts'
import { isWrite } from '../../src/core/request.ts'
import { tree } from '../../src/commands/index.ts'

/** A command of the catalogue, by its words after `tug`. */
export interface Known {
  readonly path: string
  readonly command: Command
}

/** True if a command changes nothing, as declared or by its endpoints. */
export function changesNothing({ command: { writes, endpoints } }: Known): boolean {
  return (writes ?? endpoints.some(isWrite)) === false
}

/** Every command of the catalogue, in help order. */
export const catalogue: readonly Known[] = (
  await Promise.all(
    tree.entries.map(async (entry): Promise<Known[]> => {
      const target = await loadAll(await entry.load())
      if (target.kind === 'command') return [{ path: entry.name, command: target }]
      return leaves(target).map(([words, command]) => ({ path: `${entry.name} ${words}`, command }))
    }),
  )
).flat()

/** Commands that talk to no service, or whose status is not that of a request; the reason. */
export const leftOut: Readonly<Record<string, string>> = {
  'explorer fields': 'knows its table',
  'profile list': 'reads files',
  'profile show': 'reads files',
  'profile use': 'writes files',
  'profile set': 'writes files',
  'profile delete': 'writes files',
  'profile path': 'knows the place',
  logout: 'writes files',
  endpoints: 'knows its table',
  completion: 'prints a script',
  help: 'prints texts',
  'job init': 'writes a file',
  dev: 'is the service',
  status: 'reports what each service answers as its result',
}

/** Command lines where the first example needs a shell, a terminal or a running server. */
const lines: Readonly<Record<string, string>> = {
  'explorer diff': 'explorer diff workspaces rows.json',
  'explorer export': 'explorer export workspaces',
  'explorer views export': 'explorer views export sq-7RkT2mWq9ZbX4cLd',
  'explorer views apply': 'explorer views apply views.json',
  'kv set': 'kv set app/db host=db2.internal',
  'kv put': 'kv put app/queue user=app --no-verify',
  'kv patch': 'kv patch app/db host=db2.internal',
  'kv destroy': 'kv destroy app/db --versions 1 --yes',
  'kv move': 'kv move app/db app/database --without-deleted --yes',
  'kv export': 'kv export app',
  'kv backup': 'kv backup -O -',
  'kv restore': 'kv restore secret.tugkv',
  'kv verify': 'kv verify secret.tugkv',
  'kv import': 'kv import .env app/db --update',
  'kv metadata delete': 'kv metadata delete app/db --yes',
  'kmip ca': 'kmip ca',
  'kmip scope delete': 'kmip scope delete finance --yes',
  'kmip role delete': 'kmip role delete storage backup --yes',
  'kmip cred generate': 'kmip cred generate storage backup --out-dir out',
  'kmip cred sign': 'kmip cred sign storage backup --csr client.csr --out-dir out',
  'kmip cred renew': 'kmip cred renew storage backup --serial 7281 --out-dir out',
  'kmip cred revoke': 'kmip cred revoke storage backup 7281 --yes',
  'job plan': 'job plan web.json',
  'job run': 'job run web.json',
  'job update': 'job update web web.json',
  'job parse': 'job parse web.hcl',
  'job dispatch': 'job dispatch nightly rows.ndjson',
  'job revert': 'job revert web 2 --yes',
  'job scale': 'job scale web app 5',
  'job stable': 'job stable web 2 --unset --yes',
  'job stop': 'job stop web --yes',
  login: 'login secrets --token-file token',
}

/** The command lines that are run: each command's own, or its first example. */
export const runs: readonly (readonly [path: string, line: string])[] = catalogue
  .filter(({ path }) => !(path in leftOut))
  .map(({ path, command }) => [path, lines[path] ?? (command.examples[0]?.line as string)])

export const token = 'planted-token-Zx81Qw'

/** A backup of one secret. */
function backupText(): string {
  const times = { created_time: '2026-01-01T00:00:00Z', updated_time: '2026-01-01T00:00:00Z' }
  const settings = { max_versions: 0, cas_required: false, delete_version_after: '0s' }
  const of = { tug: '1.0.0', created: '2026-01-01T00:00:00Z', mount: 'secret', path: '', config: settings, since: null }
  const version = { version: 1, state: 'live', created_time: '', deletion_time: '', data: { a: 'b' } }
  const secret = { current_version: 1, oldest_version: 0, ...times, ...settings, custom_metadata: null }
  const rows = [
    { format: 'tug-kv-backup', version: 1, ...of },
    { path: 'app/db', ...secret, versions: [version] },
  ]
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  const counts = { versions: 1, deleted: 0, without_data: 0, destroyed: 0, pruned: 0, removed: 0, missing: [] }
  const sha256 = createHash('sha256').update(text).digest('hex')
  return `${text}${JSON.stringify({ end: true, secrets: 1, ...counts, sha256 })}\n`
}

const files: Readonly<Record<string, string>> = {
  'secret.tugkv': backupText(),
  'rows.json': '[{"id":"ws-1","workspace_name":"a"}]',
  'views.json': '[{"name":"Mine","type":"workspaces"}]',
  '.env': 'HOST=db2.app.internal\n',
  'client.csr': '-----BEGIN CERTIFICATE REQUEST-----\nMIIBazCB\n-----END CERTIFICATE REQUEST-----\n',
  'web.json': '{"Job":{"ID":"web","Name":"web","Type":"service","Datacenters":["dc1"],"TaskGroups":[]}}',
  'web.hcl': 'job "web" {}\n',
  'rows.ndjson': '{"id":1}\n',
  token: `${token}\n`,
}

/** Writes the files that the lines name. */
export function writeFiles(folder: string): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 })
}

/** An environment with all three services at one address. */
export function environment(origin: string): Record<string, string> {
  return {
    EDITOR: 'false',
    TUG_EXPLORER_ADDR: `${origin}/api/v2`,
    TUG_EXPLORER_TOKEN: token,
    TUG_EXPLORER_ORG: 'acme',
    TUG_SECRETS_ADDR: origin,
    TUG_SECRETS_TOKEN: token,
    TUG_SCHEDULER_ADDR: origin,
    TUG_SCHEDULER_TOKEN: token,
  }
}
