import { requests } from '../support/requests.ts'
import { configured } from '../support/run.ts'

const patchType = '-H Content-Type: application/merge-patch+json'

/** Asked before a write that a version 1 engine would store as a plain key. */
const mountOf = (mount: string) => `GET /v1/sys/internal/ui/mounts/${mount}`

const configRead = 'GET /v1/secret/config'
const dataRead = 'GET /v1/secret/data/app/db'
const metadataRead = 'GET /v1/secret/metadata/app/db'

requests('kv', [
  ['kv config get', 'GET /v1/secret/config'],
  ['kv config get --mount team/kv', 'GET /v1/team/kv/config'],
  ['kv config set --max-versions 5', configRead, 'POST /v1/secret/config --data-binary {"max_versions":5}'],
  [
    'kv config set --cas-required=false --delete-version-after 7d',
    configRead,
    'POST /v1/secret/config --data-binary {"cas_required":false,"delete_version_after":"168h"}',
  ],
  [
    'kv config set --delete-version-after=-1s --max-versions 4294967295',
    configRead,
    'POST /v1/secret/config --data-binary {"max_versions":4294967295,"delete_version_after":"-1s"}',
  ],

  ['kv get app/db', 'GET /v1/secret/data/app/db'],
  ["kv get 'a b/c+d' --version 3", 'GET /v1/secret/data/a%20b/c%2Bd?version=3'],
  ['kv get app/db --field password --version 0', 'GET /v1/secret/data/app/db?version=0'],

  ['kv get app/db password', 'GET /v1/secret/data/app/db'],
  ['kv get app/db --wrap-ttl 10m', 'GET /v1/secret/data/app/db -H X-Secrets-Wrap-TTL: 10m'],
  ['kv get app/db --wrap-ttl 10m --version 1', 'GET /v1/secret/data/app/db?version=1 -H X-Secrets-Wrap-TTL: 10m'],

  [
    'kv put app/db --generate password=20 --symbols --no-verify',
    'POST /v1/secret/data/app/db --data-binary {"data":{"password":"<redacted>"}}',
  ],
  [
    'kv put app/db a=b',
    mountOf('secret'),
    mountOf('app/db'),
    'POST /v1/secret/data/app/db --data-binary {"data":{"a":"<redacted>"}}',
  ],
  ['kv put app/db a=b --no-verify', 'POST /v1/secret/data/app/db --data-binary {"data":{"a":"<redacted>"}}'],
  [
    'kv put app/db a=b n:=5 z:=null --cas 0',
    mountOf('secret'),
    mountOf('app/db'),
    'POST /v1/secret/data/app/db --data-binary {"data":{"a":"<redacted>","n":"<redacted>","z":null},"options":{"cas":0}}',
  ],

  [
    'kv patch app/db a=b',
    dataRead,
    `PATCH /v1/secret/data/app/db ${patchType} --data-binary {"data":{"a":"<redacted>"}}`,
  ],
  [
    'kv patch app/db a=b --cas 4',
    dataRead,
    `PATCH /v1/secret/data/app/db ${patchType} --data-binary {"data":{"a":"<redacted>"},"options":{"cas":4}}`,
  ],
  [
    'kv patch app/db a=b --remove c --remove d --cas 4',
    dataRead,
    `PATCH /v1/secret/data/app/db ${patchType} --data-binary {"data":{"a":"<redacted>","c":null,"d":null},"options":{"cas":4}}`,
  ],

  ['kv subkeys app/db', 'GET /v1/secret/subkeys/app/db'],
  ['kv subkeys app/db --version 2 --depth 1', 'GET /v1/secret/subkeys/app/db?version=2&depth=1'],

  ['kv subkeys app/db --version 0 --depth 0', 'GET /v1/secret/subkeys/app/db?version=0&depth=0'],

  ['kv delete app/db', 'GET /v1/secret/metadata/app/db', 'DELETE /v1/secret/data/app/db'],
  [
    'kv delete app/db --versions 2,3..4,3',
    'GET /v1/secret/metadata/app/db',
    'POST /v1/secret/delete/app/db --data-binary {"versions":[3,4]}',
  ],
  ['kv delete app/db --no-verify', mountOf('secret'), 'DELETE /v1/secret/data/app/db'],
  [
    'kv delete app/db --versions 7-9 --no-verify',
    mountOf('secret'),
    'POST /v1/secret/delete/app/db --data-binary {"versions":[7,8,9]}',
  ],
  [
    'kv rollback team/ --at 4d',
    'GET /v1/secret/metadata/team?list=true',
    'GET /v1/secret/metadata/team/payments?list=true',
    'GET /v1/secret/metadata/team/search?list=true',
    'GET /v1/secret/metadata/team/payments/gateway?list=true',
    'GET /v1/secret/metadata/team/payments/gateway/webhook',
    'GET /v1/secret/metadata/team/payments/ledger',
    'GET /v1/secret/metadata/team/payments/old-gateway',
    'GET /v1/secret/metadata/team/search/index',
    'POST /v1/secret/undelete/team/payments/old-gateway --data-binary {"versions":[1]}',
  ],
  ['kv audit team/', 'GET /v1/secret/metadata/team?list=true'],
  ['kv backup team/ -O -', 'GET /v1/secret/config'],
  [
    'kv delete app/ --recursive',
    'GET /v1/secret/metadata/app?list=true',
    'GET /v1/secret/metadata/app/api',
    'GET /v1/secret/metadata/app/cache',
    'GET /v1/secret/metadata/app/db',
    'GET /v1/secret/metadata/app/features',
    'POST /v1/secret/delete/app/api --data-binary {"versions":[1]}',
    'POST /v1/secret/delete/app/cache --data-binary {"versions":[1]}',
    'POST /v1/secret/delete/app/db --data-binary {"versions":[4]}',
    'POST /v1/secret/delete/app/features --data-binary {"versions":[1]}',
  ],

  [
    'kv undelete app/db --versions 2 --no-verify',
    mountOf('secret'),
    'POST /v1/secret/undelete/app/db --data-binary {"versions":[2]}',
  ],
  [
    'kv undelete team/payments/old-gateway --versions 1',
    'GET /v1/secret/metadata/team/payments/old-gateway',
    'POST /v1/secret/undelete/team/payments/old-gateway --data-binary {"versions":[1]}',
  ],
  [
    'kv undelete team/payments/old-gateway',
    'GET /v1/secret/metadata/team/payments/old-gateway',
    'POST /v1/secret/undelete/team/payments/old-gateway --data-binary {"versions":[1]}',
  ],

  [
    'kv destroy app/ --recursive --keep 1 --yes',
    'GET /v1/secret/metadata/app?list=true',
    ...['api', 'cache', 'db', 'features'].map((name) => `GET /v1/secret/metadata/app/${name}`),
    'PUT /v1/secret/destroy/app/db --data-binary {"versions":[3,2]}',
  ],
  [
    'kv metadata delete team/search --recursive --yes',
    'GET /v1/secret/metadata/team/search?list=true',
    'GET /v1/secret/metadata/team/search',
    'GET /v1/secret/metadata/team/search/index',
    'DELETE /v1/secret/metadata/team/search/index',
  ],
  [
    'kv destroy app/db --versions 1 --no-verify',
    mountOf('secret'),
    'PUT /v1/secret/destroy/app/db --data-binary {"versions":[1]}',
  ],
  [
    'kv destroy app/db --versions 2..3',
    'GET /v1/secret/metadata/app/db',
    'PUT /v1/secret/destroy/app/db --data-binary {"versions":[2,3]}',
  ],

  ['kv list', 'GET /v1/secret/metadata?list=true'],
  ['kv list app/', 'GET /v1/secret/metadata/app?list=true'],

  ['kv metadata get app/db', 'GET /v1/secret/metadata/app/db'],
  ['kv metadata get app/db -n team-a', 'GET /v1/secret/metadata/app/db -H X-Secrets-Namespace: team-a'],
  ['kv metadata delete app/db', metadataRead, 'DELETE /v1/secret/metadata/app/db'],

  [
    'kv set app/db password=x --remove old',
    'GET /v1/secret/data/app/db',
    'POST /v1/secret/data/app/db --data-binary {"data":{"host":"<redacted>","password":"<redacted>","port":"<redacted>","user":"<redacted>"},"options":{"cas":4}}',
  ],
  [
    'kv set app/db password=x --cas 4',
    'GET /v1/secret/data/app/db',
    'POST /v1/secret/data/app/db --data-binary {"data":{"host":"<redacted>","password":"<redacted>","port":"<redacted>","user":"<redacted>"},"options":{"cas":4}}',
  ],
  ['kv tree', 'GET /v1/secret/metadata?list=true'],
  ['kv tree app --depth 1', 'GET /v1/secret/metadata/app?list=true'],
  ['kv tree app --depth 2', 'GET /v1/secret/metadata/app?list=true'],
  ['kv history app/db', 'GET /v1/secret/metadata/app/db'],
  ['kv diff app/db', 'GET /v1/secret/data/app/db'],
  ['kv diff app/db --from 1 --to 3 --show-values --exit-code', 'GET /v1/secret/data/app/db?version=1'],
  ['kv diff app/db 1 3', 'GET /v1/secret/data/app/db?version=1'],
  ['kv diff app/db 1', 'GET /v1/secret/data/app/db?version=1'],
  ['kv diff app/db app/cache', 'GET /v1/secret/data/app/db'],
  ['kv diff app/db --other-mount team/kv', 'GET /v1/secret/data/app/db'],
  [
    'kv rollback app/db 3',
    'GET /v1/secret/metadata/app/db',
    'GET /v1/secret/data/app/db?version=3',
    'GET /v1/secret/data/app/db',
    'POST /v1/secret/data/app/db --data-binary {"data":{"host":"<redacted>","password":"<redacted>","port":"<redacted>","user":"<redacted>"},"options":{"cas":4}}',
  ],
  [
    'kv copy app/db b',
    'GET /v1/secret/data/app/db',
    'GET /v1/secret/data/b',
    'POST /v1/secret/data/b --data-binary {"data":{"host":"<redacted>","password":"<redacted>","port":"<redacted>","user":"<redacted>"},"options":{"cas":0}}',
  ],
  [
    'kv copy app/db app/api --force',
    'GET /v1/secret/data/app/db',
    'GET /v1/secret/data/app/api',
    'POST /v1/secret/data/app/api --data-binary {"data":{"host":"<redacted>","password":"<redacted>","port":"<redacted>","user":"<redacted>"},"options":{"cas":1}}',
  ],
  [
    'kv move app/db b --versions current',
    'GET /v1/secret/data/app/db',
    'GET /v1/secret/data/b',
    'GET /v1/secret/metadata/app/db',
    'POST /v1/secret/data/b --data-binary {"data":{"host":"<redacted>","password":"<redacted>","port":"<redacted>","user":"<redacted>"},"options":{"cas":0}}',
  ],
  ['kv find --deleted', 'GET /v1/secret/metadata?list=true'],
  [
    'kv copy app/db copied --to-mount secret',
    'GET /v1/secret/data/app/db',
    'GET /v1/secret/data/copied',
    'GET /v1/sys/internal/ui/mounts/secret',
    'POST /v1/secret/data/copied --data-binary {"data":{"host":"<redacted>","password":"<redacted>","port":"<redacted>","user":"<redacted>"},"options":{"cas":0}}',
  ],
  ['kv find x', 'GET /v1/secret/metadata?list=true'],
  ['kv find --older-than 90d', 'GET /v1/secret/metadata?list=true'],
  ['kv find x app --keys -i', 'GET /v1/secret/metadata/app?list=true'],
  ['kv export app/db', 'GET /v1/secret/data/app/db'],
  ['kv exec app/db --version 0 -- env', 'GET /v1/secret/data/app/db?version=0'],
  ['kv exec app/db --upper --prefix P_ --version 2 -- env', 'GET /v1/secret/data/app/db?version=2'],
])

