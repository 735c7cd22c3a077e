import { expect, test } from 'vitest'
import { isSecret } from '../../../src/commands/job/plan/values.ts'

test.each([
  ['Task', 'Env[A]', true],
  ['Task', 'Meta[a]', true],
  ['Service', 'CanaryMeta[a]', true],
  ['Artifact', 'GetterHeaders[a]', true],
  ['Artifact', 'GetterOptions[a]', true],
  ['Task', 'Env', false],
  ['Task', 'PassEnv[A]', false],
  ['Periodic', 'MaxMeta[a]', false],
  ['Template', 'EmbeddedTmpl', true],
  ['Template', 'DestPath', false],
  ['Other', 'EmbeddedTmpl', false],
  ['Header', 'Value', true],
  ['Job', 'VaultToken', true],
  ['Job', 'ConsulToken', true],
  ['Job', 'SecretsToken', true],
  ['Job', 'DiscoveryToken', true],
  ['Job', 'Priority', false],
  ['Config', 'auth_token', true],
  ['Config', 'db_password', true],
  ['Config', 'image', false],
  ['Task', 'Options[api_key]', true],
  ['Task', 'Options[size]', false],
])('of the block %s, %s is secret: %j', (block, name, expected) => {
  expect(isSecret(block, name)).toBe(expected)
})
