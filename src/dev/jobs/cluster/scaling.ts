import type { JsonObject } from '../../../core/json.ts'
import type { Found } from '../api/answers.ts'
import { namespaceOf } from '../api/query.ts'
import { Refusal } from '../api/refusal.ts'
import { secretOf } from '../api/tokens.ts'
import { compare, text } from '../state/documents.ts'
import type { ScalingPolicy } from '../state/model.ts'
import type { Question } from './question.ts'

/** GET /v1/scaling/policies: those of groups, also by job, type and prefix of the ID. */
export function readPolicies(question: Question): Found {
  const { store, request } = question
  const namespace = namespaceOf(request.query)
  if (namespace !== '*' && !mayRead(question, namespace)) throw new Refusal(403, 'Permission denied')
  const asked = (name: string) => request.query.get(name) ?? ''
  const records = store
    .allJobs()
    .filter((record) => (namespace === '*' ? mayRead(question, record.namespace) : record.namespace === namespace))
    .filter((record) => asked('prefix') !== '' || asked('job') === '' || record.id === asked('job'))
  const policies = records
    .flatMap((record) => [...record.policies.values()])
    .filter(({ id, scaling }) => id.startsWith(asked('prefix')) && text(scaling, 'Type').startsWith(asked('type')))
    .toSorted((left, right) => compare(left.id, right.id))
  // Never 0, which would not block.
  return { index: Math.max(1, store.indexOf('jobs')), body: policies.map(policyStub) }
}

/** GET /v1/scaling/policy/:id. */
export function readPolicy(question: Question): Found {
  const { store, request, name } = question
  if (!mayRead(question, namespaceOf(request.query))) throw new Refusal(403, 'Permission denied')
  const policies = store.allJobs().flatMap((record) => [...record.policies.values()])
  const policy = policies.find(({ id }) => id === name)
  if (policy === undefined) return { index: Math.max(1, store.indexOf('jobs')), missing: 'policy not found' }
  const { id, createIndex, modifyIndex, scaling } = policy
  return { index: modifyIndex, body: { ...scaling, ID: id, CreateIndex: createIndex, ModifyIndex: modifyIndex } }
}

function mayRead({ access, request }: Question, namespace: string): boolean {
  return ['list-jobs', 'read-job'].every((capability) => access.allows(secretOf(request), namespace, capability))
}

function policyStub({ id, createIndex, modifyIndex, scaling }: ScalingPolicy): JsonObject {
  return {
    CreateIndex: createIndex,
    Enabled: scaling['Enabled'] ?? true,
    ID: id,
    ModifyIndex: modifyIndex,
    Target: scaling['Target'] ?? null,
    Type: text(scaling, 'Type'),
  }
}
