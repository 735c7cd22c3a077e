import { expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import type { Dialect } from '../../../src/dev/http.ts'
import { createJobs } from '../../../src/dev/jobs/service.ts'
import { FakeClock, call, listOf, objectOf } from './calls.ts'

const template = { DestPath: 'a', EmbeddedTmpl: 'b' }
const task = { Name: 'main', Driver: 'mock', Config: { VaultError: 'kept' }, Templates: [template] }
const group = { Name: 'app', Networks: [{ DynamicPorts: [{ Label: 'http' }] }], Tasks: [task] }
const web = { ID: 'web', Datacenters: ['dc1'], TaskGroups: [group] }

async function start() {
  const clock = new FakeClock()
  const server = createJobs({ clock })
  const submission = { Source: 'job "web" {}', Format: 'hcl2' }
  await call(server, 'POST', '/v1/jobs', { body: { Job: web, Submission: submission } })
  clock.advance(3000)
  return (method: string, path: string, dialect: Dialect, body?: Json) =>
    call(server, method, path, { dialect, ...(body === undefined ? {} : { body }) })
}

it('names members in the dialect of the request', async () => {
  const ask = await start()
  const neutral = objectOf(await ask('GET', '/v1/job/web', 'neutral'))
  const product = objectOf(await ask('GET', '/v1/job/web', 'hashicorp'))
  expect(neutral).toMatchObject({ SchedulerTokenID: '', SecretsToken: '', DiscoveryToken: '', SecretsNamespace: '' })
  expect(neutral).not.toHaveProperty('NomadTokenID')
  expect(product).toMatchObject({ NomadTokenID: '' })
  expect(product).not.toHaveProperty('SchedulerTokenID')
  expect(neutral).toMatchObject({ TaskGroups: [{ Tasks: [{ Config: { VaultError: 'kept' } }] }] })
  const events = (dialect: Dialect) => ask('GET', '/v1/job/web/allocations', dialect).then((answer) => answer.text)
  expect(await events('neutral')).toContain('"SecretsError":""')
  expect(await events('hashicorp')).toContain('"VaultError":""')
})

it('takes its own answer as no change, in either dialect', async () => {
  const ask = await start()
  for (const dialect of ['neutral', 'hashicorp'] as const) {
    const job = (await ask('GET', '/v1/job/web', dialect)).json
    const registered = objectOf(await ask('POST', '/v1/job/web', dialect, { Job: job }))
    expect(Number(registered['JobModifyIndex'])).toBeLessThan(Number(registered['EvalCreateIndex']))
  }
})

it('names headers and members after the product only if it is asked as one', async () => {
  const ask = await start()
  for (const path of ['/v1/jobs', '/v1/job/web', '/v1/job/web/allocations', '/v1/job/web/evaluations']) {
    const { headers, text } = await ask('GET', path, 'neutral')
    expect(Object.keys(headers)).toEqual(
      expect.arrayContaining(['x-scheduler-index', 'x-scheduler-knownleader', 'x-scheduler-lastcontact']),
    )
    expect([...Object.keys(headers).join(' ').matchAll(/nomad/g)]).toEqual([])
    expect(text.replace('"VaultError":"kept"', '').match(/"\w*(?:Nomad|Consul|Vault)\w*":/g)).toBeNull()
    expect((await ask('GET', path, 'hashicorp')).headers).toHaveProperty('x-nomad-index')
  }
})

it('names members of a parsed job, and omits an evaluation of scaling that was not created, in the neutral dialect', async () => {
  const ask = await start()
  const source = { JobHCL: 'job "web" {}' }
  const parsed = objectOf(await ask('POST', '/v1/jobs/parse', 'neutral', source))
  expect(parsed).toMatchObject({ SecretsToken: '', DiscoveryToken: '' })
  expect(objectOf(await ask('POST', '/v1/jobs/parse', 'hashicorp', source))).not.toHaveProperty('VaultToken')
  const scale = { Target: { Group: 'app' }, Message: 'noted' }
  expect(objectOf(await ask('POST', '/v1/job/web/scale', 'neutral', scale))).not.toHaveProperty('EvalID')
  expect(objectOf(await ask('POST', '/v1/job/web/scale', 'hashicorp', scale))).toMatchObject({ EvalID: '' })
})

it('answers stable in either dialect', async () => {
  const ask = await start()
  const body = { JobID: 'web', JobVersion: 0, Stable: true }
  const job = objectOf(await ask('GET', '/v1/job/web', 'neutral'))
  expect(objectOf(await ask('POST', '/v1/job/web/stable', 'neutral', body))).toMatchObject({
    JobModifyIndex: job['JobModifyIndex'],
  })
  expect(Object.keys(objectOf(await ask('POST', '/v1/job/web/stable', 'hashicorp', body)))).toEqual(['Index'])
})

it('marks an older version as stable, which only in the dialect of the product becomes the current one', async () => {
  const ask = await start()
  await ask('POST', '/v1/job/web', 'neutral', { Job: { ...web, Priority: 60 } })
  const current = objectOf(await ask('GET', '/v1/job/web', 'neutral'))
  const mark = { JobID: 'web', JobVersion: 0, Stable: true }
  expect(objectOf(await ask('POST', '/v1/job/web/stable', 'neutral', mark))).toMatchObject({
    JobModifyIndex: current['JobModifyIndex'],
  })
  const versions = objectOf(await ask('GET', '/v1/job/web/versions', 'neutral'))['Versions'] as JsonObject[]
  expect(versions.map(({ Version, Stable }) => [Version, Stable])).toEqual([
    [1, false],
    [0, true],
  ])
  expect(objectOf(await ask('GET', '/v1/job/web', 'neutral'))).toMatchObject({ Version: 1, Priority: 60 })
  await ask('POST', '/v1/job/web/stable', 'hashicorp', mark)
  expect(objectOf(await ask('GET', '/v1/job/web', 'neutral'))).toMatchObject({ Version: 0, Stable: true })
})

it('shows an empty evaluation of a periodic job', async () => {
  const ask = await start()
  const Job = { ...web, ID: 'nightly', Type: 'batch', Periodic: { Spec: '@daily' } }
  for (const dialect of ['neutral', 'hashicorp'] as const)
    expect(objectOf(await ask('POST', '/v1/jobs', dialect, { Job }))).toMatchObject({ EvalID: '', EvalCreateIndex: 0 })
})

it.each([
  ['neutral', 'JobModifyIndex'],
  ['hashicorp', 'ModifyIndex'],
] as const)(
  '%s: the JobModifyIndex of an evaluation, the scale status and an equal registration is %s',
  async (dialect, member) => {
    const ask = await start()
    const registered = objectOf(await ask('GET', '/v1/job/web', 'hashicorp'))
    expect(registered['ModifyIndex']).not.toBe(registered['JobModifyIndex'])
    const expected = registered[member]
    const scale = objectOf(await ask('GET', '/v1/job/web/scale', dialect))
    const equal = objectOf(await ask('POST', '/v1/job/web', dialect, { Job: web }))
    expect([scale['JobModifyIndex'], equal['JobModifyIndex']]).toEqual([expected, expected])
    const before = objectOf(await ask('GET', '/v1/job/web', 'hashicorp'))[member]
    const evaluated = objectOf(await ask('POST', '/v1/job/web/evaluate', dialect, { JobID: 'web' }))
    expect(evaluated['JobModifyIndex']).toBe(before)
  },
)

it('reads HCLv1 in the neutral dialect only', async () => {
  const ask = await start()
  const JobHCL = 'job "x" {\n "meta" { "a b" = "${upper("c")} $${d}" } name = "n"\n}\n'
  const parse = (dialect: Dialect, source: string) =>
    ask('POST', '/v1/jobs/parse', dialect, { JobHCL: source, HCLv1: true })
  expect(objectOf(await parse('neutral', JobHCL))).toMatchObject({ Name: 'n', Meta: { 'a b': '${upper("c")} $${d}' } })
  expect((await parse('hashicorp', JobHCL)).status).toBe(400)
  for (const body of ['name = upper("c")', 'name = var.x'])
    expect((await parse('neutral', `job "x" {\n${body}\n}\n`)).status).toBe(400)
})

it('names the index of a submission in either dialect', async () => {
  const ask = await start()
  expect(objectOf(await ask('GET', '/v1/job/web/submission?version=0', 'neutral'))).toHaveProperty('JobIndex')
  expect(objectOf(await ask('GET', '/v1/job/web/submission?version=0', 'hashicorp'))).toHaveProperty('JobModifyIndex')
})

it('shows whole evaluations in the neutral dialect, without zeros in that of the product', async () => {
  const ask = await start()
  const evaluations = async (dialect: Dialect) => listOf(await ask('GET', '/v1/job/web/evaluations', dialect))[0] ?? {}
  expect(await evaluations('neutral')).toMatchObject({ BlockedEval: '', FailedTGAllocs: null, Wait: 0, NodeID: '' })
  expect(await evaluations('hashicorp')).not.toHaveProperty('BlockedEval')
})

it('requires a reason for scaling and keeps Error as a text in the neutral dialect', async () => {
  const ask = await start()
  const Target = { Group: 'app' }
  const bare = await ask('POST', '/v1/job/web/scale', 'neutral', { Count: 2, Target })
  expect([bare.status, bare.text]).toEqual([400, 'scaling action must contain a message or an error'])
  expect((await ask('POST', '/v1/job/web/scale', 'neutral', { Target, Error: true })).status).toBe(400)
  expect((await ask('POST', '/v1/job/web/scale', 'hashicorp', { Target, Error: 'no metrics' })).status).toBe(400)
  const told = await ask('POST', '/v1/job/web/scale', 'neutral', { Target, Error: 'no metrics' })
  expect(told.status).toBe(200)
  const status = objectOf(await ask('GET', '/v1/job/web/scale', 'neutral'))
  expect(status).toMatchObject({ TaskGroups: { app: { Events: [{ Error: 'no metrics', Message: '' }] } } })
})

it('uses VariableFlags in the neutral dialect only', async () => {
  const ask = await start()
  const JobHCL = 'variable "id" {\n  default = "a"\n}\njob "x" {\n  name = var.id\n}\n'
  const body = { JobHCL, VariableFlags: { id: 'b' } }
  expect(objectOf(await ask('POST', '/v1/jobs/parse', 'neutral', body))).toMatchObject({ Name: 'b' })
  expect(objectOf(await ask('POST', '/v1/jobs/parse', 'hashicorp', body))).toMatchObject({ Name: 'a' })
})

it('uses PreserveCounts of an update in the dialect of the product only', async () => {
  const ask = await start()
  const Job = { ...web, TaskGroups: [{ ...group, Count: 4 }] }
  const count = async () =>
    ((objectOf(await ask('GET', '/v1/job/web', 'neutral'))['TaskGroups'] as JsonObject[])[0] ?? {})['Count']
  await ask('POST', '/v1/job/web', 'hashicorp', { Job, PreserveCounts: true })
  expect(await count()).toBe(1)
  await ask('POST', '/v1/job/web', 'neutral', { Job, PreserveCounts: true })
  expect(await count()).toBe(4)
})

it('reads the idempotency token under its name in the dialect', async () => {
  const ask = await start()
  await ask('POST', '/v1/jobs', 'neutral', { Job: { ...web, ID: 'import', Type: 'batch', ParameterizedJob: {} } })
  const dispatch = async (name: string, dialect: Dialect) =>
    objectOf(await ask('POST', `/v1/job/import/dispatch?${name}=once`, dialect, {}))['DispatchedJobID']
  const first = await dispatch('IdempotencyToken', 'neutral')
  expect(await dispatch('idempotency_token', 'hashicorp')).toBe(first)
  expect(await dispatch('idempotency_token', 'neutral')).not.toBe(first)
  expect(await dispatch('IdempotencyToken', 'hashicorp')).not.toBe(first)
  for (const [name, dialect] of [
    ['IdempotencyToken', 'neutral'],
    ['idempotency_token', 'hashicorp'],
  ] as const)
    expect(objectOf(await ask('POST', `/v1/job/import/dispatch?${name}=once`, dialect, {}))).toMatchObject({
      EvalCreateIndex: 0,
      EvalID: '',
    })
})
