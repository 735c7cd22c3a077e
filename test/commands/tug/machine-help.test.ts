import { expect, test } from 'vitest'
import { tug } from '../../support/run.ts'

interface Described {
  readonly command: string
  readonly effect: string
  readonly flags: readonly { name: string; type: string; environment: string[]; needs: string[]; excludes: string[] }[]
  readonly exit_codes: readonly number[]
  readonly endpoints: readonly object[]
  readonly examples: readonly { line: string }[]
  readonly result: { format: string; shape?: object }
}

async function help(line: string) {
  const { exit, stdout, stderr } = await tug(`${line} -o json`)
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  return JSON.parse(stdout) as {
    version: string
    commands: Described[]
    global_flags: object[]
    exit_codes: { code: number }[]
  }
}

test('help -o json has every command with its effect, flags, exit codes and examples', async () => {
  const { commands, version, exit_codes } = await help('help')
  expect(version).toMatch(/^\d+\.\d+/)
  expect(commands.length).toBeGreaterThan(80)
  const codes = new Set(exit_codes.map(({ code }) => code))
  for (const one of commands) {
    expect(one.examples.length, one.command).toBeGreaterThan(0)
    expect(
      one.exit_codes.every((code) => codes.has(code)),
      one.command,
    ).toBe(true)
  }
})

test.each([
  ['kv get', 'reads'],
  ['job plan', 'reads'],
  ['kv put', 'writes'],
  ['job action', 'writes'],
  ['kv metadata delete', 'destroys'],
  ['job stop', 'destroys'],
  ['explorer fields', 'local'],
  ['api', 'destroys'],
  ['status', 'reads'],
  ['login', 'reads'],
])('%s %s', async (command, effect) => {
  const { commands } = await help(`help ${command}`)
  expect(commands.map((one) => [one.command, one.effect])).toEqual([[command, effect]])
})

test.each(['api', 'login', 'status'])('%s can fail as the service that it asks does', async (command) => {
  const { commands } = await help(`help ${command}`)
  expect(commands[0]?.exit_codes).toEqual(expect.arrayContaining([3, 4, 6, 7]))
})

test('a command that compares without a flag for that can exit with 9', async () => {
  const { commands } = await help('help kv verify')
  expect(commands[0]?.exit_codes).toContain(9)
})

test.each(['kv audit', 'kv history', 'kv rollback', 'kv verify', 'kv backup', 'kv tree'])(
  '%s names the request that explains an empty mount',
  async (command) => {
    const { commands } = await help(`help ${command}`)
    expect(commands[0]?.endpoints).toContainEqual(
      expect.objectContaining({ path: '/v1/sys/internal/ui/mounts/{mount}' }),
    )
  },
)

test('flags have a type and their variables, results a shape', async () => {
  const { commands } = await help('help job allocs')
  const [allocs] = commands
  expect(allocs?.result.shape).toMatchObject([{ ID: 'string', 'NodeID?': 'string' }])
  const { commands: kv } = await help('help kv get')
  const flags = new Map(kv[0]?.flags.map((flag) => [flag.name, flag]))
  expect(flags.get('--version')?.type).toBe('integer')
  expect(flags.get('--mount')?.environment).toContain('TUG_KV_MOUNT')
  expect(flags.get('--wrap-ttl')?.excludes).toEqual(['<key>', '--field'])
  const [undelete] = (await help('help kv undelete')).commands
  expect(undelete?.flags.find(({ name }) => name === '--exit-code')?.needs).toEqual(['--plan'])
})

test('neither a command that does not exist nor a topic has JSON', async () => {
  expect(await tug('help nope -o json')).toMatchObject({ exit: 2, stdout: '' })
  const topic = await tug('help exit-codes -o json')
  expect(topic).toMatchObject({ exit: 2, stdout: '' })
  expect(topic.stderr).not.toContain('no command')
})
