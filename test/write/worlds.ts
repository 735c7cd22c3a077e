import { exampleFiles } from '../support/example-files.ts'

const signingRequest = String(await exampleFiles['client.csr']?.(async () => ''))

/** A line of a declared write, and the world that it is tried in: the local server with its demo data. */
export interface World {
  readonly line: string
  /** Lines that are carried out before it. */
  readonly given?: readonly string[]
  readonly files?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /**
   * What somebody else writes: after the question was asked, or right before the first write of the line. `shows` is a read of what
   * must still be there in the end. The line ends as a conflict, unless the server `merges` both.
   */
  readonly other?: {
    readonly when: 'question' | 'write'
    readonly line: string
    readonly shows: string
    readonly merges?: true
  }
  /** Why there is no other writer whose work could be lost. */
  readonly alone?: string
  /** Why a run that was cut off and typed again can lead to another state. */
  readonly lost?: string
}

const job = (more: object = {}) =>
  JSON.stringify({
    Job: {
      ID: 'site',
      Name: 'site',
      Type: 'service',
      Datacenters: ['dc1'],
      TaskGroups: [{ Name: 'app', Count: 1, Tasks: [{ Name: 'app', Driver: 'docker', Config: { image: 'app:1' } }] }],
      ...more,
    },
  })

const db = { when: 'write', line: 'kv put app/db mark=1', shows: 'kv get app/db mark' } as const
const dbAsked = { ...db, when: 'question' } as const
const toCache = { when: 'write', line: 'kv put app/cache mark=1', shows: 'kv get app/cache mark' } as const
const site = 'job run site.json'
const newData = { 'new.json': '{"app/db":{"host":"new"},"app/new":{"a":"1"}}' }
const unguarded = 'servers guard it by nothing, and its request replaces nothing that others write'

