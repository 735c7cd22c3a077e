import { describe, expect, test } from 'vitest'
import { JsonNumber, stringifyJson } from '../../../src/core/json.ts'
import { diagnostics, firstGroup, firstTask, parse, refusal } from './support.ts'

const inTask = (body: string): string => `job "x" {\ngroup "g" {\ntask "t" {\n${body}\n}\n}\n}\n`
const inGroup = (body: string): string => `job "x" {\ngroup "g" {\n${body}\n}\n}\n`

const taskBlocks: readonly (readonly [body: string, member: string, value: unknown])[] = [
  ['driver = "mock"', 'Driver', 'mock'],
  ['kill_timeout = "1h1m1.5s"', 'KillTimeout', 3_661_500_000_000],
  ['shutdown_delay = 5', 'ShutdownDelay', 5],
  ['env = { "a.b" = 1 }', 'Env', { 'a.b': '1' }],
  ['env {\n A = true\n B = "${NOMAD_PORT_x}"\n}', 'Env', { A: 'true', B: '${NOMAD_PORT_x}' }],
  ['meta { a = 1 }', 'Meta', { a: '1' }],
  ['config {\n a = [1]\n b { c = 2 }\n b { c = 3 }\n}', 'Config', { a: [1], b: [{ c: 2 }, { c: 3 }] }],
  [
    'constraint {\n attribute = "${attr.a}"\n value = "b"\n}',
    'Constraints',
    [{ LTarget: '${attr.a}', Operand: '=', RTarget: 'b' }],
  ],
  [
    'constraint {\n attribute = "a"\n version = ">= 1"\n}',
    'Constraints',
    [{ LTarget: 'a', Operand: 'version', RTarget: '>= 1' }],
  ],
  [
    'constraint {\n distinct_hosts = true\n}',
    'Constraints',
    [{ LTarget: '', Operand: 'distinct_hosts', RTarget: 'true' }],
  ],
  ['constraint {\n distinct_hosts = false\n}', 'Constraints', [{ Operand: 'distinct_hosts', RTarget: 'false' }]],
  ['meta { a = 12345678901234567890 }', 'Meta', { a: '12345678901234567890' }],
  ['meta { a = 0.12345678901234567890 }', 'Meta', { a: '0.1234567890123456789' }],
  ['config { a = 123456789012345678 }', 'Config', { a: new JsonNumber('123456789012345678') }],
  ['shutdown_delay = 123456789012345678', 'ShutdownDelay', new JsonNumber('123456789012345678')],
  [
    'constraint {\n distinct_property = "p"\n value = 2\n}',
    'Constraints',
    [{ LTarget: 'p', Operand: 'distinct_property', RTarget: '2' }],
  ],
  [
    'affinity {\n regexp = "r"\n weight = -5\n}',
    'Affinities',
    [{ LTarget: '', Operand: 'regexp', RTarget: 'r', Weight: -5 }],
  ],
  [
    'template {\n data = <<EOF\na\nEOF\n}',
    'Templates',
    [{ EmbeddedTmpl: 'a\n', ChangeMode: 'restart', Perms: '0644', Splay: 5e9, ErrMissingKey: false }],
  ],
  ['vault { role = "r" }', 'Vault', { Role: 'r', Env: true, ChangeMode: 'restart' }],
  [
    'artifact {\n source = "s"\n options { depth = 1 }\n}',
    'Artifacts',
    [{ GetterSource: 's', GetterOptions: { depth: '1' } }],
  ],
  ['logs { max_files = 3 }', 'LogConfig', { MaxFiles: 3, Enabled: null }],
  ['lifecycle { hook = "prestart" }', 'Lifecycle', { Hook: 'prestart', Sidecar: false }],
]

const groupBlocks: readonly (readonly [body: string, member: string, value: unknown])[] = [
  [
    'network {\n port "a" { to = 1 }\n port "b" { static = 2 }\n}',
    'Networks',
    [{ DynamicPorts: [{ Label: 'a', To: 1 }], ReservedPorts: [{ Label: 'b', Value: 2 }] }],
  ],
  ['network {\n port "b" { static = 2 }\n }', 'Networks', [{ DynamicPorts: null }]],
  [
    'spread {\n attribute = "a"\n target "x" { percent = 60 }\n}',
    'Spreads',
    [{ Attribute: 'a', SpreadTarget: [{ Value: 'x', Percent: 60 }] }],
  ],
  [
    'scaling {\n max = 5\n policy { a = [{ b = 1 }] }\n}',
    'Scaling',
    { Type: 'horizontal', Max: 5, Policy: { a: [{ b: 1 }] } },
  ],
  [
    'scaling {\n max = 5\n policy {\n a = 1\n check "avg" {\n strategy "x" "y" { b = 1 }\n }\n check "max" {}\n }\n}',
    'Scaling',
    { Policy: { a: 1, check: [{ avg: [{ strategy: [{ x: [{ y: [{ b: 1 }] }] }] }] }, { max: [{}] }] } },
  ],
  ['ephemeral_disk { size = 500 }', 'EphemeralDisk', { SizeMB: 500, Sticky: null }],
  [
    'service {\n check {\n type = "http"\n interval = "10s"\n header { A = ["b"] }\n}\n}',
    'Services',
    [{ Checks: [{ Type: 'http', Interval: 1e10, Header: { A: ['b'] } }] }],
  ],
]

