/**
 * Which command reads which recorded answer of the certificate engine, with what result; what no command gets, and
 * why; what is refused before it is sent.
 */

/** The command that reads a recorded answer. */
export interface Reading {
  readonly line: string
  readonly exit: number
  /** The body that is sent if it isn't the recorded one. */
  readonly body?: unknown
  /** Text of the message besides the server's. */
  readonly words?: string
  /** The facts that a write prints in JSON. */
  readonly done?: string
  /** What is given on standard input: a member of the recorded body. */
  readonly stdin?: string
}

const operations =
  'activate add_attribute create decrypt destroy discover_versions encrypt get get_attribute_list get_attributes import locate query register rekey revoke'.split(
    ' ',
  )

/** The whole set, as `--operation` states it. */
const granting = (...names: string[]) =>
  Object.fromEntries([...new Set([...operations, ...names])].map((name) => [`operation_${name}`, names.includes(name)]))

const place = 'backup-arrays reader'
const absent = "'kmip'…--mount"
const first = '490682080844937785548122295884161753381667394947'
const all =
  '--server-hostnames kmip.example.test,kmip-b.example.test --server-ips 192.0.2.10 --tls-ca-key-type ec --tls-ca-key-bits 521 --default-tls-client-key-type ec --listen-addrs 127.0.0.1:5696,192.0.2.10:9000'
const configRead = { line: 'kmip config get', exit: 0 }
const config = {
  listen_addrs: ['127.0.0.1:5696', '192.0.2.10:9000'],
  server_hostnames: ['kmip.example.test', 'kmip-b.example.test'],
  server_ips: ['192.0.2.10'],
  tls_ca_key_type: 'ec',
  tls_ca_key_bits: 521,
  default_tls_client_key_type: 'ec',
  default_tls_client_ttl: 86400,
}

