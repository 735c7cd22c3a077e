import { expect, test } from 'vitest'
import { documentDiff } from '../../../src/commands/job/plan/documents.ts'
import { exportedFiles } from '../../../src/commands/job/export.ts'
import { changeLines, changeOf } from '../../../src/commands/job/versions.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { JsonNumber } from '../../../src/core/json.ts'

/** How two versions of a job differ: each kind of member, changed, added and deleted. */

const group = (more: JsonObject) => ({ TaskGroups: [{ Name: 'app', ...more }] })
const task = (more: JsonObject) => group({ Tasks: [{ Name: 'srv', ...more }] })
const condition = (RTarget: string) => [{ LTarget: 'a', Operand: '=', RTarget }]
const check = (value: string) => ({ Checks: [{ Type: 'http', Header: { A: [value] } }] })

test.each<[before: JsonObject, after: JsonObject, lines: string[]]>([
  [{ Priority: 50 }, { Priority: 60 }, ['priority 50 → 60']],
  [{ Region: '' }, { Region: 'eu' }, ['region added']],
  [{ Region: 'eu' }, { Region: null }, ['region deleted']],
  [{ Version: 1, Stop: true, Status: 'dead' }, { Version: 2, Stop: false, Status: 'running' }, []],

  [{ Datacenters: ['a'] }, { Datacenters: ['b'] }, ['datacenters -a +b']],
  [{ Datacenters: ['a', 'b'] }, { Datacenters: ['c', 'a'] }, ['datacenters -b +c  (1 kept)']],
  [{ Datacenters: [] }, { Datacenters: ['b'] }, ['datacenters added']],
  [{}, { Datacenters: ['b'] }, ['datacenters added']],
  [{ Datacenters: ['b'] }, { Datacenters: [] }, ['datacenters deleted']],
  [{ Datacenters: ['b'] }, {}, ['datacenters deleted']],

  [{ Meta: { a: '1', b: '2' } }, { Meta: { b: '3', c: '4' } }, ['meta.a deleted, meta.b 2 → 3, meta.c added']],
  [{ Meta: { a: '1' } }, {}, ['meta.a deleted']],
  [{ Meta: null }, { Meta: { a: '1' } }, ['meta.a added']],

  [{ Update: { MaxParallel: 2 } }, { Update: { MaxParallel: 3 } }, ['update.max_parallel 2 → 3']],
  [{ Update: null }, { Update: { MaxParallel: 2, Canary: 0 } }, ['update added']],
  [{ Update: { MaxParallel: 2 } }, {}, ['update deleted']],
  [
    { Multiregion: { Strategy: { MaxParallel: 1 } } },
    { Multiregion: { Strategy: { MaxParallel: 2 } } },
    ['multiregion.strategy.max_parallel 1 → 2'],
  ],

  [{ Constraints: null }, { Constraints: condition('b') }, ['constraint added']],
  [{ Constraints: condition('b') }, { Constraints: condition('c') }, ['constraint deleted, constraint added']],
  [{ Policies: [{ Name: 'a' }] }, { Policies: [] }, ['policy deleted']],

  [group({ Count: 1 }), group({ Count: 2 }), ['app: count 1 → 2']],
  [group({}), {}, ['group app deleted']],
  [{}, group({}), ['group app added']],
  [group({}), { TaskGroups: [{ Name: 'other' }] }, ['group app deleted', 'group other added']],
  [task({}), group({}), ['task app.srv deleted']],
  [group({}), task({}), ['task app.srv added']],

  [
    task({ Identity: { Name: 'default', Env: true } }),
    task({ Identity: { Name: 'default', Env: false } }),
    ['app.srv: identity env true → false'],
  ],
  [
    group({ Networks: [{ DNS: { Options: ['ndots:1'] } }] }),
    group({ Networks: [{ DNS: { Options: ['ndots:2'] } }] }),
    ['app: network deleted, network added'],
  ],
  [{ DNS: { Options: ['ndots:1'] } }, { DNS: { Options: ['ndots:2'] } }, ['dns.options -ndots:1 +ndots:2']],
  [
    task({ Config: { a: new JsonNumber('20.0'), b: 1 } }),
    task({ Config: { a: 20, b: 2 } }),
    ['app.srv: config.b 1 → 2'],
  ],
  [task({ Env: { A: '1' } }), task({ Env: { A: '2', B: '3' } }), ['app.srv: env.A 1 → 2, env.B added']],
  [
    task({ Config: { args: ['a', 'b'], auth: [{ user: 'x' }], ports: null } }),
    task({ Config: { args: ['a', 'c', 'd'], auth: [{ user: 'y' }], ports: ['http'] } }),
    [
      'app.srv: config.args[1] b → c, config.auth[0].user (masked, differs), config.args[2] added, config.ports[0] added',
    ],
  ],
  [task({ Config: { image: 'a' } }), task({ Config: null }), ['app.srv: config.image deleted']],
  [
    task({ Services: [{ Name: 'a', PortLabel: 'x' }, { Name: 'b' }, { Name: 'd' }] }),
    task({ Services: [{ Name: 'b' }, { Name: 'a', PortLabel: 'y' }, { Name: 'c', PortLabel: 'z' }] }),
    ['app.srv: service d deleted, service a port x → y, service c added'],
  ],
  [
    task({ Services: [{ Name: 'a', PortLabel: 'x', Provider: 'nomad' }] }),
    task({ Services: [{ Name: 'b', PortLabel: 'x', Provider: 'nomad' }] }),
    ['app.srv: service b name a → b'],
  ],
  [
    task({ Services: [{ Name: 'a', ...check('1') }] }),
    task({ Services: [{ Name: 'a', ...check('2') }] }),
    ['app.srv: service a (check deleted, check added)'],
  ],
  [
    task({ Templates: [{ DestPath: 'a', EmbeddedTmpl: 'x' }] }),
    task({ Templates: [{ DestPath: 'a', EmbeddedTmpl: 'y' }] }),
    ['app.srv: template a data x → y'],
  ],
  [
    task({ Artifacts: [{ GetterSource: 'a', RelativeDest: 'x' }] }),
    task({ Artifacts: [{ GetterSource: 'b', RelativeDest: 'x', GetterOptions: { k: 'v' } }] }),
    ['app.srv: artifact x (source a → b, options.k added)'],
  ],
  [
    task({ VolumeMounts: [{ Volume: 'd', Destination: '/a' }] }),
    task({ VolumeMounts: [{ Volume: 'd', Destination: '/a', ReadOnly: true }] }),
    ['app.srv: volume_mount /a read_only added'],
  ],
  [
    task({ Actions: [{ Name: 'x', Args: ['1'] }] }),
    task({ Actions: [{ Name: 'x', Args: ['2'] }] }),
    ['app.srv: action x args -1 +2'],
  ],
  [
    task({ Secrets: [{ Name: 'x', Path: 'a' }] }),
    task({ Secrets: [{ Name: 'x', Path: 'b' }] }),
    ['app.srv: secret x path a → b'],
  ],
])('%j → %j: %j', (before, after, lines) => expect(changeLines(documentDiff(before, after), false)).toEqual(lines))

