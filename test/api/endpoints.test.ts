import { expect, test } from 'vitest'
import * as explorer from '../../src/api/explorer.ts'
import * as jobs from '../../src/api/jobs.ts'
import * as kmip from '../../src/api/kmip.ts'
import * as kv from '../../src/api/kv.ts'
import type { EndpointFacts } from '../../src/core/endpoint.ts'
import type { Json } from '../../src/core/json.ts'
import { mismatch } from '../../src/core/shape.ts'

const readJobs = 'namespace:read-job'
const override = ', and namespace:policy-override with --policy-override'

/** The capability that an endpoint needs, and what its method doesn't show: what it does, and whether it can block. */
const facts: readonly (readonly [route: string, acl: string, more?: string])[] = [
  ['POST /v1/sys/capabilities-self', '', 'reads'],
  ['GET /v1/{mount}/data/{path}', 'read'],
  ['POST /v1/{mount}/data/{path}', 'create or update'],
  ['PATCH /v1/{mount}/data/{path}', 'patch'],
  ['GET /v1/{mount}/subkeys/{path}', 'read'],
  ['DELETE /v1/{mount}/data/{path}', 'delete', 'writes'],
  ['POST /v1/{mount}/delete/{path}', 'update'],
  ['POST /v1/{mount}/undelete/{path}', 'update'],
  ['PUT /v1/{mount}/destroy/{path}', 'update', 'destroys'],
  ['LIST /v1/{mount}/metadata/{path}', 'list'],
  ['GET /v1/{mount}/{path}', 'read'],
  ['LIST /v1/{mount}/{path}', 'list'],
  ['GET /v1/{mount}/metadata/{path}', 'read'],
  ['POST /v1/{mount}/metadata/{path}', 'create or update'],
  ['PATCH /v1/{mount}/metadata/{path}', 'patch'],
  ['DELETE /v1/{mount}/metadata/{path}', 'delete'],
  ['POST /v1/{mount}/scope/{scope}/role/{role}/credential/revoke', '', 'destroys'],
  ['GET /v1/jobs', 'namespace:list-jobs', 'blocking'],
  ['POST /v1/jobs', 'namespace:submit-job' + override],
  ['POST /v1/jobs/parse', 'namespace:parse-job or namespace:submit-job', 'reads'],
  ['GET /v1/job/{job}', readJobs, 'blocking'],
  ['GET /v1/job/{job}/submission', readJobs],
  ['GET /v1/job/{job}/versions', readJobs, 'blocking'],
  ['GET /v1/job/{job}/allocations', readJobs, 'blocking'],
  ['GET /v1/job/{job}/evaluations', readJobs, 'blocking'],
  ['GET /v1/job/{job}/deployments', readJobs, 'blocking'],
  ['GET /v1/job/{job}/deployment', readJobs, 'blocking'],
  ['GET /v1/job/{job}/summary', readJobs, 'blocking'],
  ['POST /v1/job/{job}', 'namespace:submit-job' + override],
  ['POST /v1/job/{job}/dispatch', 'namespace:dispatch-job'],
  ['POST /v1/job/{job}/revert', 'namespace:submit-job'],
  ['POST /v1/job/{job}/stable', 'namespace:submit-job'],
  ['POST /v1/job/{job}/evaluate', 'namespace:submit-job'],
  ['POST /v1/job/{job}/plan', 'namespace:submit-job' + override, 'reads'],
  ['POST /v1/job/{job}/periodic/force', 'namespace:dispatch-job or namespace:submit-job'],
  ['DELETE /v1/job/{job}', 'namespace:submit-job'],
  ['GET /v1/job/{job}/scale', 'namespace:read-job-scaling or namespace:read-job', 'blocking'],
  ['POST /v1/job/{job}/scale', 'namespace:scale-job or namespace:submit-job' + override],
  ['GET /v1/job/{job}/services', readJobs, 'blocking'],
  ['GET /v1/job/{job}/actions', readJobs],
  [
    'GET /v1/job/{job}/action',
    'namespace:alloc-exec, and namespace:alloc-node-exec if the task driver does not isolate the file system',
    'writes',
  ],
]

test.each<[string, EndpointFacts, (number: number) => Json]>([
  ['version of data', kv.readData, (version) => ({ data: { metadata: { version } } })],
  ['version of keys', kv.readSubkeys, (version) => ({ data: { metadata: { version } } })],
  ['version that is written', kv.writeData, (version) => ({ data: { version } })],
  ['version of a secret', kv.readMetadata, (version) => ({ data: { versions: { [version]: {} } } })],
  ['index of a registration', jobs.register, (index) => ({ EvalID: '', JobModifyIndex: index })],
  ['index of a scaled job', jobs.scale, (index) => ({ JobModifyIndex: index })],
  ['index of a change', jobs.markStable, (index) => ({ Index: index })],
])('the first %s is 1', (_, { answers }, answer) => {
  const fits = (number: number) => answers.form === 'json' && mismatch(answer(number), answers.shape) === undefined
  expect([-1, 0, 1, 2, 10].map(fits)).toEqual([false, false, true, true, true])
})

test.each(['first', 'v1', '1x', '01', ''])('%j is no version of a secret', (version) => {
  const { answers } = kv.readMetadata
  expect(answers.form === 'json' && mismatch({ data: { versions: { [version]: {} } } }, answers.shape)).toContain(
    '.versions',
  )
})

test('what the specifications say of each endpoint', () => {
  const declared = [explorer, kv, kmip, jobs]
    .flatMap((one): readonly EndpointFacts[] => Object.values(one))
    .map(({ method, path, acl = '', effect, blocking }) => {
      const more = [...(effect === undefined ? [] : [effect]), ...(blocking === true ? ['blocking'] : [])]
      return [`${method} ${path}`, acl, ...more]
    })
  expect(declared.filter(([, acl, more]) => acl !== '' || more !== undefined)).toEqual(facts)
})