/** By command; a declared write that is missing here fails the test. */
export const worlds: Readonly<Record<string, readonly World[]>> = {
  'explorer views create': [
    { line: "explorer views create Drifted --type workspaces -f 'drifted is true'", alone: unguarded },
  ],
  'explorer views update': [
    { line: "explorer views update 'Modules by use' --sort name", alone: 'servers guard it by nothing' },
  ],
  'explorer views apply': [
    {
      line: 'explorer views apply views.json --prune',
      files: {
        'views.json': '[{"name":"New","query_type":"modules"},{"name":"Modules by use","query_type":"modules"}]',
      },
      other: {
        when: 'question',
        line: "explorer views update 'Failed checks' --sort workspace_name",
        shows: "explorer views get 'Failed checks' -o json --query query.sort",
      },
    },
  ],
  'explorer views delete': [
    {
      line: "explorer views delete 'Failed checks'",
      other: {
        when: 'question',
        line: "explorer views update 'Failed checks' --sort workspace_name",
        shows: "explorer views get 'Failed checks' -o json --query query.sort",
      },
    },
  ],
  'kv set': [
    { line: 'kv set app/db host=new extra=1 --remove port', other: db },
    { line: 'kv set app/fresh a=1', other: { ...db, line: 'kv put app/fresh mark=1', shows: 'kv get app/fresh mark' } },
  ],
  'kv put': [{ line: 'kv put app/db host=new', alone: 'it replaces what there is' }],
  'kv patch': [{ line: 'kv patch app/db host=new', other: { ...db, merges: true } }],
  'kv edit': [{ line: 'kv edit app/db', env: { EDITOR: `printf 'host: new\\n' >` }, other: db }],
  'kv rollback': [
    { line: 'kv rollback app/db 3', other: db },
    { line: 'kv rollback app/ --at 1h', given: ['kv set app/db host=x', 'kv delete app/api'], other: db },
  ],
  'kv delete': [
    { line: 'kv delete app/db', alone: 'the deletion of the latest version is unguarded, and shows which one it was' },
    { line: 'kv delete app/ --recursive', other: dbAsked },
  ],
  'kv undelete': [
    { line: 'kv undelete team/payments/old-gateway', alone: unguarded },
    { line: 'kv undelete app/ --recursive', given: ['kv delete app/ --recursive --yes'], alone: unguarded },
  ],
  'kv destroy': [
    { line: 'kv destroy app/db --versions 2,3', alone: 'versions are named' },
    { line: 'kv destroy app/ --recursive --keep 1', other: dbAsked },
  ],
  'kv copy': [
    {
      line: 'kv copy app/db app/copied',
      other: { ...db, line: 'kv put app/copied mark=1', shows: 'kv get app/copied mark' },
    },
    { line: 'kv copy app/db app/cache --update', other: toCache },
    { line: 'kv copy app/ other/ --recursive --versions all', alone: 'its targets are new' },
  ],
  'kv move': [
    { line: 'kv move app/db other/db --without-deleted', other: dbAsked },
    { line: 'kv move app/ other/ --recursive --versions all --without-deleted', other: dbAsked },
  ],
  'kv import': [{ line: 'kv import new.json --update', files: newData, other: db }],
  'kv restore': [
    {
      line: 'kv restore app.tugkv',
      given: ['kv backup app/ -O app.tugkv', 'kv metadata delete app/db --yes'],
      other: { ...db, line: 'kv put app/db mark=1' },
    },
  ],
  'kv metadata put': [{ line: 'kv metadata put app/db --max-versions 7 --custom-metadata a=b', alone: unguarded }],
  'kv metadata patch': [{ line: 'kv metadata patch app/db --custom-metadata a=b', alone: unguarded }],
  'kv metadata delete': [
    { line: 'kv metadata delete app/db', other: dbAsked },
    { line: 'kv metadata delete app/ --recursive', other: dbAsked },
  ],
  'kv config set': [{ line: 'kv config set --max-versions 7', alone: unguarded }],
  'kmip config set': [{ line: 'kmip config set --tls-min-version tls13', alone: unguarded }],
  'kmip scope create': [{ line: 'kmip scope create fleet', alone: unguarded }],
  'kmip scope delete': [{ line: 'kmip scope delete storage', alone: 'a list shows no change of a scope' }],
  'kmip role set': [
    { line: 'kmip role set storage backup --operation create,get --tls-client-ttl 2h', alone: unguarded },
  ],
  'kmip role delete': [{ line: 'kmip role delete storage backup', alone: 'a list shows no change of a role' }],
  'kmip cred generate': [{ line: 'kmip cred generate storage backup --out-dir out', alone: unguarded }],
  'kmip cred sign': [
    {
      line: 'kmip cred sign storage backup --csr client.csr --out-dir out',
      files: { 'client.csr': signingRequest },
      alone: unguarded,
    },
  ],
  'kmip cred renew': [
    {
      line: 'kmip cred renew storage --if-expiring 30d --out-dir out',
      given: ['kmip role set storage backup --tls-client-ttl 300d'],
      alone: unguarded,
      lost: 'the key of a certificate is in one response only: what was issued without it is replaced',
    },
  ],
  'kmip cred revoke': [
    {
      line: 'kmip cred revoke storage backup --certificate out/certificate.pem',
      given: ['kmip cred generate storage backup --out-dir out'],
      alone: 'certificates do not change',
    },
  ],
  'job apply': [{ line: 'job apply site.json --no-wait', files: { 'site.json': job() }, alone: unguarded }],
  'job run': [{ line: site, files: { 'site.json': job() }, alone: 'without --check-index it replaces what there is' }],
  'job update': [
    { line: 'job update site site.json', files: { 'site.json': job() }, given: [site], alone: 'as job run' },
  ],
  'job dispatch': [{ line: 'job dispatch nightly --meta source=x', alone: unguarded }],
  'job periodic force': [{ line: 'job periodic force cleanup', alone: unguarded }],
  'job revert': [{ line: 'job revert web 1', alone: unguarded }],
  'job stable': [{ line: 'job stable web 1 --unset', alone: unguarded }],
  'job evaluate': [{ line: 'job evaluate web', alone: unguarded }],
  'job scale': [{ line: 'job scale web app 5', alone: unguarded }],
  'job stop': [{ line: 'job stop web', alone: 'servers guard it by nothing' }],
  'job start': [{ line: 'job start legacy', alone: unguarded }],
  'job restart': [{ line: 'job restart web --no-wait', alone: unguarded }],
}
