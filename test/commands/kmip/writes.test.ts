import { test } from 'vitest'
import { story } from '../../support/story.ts'

test('what changes scopes, roles and the engine says so', () =>
  story('kmip-writes', [
    'kmip scope create fleet',
    'kmip scope create fleet',
    'kmip role list fleet',
    'kmip role set fleet reader --operation get --operation locate --tls-client-ttl 1d --plan',
    'kmip role set fleet reader --operation get --operation locate',
    'kmip role set fleet reader --operation get --tls-client-ttl 1h',
    'kmip role delete fleet reader',
    'kmip role delete fleet reader --yes',
    'kmip role delete fleet reader --yes',
    'kmip scope delete fleet --yes',
    'kmip scope delete storage',
    'kmip scope delete storage --force',
    'kmip scope delete storage --yes',
    'kmip scope delete storage --force --yes',
    'kmip config set',
    "kmip config set --connection-timeout 5s --server-hostnames a,b --server-ips '' --default-tls-client-ttl 30d --plan",
    'kmip config set --tls-ca-key-type ec --tls-ca-key-bits 256 --default-tls-client-ttl 1d',
    'kmip config get -o json',
  ]))
