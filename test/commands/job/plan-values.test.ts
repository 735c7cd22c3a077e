import { expect, test } from 'vitest'
import {
  byName,
  hasSecret,
  isMasked,
  maskedDiff,
  maskedMember,
  maskedSides,
} from '../../../src/commands/job/plan/masks.ts'

/** Each mask: what is hidden because it looks secret, what with `--mask all`, and what never. */

test.each([
  ['Task', 'Env[LOG_LEVEL]', 'debug', false, true],
  ['Task', 'Env[DB_PASSWORD]', 'short', true, true],
  ['Task', 'Env[DB_URL]', 'postgres://u:p@db', true, true],
  ['Task', 'Env[DB_URL]', 'postgres://db', false, true],
  ['Task', 'Env[SOMETHING]', 'a1b2c3d4e5f6a7b8c9', true, true],
  ['Job', 'Meta[owner]', 'team-a', false, true],
  ['Job', 'Meta[deploy_token]', 'x', true, true],
  ['Service', 'CanaryMeta[a]', 'b', false, true],
  ['Artifact', 'GetterHeaders[a]', 'b', true, true],
  ['Artifact', 'GetterOptions[a]', 'b', true, true],
  ['Task', 'PassEnv[A]', 'b', false, false],
  ['Template', 'EmbeddedTmpl', 'b', true, true],
  ['Template', 'DestPath', 'b', false, false],
  ['Other', 'EmbeddedTmpl', 'b', false, false],
  ['Header', 'Value', 'b', true, true],
  ['Job', 'VaultToken', 'b', true, true],
  ['Job', 'ConsulToken', 'b', true, true],
  ['Job', 'SecretsToken', 'b', true, true],
  ['Job', 'DiscoveryToken', 'b', true, true],
  ['Job', 'Priority', '50', false, false],
  ['Config', 'auth_token', 'b', true, true],
  ['Config', 'db_password', 'b', true, true],
  ['Config', 'image', 'registry.example/web:1f2', false, true],
  ['Task', 'Options[api_key]', 'b', true, true],
  ['Task', 'Options[size]', 'b', false, false],
  ['Task', 'User', 'ghp_0123456789abcdef', true, true],
])('of the block %s, %s = %s is masked: %j, with --mask all: %j', (block, name, value, secrets, all) => {
  expect(isMasked(block, name, [value], 'secrets')).toBe(secrets)
  expect(isMasked(block, name, [value], 'all')).toBe(all)
  expect(isMasked(block, name, [value], 'none')).toBe(false)
})

test.each([
  [
    ['--password', 'hunter2'],
    ['--password', '<redacted>'],
  ],
  [
    ['--api-key=k', '-v'],
    ['--api-key=<redacted>', '-v'],
  ],
  [
    ['-c', 'PGPASSWORD=hunter2 psql -h db'],
    ['-c', 'PGPASSWORD=<redacted> psql -h db'],
  ],
  [['login --password hunter2 now'], ['login --password <redacted> now']],
  [
    ['--token', '--verbose'],
    ['--token', '<redacted>'],
  ],
  [
    ['--level', 'debug', 'https://x/y?token=t&a=1'],
    ['--level', 'debug', 'https://x/y?token=<redacted>&a=1'],
  ],
])('arguments %j are shown as %j', (given, shown) => {
  const fields = given.map((New, index) => ({ Name: `args[${index}]`, Type: 'Added', Old: '', New }))
  expect(fields.map((field) => maskedSides('Config', field, byName(fields), 'secrets')[1])).toEqual(shown)
  expect(fields.map((field) => maskedSides('Config', field, byName(fields), 'none')[1])).toEqual(given)
})

test('members of a set beside a flag that takes a secret are masked, because their order is lost', () => {
  const all = ['--password', 'hunter2', '-v']
  expect(hasSecret(all.map((New) => ({ New })))).toBe(true)
  expect(hasSecret([{ Old: '--password' }])).toBe(true)
  expect(hasSecret([{ New: '-c' }, { Old: 'echo' }])).toBe(false)
  expect(all.map((one) => maskedMember(one, true, 'secrets'))).toEqual(['--password', '<redacted>', '-v'])
  expect(maskedMember('echo', false, 'secrets')).toBe('echo')
  expect(maskedMember('echo', false, 'all')).toBe('<redacted>')
})

test('data has the same masks as text, and sides that differ only in what is masked say so', () => {
  const edited = (Name: string, Old: string, New: string) => ({ Name, Type: 'Edited', Old, New })
  const diff = {
    Type: 'Edited',
    Fields: [edited('Meta[owner]', 'a', 'b'), edited('Meta[token]', 'one', 'two')],
    TaskGroups: [
      {
        Tasks: [
          {
            Fields: [edited('Env[DB_PASSWORD]', 'one', 'two')],
            Objects: [
              { Name: 'Artifact', Fields: [edited('GetterSource', 'https://x?token=1', 'https://x?token=2')] },
              { Name: 'Args', Fields: [{ Name: 'Args', Type: 'Added', Old: '', New: '--api-key=k' }] },
            ],
          },
        ],
      },
    ],
  }
  expect(JSON.parse(JSON.stringify(maskedDiff(diff, 'secrets')))).toEqual({
    Type: 'Edited',
    Fields: [edited('Meta[owner]', 'a', 'b'), edited('Meta[token]', '(masked)', '(masked, differs)')],
    TaskGroups: [
      {
        Tasks: [
          {
            Fields: [edited('Env[DB_PASSWORD]', '(masked)', '(masked, differs)')],
            Objects: [
              {
                Name: 'Artifact',
                Fields: [edited('GetterSource', 'https://x?token=<redacted>', 'https://x?token=<redacted> (differs)')],
              },
              { Name: 'Args', Fields: [{ Name: 'Args', Type: 'Added', Old: '', New: '--api-key=<redacted>' }] },
            ],
          },
        ],
      },
    ],
  })
  expect(maskedDiff(diff, 'none')).toBe(diff)
})
