import { expect, test } from 'vitest'
import type { Mask } from '../../../src/commands/job/plan/masks.ts'
import { maskedDiff } from '../../../src/commands/job/plan/masks.ts'

/** The values of added fields of a block as they are shown. */
function shownIn(block: string, fields: readonly (readonly [name: string, value: string])[], mask: Mask) {
  const Fields = fields.map(([Name, New]) => ({ Name, Type: 'Added', Old: '', New }))
  const { Objects } = maskedDiff({ Objects: [{ Name: block, Fields }] }, mask)
  return Objects?.[0]?.Fields?.map(({ New }) => New)
}

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
  const isMasked = (mask: Mask) => shownIn(block, [[name, value]], mask)?.[0] === '(masked)'
  expect([isMasked('secrets'), isMasked('all'), isMasked('none')]).toEqual([secrets, all, false])
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
  expect(shownIn('Config', fields, 'secrets')).toEqual(shown)
  expect(shownIn('Config', fields, 'none')).toEqual(given)
})

test('members of a set beside a flag that takes a secret are masked, because their order is lost', () => {
  const set = (members: readonly string[], mask: Mask) =>
    shownIn(
      'Words',
      members.map((member) => ['Words', member] as const),
      mask,
    )
  expect(set(['--password', 'hunter2', '-v'], 'secrets')).toEqual(['--password', '<redacted>', '-v'])
  expect(set(['-c', 'echo'], 'secrets')).toEqual(['-c', 'echo'])
  expect(set(['echo'], 'all')).toEqual(['<redacted>'])
  expect(shownIn('Args', [['Args', 'echo']], 'all')).toEqual(['(masked)'])
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
