import { expect, test } from 'vitest'
import { maskedDiff } from '../../../src/commands/job/plan/masks.ts'

/** The values of added fields of a block as they are shown. */
function shownIn(block: string, fields: readonly (readonly [name: string, value: string])[]) {
  const Fields = fields.map(([Name, New]) => ({ Name, Type: 'Added', Old: '', New }))
  const { Objects } = maskedDiff({ Objects: [{ Name: block, Fields }] })
  return Objects?.[0]?.Fields?.map(({ New }) => New)
}

test.each([
  ['Task', 'Env[LOG_LEVEL]', 'debug', false],
  ['Task', 'Env[DB_PASSWORD]', 'short', true],
  ['Task', 'Env[DB_URL]', 'postgres://u:p@db', true],
  ['Task', 'Env[DB_URL]', 'postgres://db', false],
  ['Task', 'Env[SOMETHING]', 'a1b2c3d4e5f6a7b8c9', true],
  ['Job', 'Meta[owner]', 'team-a', false],
  ['Job', 'Meta[deploy_token]', 'x', true],
  ['Service', 'CanaryMeta[a]', 'b', false],
  ['Artifact', 'GetterHeaders[a]', 'b', true],
  ['Artifact', 'GetterOptions[a]', 'b', true],
  ['Task', 'PassEnv[A]', 'b', false],
  ['Template', 'EmbeddedTmpl', 'b', false],
  ['Template', 'DestPath', 'b', false],
  ['Other', 'EmbeddedTmpl', 'b', false],
  ['Header', 'Value', 'b', true],
  ['Job', 'VaultToken', 'b', true],
  ['Job', 'ConsulToken', 'b', true],
  ['Job', 'SecretsToken', 'b', true],
  ['Job', 'DiscoveryToken', 'b', true],
  ['Job', 'Priority', '50', false],
  ['Config', 'auth_token', 'b', true],
  ['Config', 'db_password', 'b', true],
  ['Config', 'image', 'registry.example/web:1f2', false],
  ['Task', 'Options[api_key]', 'b', true],
  ['Task', 'Options[size]', 'b', false],
  ['Task', 'User', 'ghp_0123456789abcdef', true],
])('of the block %s, %s = %s is masked: %j', (block, name, value, isMasked) => {
  expect(shownIn(block, [[name, value]])).toEqual([isMasked ? '(masked)' : value])
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
  const fields = given.map((value, index) => [`args[${index}]`, value] as const)
  expect(shownIn('Config', fields)).toEqual(shown)
})

test('members of a set beside a flag that takes a secret are masked, because their order is lost', () => {
  const set = (members: readonly string[]) =>
    shownIn(
      'Words',
      members.map((member) => ['Words', member] as const),
    )
  expect(set(['--password', 'hunter2', '-v'])).toEqual(['--password', '<redacted>', '-v'])
  expect(set(['-c', 'echo'])).toEqual(['-c', 'echo'])
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
  expect(JSON.parse(JSON.stringify(maskedDiff(diff)))).toEqual({
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
})
