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

it('names members of a parsed job, and omits an evaluation that was not created, in the neutral dialect', async () => {
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
})