/** Faults of bodies that start in line 4 of a task. */
const refused: readonly (readonly [body: string, fault: string])[] = [
  ['kill_timeout = "5"', '4,16-19: Unsuitable value type'],
  ['kill_timeout = true', '4,16-20: Unsuitable value type'],
  ['kill_timeout = 0.5', '4,16-19: Unsuitable value type'],
  ['leader = "maybe"', '4,10-17: Unsuitable value type'],
  ['env { A = [] }', '4,11-13: Unsuitable value type'],
  ['env = []', '4,7-9: Unsuitable value type'],
  ['logs {}\nlogs {}', '5,1-5: Duplicate logs block'],
  ['logs "a" {}', '4,1-5: Extraneous label for logs'],
  ['action { command = "c" }', '4,1-7: Missing name for action'],
  ['action "a" {}', '4,12-13: Missing required argument'],
  ['logs = {}', '4,1-5: Unsupported argument'],
  ['driver {}', '4,1-7: Unsupported block type'],
  ['config { a = local.nope }', '4,14-24: Unsupported attribute'],
]

describe('tasks', () => {
  test.each(taskBlocks)('%j', (body, member, value) => {
    expect({ value: firstTask(parse(inTask(body)))[member] }).toMatchObject({ value })
  })

  test.each(refused)('%j is refused', (body, expected) => {
    expect(refusal(inTask(body)).split('\n')[0]).toBe(`input.hcl:${expected}`)
  })

  test('several faults are reported together, with similar names', () => {
    const [first = '', second = ''] = diagnostics(inTask('drver = "x"\nlgs {}')).split('\n')
    expect(first).toContain('Did you mean "driver"?')
    expect(second).toContain('Did you mean "logs"?')
  })

  test('a duration is in nanoseconds', () => {
    const source = (text: string): string =>
      stringifyJson(firstTask(parse(inTask(`kill_timeout = "${text}"`))).KillTimeout)
    expect(source('2.3s')).toBe('2300000000')
    expect(source('-1.5us')).toBe('-1500')
    expect(source('0')).toBe('0')
  })
})

describe('groups', () => {
  test.each(groupBlocks)('%j', (body, member, value) => {
    expect({ value: firstGroup(parse(inGroup(body)))[member] }).toMatchObject({ value })
  })
})

test.each([
  ['job', 'multiregion {}'],
  ['job', 'dynamic "group" {}'],
  ['group', 'volume "data" {}'],
  ['group', 'vault {}'],
  ['group', 'service {\nconnect {}\n}'],
  ['group', 'network {\ndns {}\n}'],
  ['task', 'identity {}'],
  ['task', 'csi_plugin {}'],
  ['task', 'volume_mount {}'],
  ['task', 'resources {\ndevice "gpu" {}\n}'],
  ['task', 'template {\nwait {}\n}'],
])('in a %s, %j is refused as what the local server does not have', (place, body) => {
  const [name = ''] =
    body
      .split('\n')
      .at(body.includes('\n') ? 1 : 0)
      ?.split(' ') ?? []
  const source = { job: `job "x" {\n${body}\n}`, group: inGroup(body), task: inTask(body) }[place] ?? ''
  expect(diagnostics(source)).toContain(`The local server has no blocks of type "${name}".`)
})

describe('jobs', () => {
  test('ID and name may differ from the label', () => {
    expect(parse('job "x" {\nid = "i"\nname = "n"\n}')).toMatchObject({ ID: 'i', Name: 'n', TaskGroups: null })
  })

  test.each([
    ['jub "x" {}', 'input.hcl:1,1-4: Unsupported block type'],
    ['job = 1', 'input.hcl:1,1-4: Unsupported argument'],
    ['job {}', 'input.hcl:1,1-4: Missing name for job'],
    ['', '<nil>: Missing job block'],
  ])('%j is refused', (source, expected) => {
    expect(refusal(source)).toBe(expected)
  })
})