export const read: Readonly<Record<string, Readonly<Record<string, Reading>>>> = {
  '00_engine_absent_live.json': {
    'read config, no mount': { line: 'kmip config get', exit: 3, words: "'kmip'…; … enterprise" },
    'write config, no mount': {
      line: 'kmip config set --listen-addrs 127.0.0.1:5696',
      exit: 3,
      body: { listen_addrs: ['127.0.0.1:5696'] },
      words: absent,
    },
    'read ca, no mount': { line: 'kmip ca', exit: 3, words: absent },
    'list scopes, no mount': { line: 'kmip scope list', exit: 3, words: absent },
    'list scopes, GET form, no mount': { line: 'kmip scope list', exit: 3, words: absent },
    'delete scope, no mount': { line: 'kmip scope delete finance --force --yes', exit: 3, words: absent },
    'generate, no mount': { line: 'kmip cred generate finance app -o json', exit: 3, words: absent },
    'no token': { line: 'kmip config get', exit: 4, words: 'needed: read on kmip/config' },
    'the path is a KV v2 mount instead: write': { line: 'kmip scope create finance --mount apps', exit: 3 },
    'the path is a KV v2 mount instead: list': { line: 'kmip scope list --mount apps', exit: 3 },
    'the path is a KV v1 mount instead: write stores a literal key': {
      line: 'kmip role set finance app --all-operations --mount old',
      exit: 0,
    },
    'the path is a KV v1 mount instead: read it back': { line: 'kmip role get finance app --mount old', exit: 0 },
    'the path is a KV v1 mount instead: list': { line: 'kmip role list finance --mount old', exit: 0 },
    'the path is a KV v1 mount instead: scope write without a body': {
      line: 'kmip scope create finance --mount old',
      exit: 6,
    },
  },
  '01_config.json': {
    'write: empty body, all defaults': { line: 'kmip config set', exit: 0 },
    'write: all fields, lists as JSON arrays': {
      line: `kmip config set ${all} --connection-timeout 1s --tls-min-version tls12 --default-tls-client-key-bits 521 --default-tls-client-ttl 86400`,
      exit: 0,
      body: { ...config, connection_timeout: 1, tls_min_version: 'tls12', default_tls_client_key_bits: 521 },
    },
    'write: lists as comma separated strings': {
      line: `kmip config set ${all} --tls-min-version tls11 --default-tls-client-key-bits 224 --default-tls-client-ttl 24h`,
      exit: 0,
      body: { ...config, tls_min_version: 'tls11', default_tls_client_key_bits: 224 },
    },
    'read: older engine, with connection_timeout': configRead,
    'read: current engine, after commas were written': configRead,
    'read: current engine, defaults as the OpenAPI of Vault Enterprise 2.1.0 gives them': configRead,
    'read: IPv6 listener': configRead,
    'read: never written': { line: 'kmip config get', exit: 3, words: 'configured' },
    'write: KMIP engine mounted at a nested path': {
      line: 'kmip config set --mount infra/kmip-eu --listen-addrs 192.0.2.10:5696',
      exit: 0,
    },
  },
  '02_ca.json': {
    read: { line: 'kmip ca', exit: 0 },
    'read: before config was ever written': { line: 'kmip ca', exit: 6 },
    'read: before config, the 404 variant': { line: 'kmip ca', exit: 3, words: 'configured' },
  },
  '03_scope.json': {
    create: { line: 'kmip scope create backup-arrays', exit: 0 },
    'create again (exists)': { line: 'kmip scope create backup-arrays', exit: 0 },
    list: { line: 'kmip scope list', exit: 0 },
    'list by GET with list=true': { line: 'kmip scope list', exit: 0 },
    'list: none': { line: 'kmip scope list', exit: 0 },
    'delete: empty scope': {
      line: 'kmip scope delete databases --yes',
      exit: 0,
      done: '{"action":"write","planned":false,"scope":"databases","changed":null,"confirmed":false}',
    },
    'delete: scope holding managed objects': { line: 'kmip scope delete backup-arrays --yes', exit: 6 },
    'delete: forced': {
      line: 'kmip scope delete backup-arrays --force --yes',
      exit: 0,
      done: '{"action":"write","planned":false,"scope":"backup-arrays","changed":null,"confirmed":false}',
    },
    'delete: absent scope': {
      line: 'kmip scope delete nothing-here --yes',
      exit: 0,
      done: '{"action":"write","planned":false,"scope":"nothing-here","changed":null,"confirmed":false}',
    },
  },
  '04_role.json': {
    'create: everything allowed': { line: 'kmip role set backup-arrays admin --all-operations', exit: 0 },
    'create: some operations and certificate overrides': {
      line: `kmip role set ${place} --operation activate,get,get_attributes --operation locate,discover-versions --tls-client-key-type ec --tls-client-key-bits 256 --tls-client-ttl 720h`,
      exit: 0,
      body: {
        ...granting('activate', 'get', 'get_attributes', 'locate', 'discover_versions'),
        tls_client_key_type: 'ec',
        tls_client_key_bits: 256,
        tls_client_ttl: 2_592_000,
      },
    },
    'create: nothing allowed': { line: 'kmip role set backup-arrays closed --no-operations', exit: 0 },
    'create: each of the sixteen operations by name': {
      line: `kmip role set backup-arrays named --operation ${operations.join(',')}`,
      exit: 0,
    },
    'create: RSA client key': {
      line: 'kmip role set backup-arrays legacy --all-operations --tls-client-key-type rsa --tls-client-key-bits 2048 --tls-client-ttl 1d',
      exit: 0,
    },
    'read: everything allowed': { line: 'kmip role get backup-arrays admin', exit: 0 },
    'read: older engine, flags only': { line: 'kmip role get backup-arrays admin', exit: 0 },
    'read: some operations with overrides': { line: `kmip role get ${place}`, exit: 0 },
    'read: nothing allowed': { line: 'kmip role get backup-arrays closed', exit: 0 },
    'read: absent role': { line: 'kmip role get backup-arrays nobody', exit: 3, words: 'no role nobody' },
    list: { line: 'kmip role list backup-arrays', exit: 0 },
    'list: none': { line: 'kmip role list databases', exit: 0 },
    'update: narrow to two operations': {
      line: 'kmip role set backup-arrays admin --operation get,locate',
      exit: 0,
      body: granting('get', 'locate'),
    },
    'read after the update': { line: 'kmip role get backup-arrays admin', exit: 0 },
    delete: {
      line: 'kmip role delete backup-arrays closed --yes',
      exit: 0,
      done: '{"action":"write","planned":false,"role":"closed","changed":null,"scope":"backup-arrays","confirmed":false}',
    },
  },
  '05_credential.json': {
    'generate: format pem': { line: `kmip cred generate ${place}`, exit: 0 },
    'generate: no format sent, newer engine (pem_bundle is its default)': {
      line: `kmip cred generate ${place}`,
      exit: 0,
      body: { format: 'pem' },
    },
    'generate: pem_bundle': { line: `kmip cred generate ${place} --format pem_bundle`, exit: 0 },
    'generate: der': { line: `kmip cred generate ${place} --format der`, exit: 0 },
    'generate: RSA role': { line: 'kmip cred generate backup-arrays legacy', exit: 0 },
    sign: { line: `kmip cred sign ${place} --csr -`, exit: 0, stdin: 'csr' },
    'sign: key of the CSR does not match the role': { line: `kmip cred sign ${place} --csr -`, exit: 6, stdin: 'csr' },
    lookup: { line: `kmip cred lookup ${place} ${first}`, exit: 0 },
    'lookup: der': {
      line: `kmip cred lookup ${place} 516101924497356295867505948614131652059725973199 --format der`,
      exit: 0,
    },
    'lookup: unknown serial': { line: `kmip cred lookup ${place} 1`, exit: 3, words: 'no certificate… 1"' },
    list: { line: `kmip cred list ${place}`, exit: 0 },
    'list: none': { line: 'kmip cred list backup-arrays legacy', exit: 0 },
    'revoke: by serial number': { line: `kmip cred revoke ${place} --serial ${first} --yes`, exit: 0 },
    'revoke: by certificate': {
      line: `kmip cred revoke ${place} --certificate - --yes`,
      exit: 0,
      stdin: 'certificate',
    },
    'revoke: serial given as colon separated hexadecimal': {
      line: `kmip cred revoke ${place} --serial 55:f2:f2:0b:35:16:6b:6b:f3:59:15:ac:cc:7b:d4:81:21:30:d5:83 --yes`,
      exit: 6,
      body: { serial_number: first },
    },
  },
  '06_errors.json': {
    'no engine at that path': { line: 'kmip config get', exit: 3, words: absent },
    'no token': { line: 'kmip config get', exit: 4 },
    'Vault words for a wrong token': { line: 'kmip config get', exit: 4, words: 'permission denied; invalid token' },
    'policy refuses': {
      line: 'kmip role set backup-arrays admin --all-operations',
      exit: 4,
      words: 'needed: create or update on kmip/scope/backup-arrays/role/admin',
    },
    sealed: { line: 'kmip ca', exit: 1, words: 'unseal' },
    'role in an absent scope': {
      line: 'kmip role set none r --all-operations',
      exit: 3,
      words: 'tug kmip scope create none',
    },
  },
  '07_newer_vault2.json': {
    'role bound to a named CA and using newer operations': {
      line: 'kmip role set backup-arrays signer --operation sign,signature_verify,create_key_pair --no-check',
      exit: 0,
      body: granting('sign', 'signature_verify', 'create_key_pair'),
    },
    'read that role': { line: 'kmip role get backup-arrays signer', exit: 0 },
  },
}