requests(
  'kv edit',
  [
    [
      'kv edit app/db',
      'GET /v1/secret/data/app/db',
      'GET /v1/secret/data/app/db',
      'POST /v1/secret/data/app/db --data-binary {"data":{"…":"<redacted>"},"options":{"cas":4}}',
    ],
  ],
  {
    env: { ...configured, EDITOR: 'false' },
  },
)

requests(
  'kv import',
  [
    [
      'kv import - app',
      'GET /v1/secret/metadata/app?list=true',
      'GET /v1/secret/metadata/app/b?list=true',
      mountOf('secret'),
      mountOf('app/a'),
      'POST /v1/secret/data/app/a --data-binary {"data":{"k":"<redacted>"},"options":{"cas":0}}',
      'POST /v1/secret/data/app/b/c --data-binary {"data":null,"options":{"cas":0}}',
    ],
    [
      'kv import - --depth 1',
      'GET /v1/secret/metadata?list=true',
      'GET /v1/sys/internal/ui/mounts/secret',
      'POST /v1/secret/data/a --data-binary {"data":{"k":"<redacted>"},"options":{"cas":0}}',
    ],
  ],
  { stdin: '{"a":{"k":"v"},"b/c":null}' },
)

requests(
  'lists by method',
  [
    ['kv list app', 'LIST /v1/secret/metadata/app'],
    ['kmip scope list', 'LIST /v1/kmip/scope'],
  ],
  { env: { ...configured, TUG_LIST_METHOD: 'list' } },
)

