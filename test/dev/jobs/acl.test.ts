import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseJson, type Json, type JsonObject } from '../../../src/core/json.ts'
import { createJobs } from '../../../src/dev/jobs/service.ts'
import { demoTokens, policies, type Token } from '../../../src/dev/jobs/api/tokens.ts'
import { exchangesOf, refusalOf, type Exchange } from '../../contract/jobs-replay.ts'
import { lab } from '../../contract/jobs-scope.ts'
import { FakeClock, call, objectOf } from './calls.ts'

/** The tokens of the recording, by the words that stand for them there. */
const held: Readonly<Record<string, readonly string[] | 'management'>> = {
  '<MANAGEMENT_TOKEN>': 'management',
  '<TOKEN reader: read>': policies.read,
  '<TOKEN writer: write>': policies.write,
  '<TOKEN dispatcher: dispatch-job>': ['dispatch-job'],
  read: policies.read,
  write: policies.write,
  scale: policies.scale,
  'dispatch-job': ['dispatch-job'],
  'list-jobs': ['list-jobs'],
  'parse-job': ['parse-job'],
  'alloc-exec+read-job': ['alloc-exec', 'read-job'],
}

const tokens = new Map<string, Token>(
  Object.entries(held).map(([secret, capabilities]) => [
    secret,
    {
      accessor: `accessor of ${secret}`,
      capabilities: capabilities === 'management' ? capabilities : { default: capabilities },
    },
  ]),
)

const management = { 'x-nomad-token': '<MANAGEMENT_TOKEN>' }
const closed = 'an operator closes registrations through an endpoint that is none of the 24'
const outOfScope: Readonly<Record<string, string>> = {
  'writer: register while the scheduler rejects registrations': closed,
  'writer: dispatch while the scheduler rejects registrations': closed,
  'writer: scale while the scheduler rejects registrations': closed,
}

function task(name: string): JsonObject {
  return { Name: name, Driver: 'raw_exec', Config: { command: '/bin/sleep', args: ['7200'] } }
}

const toolbox = { ID: 'toolbox', Datacenters: ['dc1'], TaskGroups: [{ Name: 'tools', Tasks: [task('main')] }] }
const resize = {
  ID: 'resize',
  Type: 'batch',
  ParameterizedJob: { MetaRequired: ['image'], Payload: 'optional' },
  TaskGroups: [{ Name: 'work', Tasks: [task('convert')] }],
}
const cleanup = {
  ID: 'cleanup',
  Type: 'batch',
  Periodic: { Specs: ['15 3 * * *'] },
  TaskGroups: [{ Name: 'sweep', Tasks: [task('sweep')] }],
}

async function startServer() {
  const clock = new FakeClock()
  const server = createJobs({ clock, acl: true, tokens, nodes: [lab] })
  for (const Job of [toolbox, resize, cleanup]) {
    await call(server, 'POST', '/v1/jobs', { body: { Job }, headers: management })
    clock.advance(3000)
  }
  return { server, clock }
}

function bodyOf({ body }: Exchange): Json | undefined {
  if (body === '<job>') return { Job: toolbox }
  return body === '{Job: <job>, PolicyOverride: true}' ? { Job: toolbox, PolicyOverride: true } : body
}

describe('recording 15-acl', async () => {
  const { server, clock } = await startServer()
  const exchanges = exchangesOf('15-acl').filter(({ name }) => !(name in outOfScope))

  it.for(exchanges)('$name', async (exchange) => {
    clock.advance(3000)
    const body = bodyOf(exchange)
    const options = { headers: exchange.headers, ...(body === undefined ? {} : { body }) }
    const answer = await call(server, exchange.method, exchange.path, options)
    const failed = exchange.status !== 200
    expect(answer.status).toBe(exchange.status)
    if (!failed) return
    const recorded = String(exchange.reply)
    expect(refusalOf(answer.status, answer.text, recorded)).toEqual(refusalOf(exchange.status, recorded, recorded))
  })

  it('fills in the accessor of the token that registered a job', async () => {
    const job = objectOf(await call(server, 'GET', '/v1/job/toolbox', { headers: management }))
    expect(job['NomadTokenID']).toBe('accessor of <MANAGEMENT_TOKEN>')
  })
})

const matrix = (
  parseJson(
    readFileSync(new URL('../../contract/recordings/nomad/15-acl.json', import.meta.url), 'utf8'),
  ) as JsonObject[]
).flatMap((entry) => Object.entries((entry['matrix'] ?? {}) as Record<string, Record<string, number>>))

/** The body that an endpoint of the matrix was asked with. */
function matrixBody(endpoint: string): Json | undefined {
  const word = endpoint.startsWith('POST') ? endpoint.split('/').at(-1) : undefined
  switch (word) {
    case undefined:
    case 'force':
      return undefined
    case 'parse':
      return { JobHCL: 'job "x" {\n}\n' }
    case 'dispatch':
      return { Meta: { image: 'x' } }
    case 'revert':
      return { JobID: 'toolbox', JobVersion: 1 }
    case 'stable':
      return { JobID: 'toolbox', JobVersion: 0, Stable: true }
    case 'evaluate':
      return { JobID: 'toolbox' }
    case 'scale':
      return { Count: 1, Target: { Group: 'tools' }, Message: 'm' }
    default:
      return { Job: toolbox }
  }
}

describe('the recorded matrix of endpoints and policies', () => {
  it.for(matrix)('%s', async ([endpoint, wanted]) => {
    const [method, path] = endpoint.split(' ') as [string, string]
    for (const [policy, status] of Object.entries(wanted)) {
      const { server } = await startServer()
      if (/\/(?:revert|scale)$/.test(path)) {
        // A version to go back to, and a deployment that blocks scaling: the recorded 400 is not one of permission.
        const changed = { ...toolbox, Meta: { changed: 'yes' } }
        for (const Job of [changed, toolbox]) {
          await call(server, 'POST', '/v1/jobs', { body: { Job }, headers: management })
        }
      }
      const body = matrixBody(endpoint)
      const options = { headers: { 'x-nomad-token': policy }, ...(body === undefined ? {} : { body }) }
      const answer = await call(server, method, path, options)
      expect({ policy, status: answer.status }).toEqual({ policy, status })
    }
  })
})

it('allows the limited token of the demo to read but not to parse', async () => {
  const demo = demoTokens({ token: 'all', limitedToken: 'limited' })
  const server = createJobs({ clock: new FakeClock(), acl: true, tokens: demo })
  const headers = { 'x-nomad-token': 'limited' }
  expect((await call(server, 'GET', '/v1/jobs', { headers })).status).toBe(200)
  const body = { JobHCL: 'job "x" {\n}\n' }
  expect((await call(server, 'POST', '/v1/jobs/parse', { headers, body })).status).toBe(403)
})