test.each([
  ['DynamicPorts', { Label: 'a', To: 1 }, 'Dynamic Port'],
  ['ReservedPorts', { Label: 'a', Value: 1 }, 'Static Port'],
  ['Policies', { Name: 'a' }, 'Policy'],
  ['Services', { Name: 'a' }, 'Service'],
])("an item of %s has the name of the server's blocks", (key, item, name) => {
  expect(documentDiff({}, { [key]: [item] }).Objects).toMatchObject([{ Type: 'Added', Name: name }])
})

test.each([
  'Version',
  'Stable',
  'Status',
  'StatusDescription',
  'SubmitTime',
  'CreateIndex',
  'ModifyIndex',
  'JobModifyIndex',
  'VersionTag',
  'NomadTokenID',
  'SchedulerTokenID',
])("%s is the server's: it is no change of a version, and not exported", (key) => {
  const [before, after] = [
    { ID: 'web', [key]: 1 },
    { ID: 'web', [key]: 2 },
  ]
  expect(changeLines(documentDiff(before, after), true)).toEqual([])
  expect(changeOf([after, before], 0)).toMatch(/^same as /)
  expect(JSON.parse(exportedFiles(after, undefined)[0]?.content ?? '')).toEqual({ ID: 'web' })
})

test.each(['Dispatched', 'DispatchIdempotencyToken', 'ParentID', 'Payload'])('%s is not exported', (key) => {
  const [file] = exportedFiles({ ID: 'web', [key]: 'x' }, undefined)
  expect(JSON.parse(file?.content ?? '')).toEqual({ ID: 'web' })
})