/** Answers to requests that commands refuse to send: exit 2. */
export const refused: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '05_credential.json': {
    'lookup: no serial': `kmip cred lookup ${place}`,
    'revoke: both given': `kmip cred revoke ${place} --serial ${first} --certificate - --yes`,
    'revoke: neither given': `kmip cred revoke ${place} --yes`,
  },
  '06_errors.json': {
    'wrong field type': 'kmip config set --tls-ca-key-bits many',
    'bad key type': 'kmip config set --tls-ca-key-type dsa',
    'operation_all with another operation': 'kmip role set backup-arrays mixed --all-operations --operation get',
  },
}

const mounting = 'mounting an engine is no call of the engine'
const later = 'a call of a later release'

/** Answers that no command gets, and why. */
export const outOfScope: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '00_engine_absent_live.json': {
    'enable the engine: not in the catalog': mounting,
    preflight: 'no call is made but the one that is asked for',
  },
  '01_config.json': { 'write: through PUT (the method the official CLI sends)': 'writes are sent by POST' },
  '03_scope.json': { 'create with an empty object': 'a scope is made without a body' },
  '06_errors.json': {
    'licence lacks the KMIP module': mounting,
    'engine type unknown (OpenBao)': mounting,
  },
  '07_newer_vault2.json': {
    'generate a named CA': later,
    'import a CA': later,
    'read a named CA': later,
    'update an imported CA': later,
    'list CAs': later,
    'delete a CA': later,
    'write a listener': later,
    'read a listener': later,
    'list listeners': later,
    'delete a listener': later,
  },
}
