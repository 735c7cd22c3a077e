import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { requests } from '../support/requests.ts'

const role = '/v1/kmip/scope/finance/role/accounting'
const demoRole = '/v1/kmip/scope/storage/role/backup'
const csr = '-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----\n'
const wire = JSON.stringify(csr).slice(1, -1)

const configRead = 'GET /v1/kmip/config'

requests('kmip config', [
  ['kmip config get', 'GET /v1/kmip/config'],
  ['kmip config set', configRead],
  [
    'kmip config set --listen-addrs 0.0.0.0:5696,[::1]:5696 --connection-timeout 5s --server-hostnames a,b --server-ips 192.0.2.1',
    configRead,
    'POST /v1/kmip/config --data-binary {"listen_addrs":["0.0.0.0:5696","[::1]:5696"],"connection_timeout":5,"server_hostnames":["a","b"],"server_ips":["192.0.2.1"]}',
  ],
  [
    'kmip config set --tls-ca-key-type rsa --tls-ca-key-bits 4096 --tls-min-version tls12 --default-tls-client-key-type ec --default-tls-client-key-bits 521 --default-tls-client-ttl 7d',
    configRead,
    'POST /v1/kmip/config --data-binary {"tls_ca_key_type":"rsa","tls_ca_key_bits":4096,"tls_min_version":"tls12","default_tls_client_key_type":"ec","default_tls_client_key_bits":521,"default_tls_client_ttl":604800}',
  ],
  [
    'kmip config set --server-ips "" --listen-addrs db1,:5696,[fe80::1%eth0]:1',
    configRead,
    'POST /v1/kmip/config --data-binary {"listen_addrs":["db1",":5696","[fe80::1%eth0]:1"],"server_ips":[]}',
  ],
  ['kmip ca', 'GET /v1/kmip/ca'],
  ['kmip ca --mount infra/kmip-eu', 'GET /v1/infra/kmip-eu/ca'],
])

const scopes = 'GET /v1/kmip/scope?list=true'

requests('kmip scope', [
  ['kmip scope list', 'GET /v1/kmip/scope?list=true'],
  ['kmip scope create finance', scopes, 'POST /v1/kmip/scope/finance'],
  ['kmip scope create "two words%"', scopes, 'POST /v1/kmip/scope/two%20words%25'],
  ['kmip scope delete storage', 'GET /v1/kmip/scope?list=true', 'DELETE /v1/kmip/scope/storage'],
  ['kmip scope delete storage --force', 'GET /v1/kmip/scope?list=true', 'DELETE /v1/kmip/scope/storage?force=true'],
])

const denied = (named: string[]) =>
  [
    'activate',
    'add_attribute',
    'create',
    'decrypt',
    'destroy',
    'discover_versions',
    'encrypt',
    'get',
    'get_attribute_list',
    'get_attributes',
    'import',
    'locate',
    'query',
    'register',
    'rekey',
    'revoke',
  ]
    .map((name) => `"operation_${name}":${named.includes(name)}`)
    .join(',')

requests('kmip role', [
  ['kmip role list finance', 'GET /v1/kmip/scope/finance/role?list=true'],
  ['kmip role get finance accounting', `GET ${role}`],
  ['kmip role set storage backup', `GET ${demoRole}`],
  [
    'kmip role set storage new',
    'GET /v1/kmip/scope/storage/role/new',
    scopes,
    'POST /v1/kmip/scope/storage/role/new --data-binary {}',
  ],
  [
    'kmip role set storage backup --all-operations',
    `GET ${demoRole}`,
    `POST ${demoRole} --data-binary {"operation_all":true}`,
  ],
  [
    'kmip role set storage backup --no-operations',
    `GET ${demoRole}`,
    `POST ${demoRole} --data-binary {"operation_none":true}`,
  ],
  [
    'kmip role set storage backup --tls-client-key-type ec --tls-client-key-bits 256 --tls-client-ttl 1h30m',
    `GET ${demoRole}`,
    `POST ${demoRole} --data-binary {"tls_client_key_type":"ec","tls_client_key_bits":256,"tls_client_ttl":5400}`,
  ],
  [
    'kmip role delete storage backup',
    'GET /v1/kmip/scope/storage/role?list=true',
    'DELETE /v1/kmip/scope/storage/role/backup',
  ],
])

// Only a product gets the names that the specification doesn't have.
const newer = (named: string[]) =>
  [
    'create_key_pair',
    'delete_attribute',
    'mac',
    'mac_verify',
    'modify_attribute',
    'rekey_key_pair',
    'rng_retrieve',
    'rng_seed',
    'sign',
    'signature_verify',
  ]
    .map((name) => `"operation_${name}":${named.includes(name)}`)
    .join(',')

requests(
  "a role's operations",
  [
    [
      'kmip role set storage backup --operation create,get --operation rekey',
      `GET ${demoRole}`,
      `POST ${demoRole} --data-binary {${denied(['create', 'get', 'rekey'])}}`,
    ],
    [
      'kmip role set storage backup --operation sign --no-check',
      `GET ${demoRole}`,
      `POST ${demoRole} --data-binary {${denied([])},"operation_sign":true}`,
    ],
  ],
  {},
  ['neutral', 'auto'],
)

requests(
  "a role's operations on a product",
  [
    [
      'kmip role set storage backup --operation create,sign',
      `GET ${demoRole}`,
      `POST ${demoRole} --data-binary {${denied(['create'])},${newer(['sign'])}}`,
    ],
    [
      'kmip role set storage backup --operation future_thing --no-check',
      `GET ${demoRole}`,
      `POST ${demoRole} --data-binary {${denied([])},${newer([])},"operation_future_thing":true}`,
    ],
  ],
  {},
  ['hashicorp'],
)

const csrFile = join(tmpdir(), `tug-request-${process.pid}.csr`)
writeFileSync(csrFile, csr)

requests('kmip cred', [
  ['kmip cred generate finance accounting -o json', `POST ${role}/credential/generate --data-binary {"format":"pem"}`],
  [
    'kmip cred generate finance accounting --format pem_bundle -o json',
    `POST ${role}/credential/generate --data-binary {"format":"pem_bundle"}`,
  ],
  [
    `kmip cred sign finance accounting --csr ${csrFile}`,
    `POST ${role}/credential/sign --data-binary {"csr":"${wire}","format":"pem"}`,
  ],
  [
    'kmip cred lookup finance accounting 255 --format der',
    `GET ${role}/credential/lookup?serial_number=255&format=der`,
  ],
  ['kmip cred lookup finance accounting --serial 255', `GET ${role}/credential/lookup?serial_number=255&format=pem`],
  ['kmip cred lookup finance accounting 01:00', `GET ${role}/credential/lookup?serial_number=256&format=pem`],
  ['kmip cred list finance accounting', `GET ${role}/credential?list=true`],
  ['kmip cred list finance accounting --expiring 7d', `GET ${role}/credential?list=true`],
])