/** Its first version, which was destroyed, is a placeholder; of a product, the rights to all writes that follow are asked first. */
const history = (...question: string[]): [line: string, ...requests: string[]] => [
  'kv copy app/db b --versions all',
  'GET /v1/secret/metadata/app/db',
  'GET /v1/secret/data/app/db?version=3',
  'GET /v1/secret/data/app/db',
  'GET /v1/secret/metadata/b',
  ...question,
  'POST /v1/secret/data/b --data-binary {"data":{"tug-unfinished":"<redacted>"},"options":{"cas":0}}',
]

requests('a history', [history()], {}, ['neutral'])
requests('a history', [history('POST /v1/sys/capabilities-self')], {}, ['hashicorp'])

/** Writes of metadata. A product shows a version of the metadata, which is sent back: `guard`. */
const metadataWrites = (guard: string): [line: string, ...requests: string[]][] => [
  [
    'kv metadata put app/db --max-versions 5 --cas-required --delete-version-after 90m',
    metadataRead,
    `POST /v1/secret/metadata/app/db --data-binary {"max_versions":5,"cas_required":true,"delete_version_after":"1h30m"${guard}}`,
  ],
  [
    'kv metadata put app/db --custom-metadata a=b --custom-metadata c=d=e',
    metadataRead,
    `POST /v1/secret/metadata/app/db --data-binary {"custom_metadata":{"a":"b","c":"d=e"}${guard}}`,
  ],
  [
    'kv metadata put app/api --clear-custom-metadata',
    'GET /v1/secret/metadata/app/api',
    `POST /v1/secret/metadata/app/api --data-binary {"custom_metadata":{}${guard}}`,
  ],
  [
    'kv metadata put app/db --max-versions 3',
    metadataRead,
    `POST /v1/secret/metadata/app/db --data-binary {"max_versions":3${guard}}`,
  ],
  [
    'kv metadata patch app/db --custom-metadata a=b --remove-custom-metadata c',
    metadataRead,
    `PATCH /v1/secret/metadata/app/db ${patchType} --data-binary {"custom_metadata":{"a":"b","c":null}${guard}}`,
  ],
  [
    'kv metadata patch app/db --max-versions 0 --cas-required=false --delete-version-after 1h --clear-custom-metadata',
    metadataRead,
    `PATCH /v1/secret/metadata/app/db ${patchType} --data-binary {"max_versions":0,"cas_required":false,"delete_version_after":"1h","custom_metadata":null${guard}}`,
  ],
  [
    'kv metadata patch app/api --remove-custom-metadata rotation --remove-custom-metadata rotation',
    'GET /v1/secret/metadata/app/api',
    `PATCH /v1/secret/metadata/app/api ${patchType} --data-binary {"custom_metadata":{"rotation":null}${guard}}`,
  ],
]

requests('kv', metadataWrites(''), {}, ['neutral', 'auto'])
requests('kv', metadataWrites(',"metadata_cas":0'), {}, ['hashicorp'])

requests(
  'kv',
  [
    [
      'kv metadata put app/new --max-versions 0',
      'GET /v1/secret/metadata/app/new',
      mountOf('secret'),
      mountOf('app/new'),
      'POST /v1/secret/metadata/app/new --data-binary {"max_versions":0,"metadata_cas":0}',
    ],
  ],
  {},
  ['hashicorp'],
)
