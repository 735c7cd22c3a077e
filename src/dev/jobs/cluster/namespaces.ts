import type { JsonObject } from '../../../core/json.ts'
import type { DevReply } from '../../http.ts'
import { answerIndex, type Found } from '../api/answers.ts'
import { Refusal } from '../api/refusal.ts'
import { secretOf } from '../api/tokens.ts'
import { bodyOf, type JobWrite } from '../api/write.ts'
import { compare, object, text } from '../state/documents.ts'
import type { Namespace } from '../state/model.ts'
import { currentJob } from '../state/store.ts'
import type { Question } from './question.ts'

/** GET /v1/namespaces: those whose jobs the token may list, by name. */
export function readNamespaces({ store, access, request }: Question): Found {
  const prefix = request.query.get('prefix') ?? ''
  const visible = [...store.namespaces.values()]
    .filter(({ name }) => name.startsWith(prefix) && access.allows(secretOf(request), name, 'list-jobs'))
    .toSorted((left, right) => compare(left.name, right.name))
  const index = Math.max(...[...store.namespaces.values()].map(({ modifyIndex }) => modifyIndex))
  return { index, body: visible.map(namespaceView) }
}

/** GET /v1/namespace/:name. */
export function readNamespace({ store, access, request, name }: Question): Found {
  access.demand(request, name, 'list-jobs')
  const namespace = store.namespaces.get(name)
  if (namespace === undefined) return { index: 1, missing: 'Namespace not found' }
  return { index: namespace.modifyIndex, body: namespaceView(namespace) }
}

/** POST /v1/namespace and /v1/namespace/:name: creates or changes one. */
export function putNamespace(write: JobWrite): DevReply {
  const body = bodyOf(write, 'namespace')
  const name = text(body, 'Name')
  if (write.id !== '' && name !== write.id) throw new Refusal(400, 'Namespace name does not match request path')
  write.access.demandManagement(write.request)
  if (!/^[A-Za-z0-9-]{1,128}$/.test(name))
    throw new Refusal(500, `invalid name "${name}". Must match regex /^[A-Za-z0-9-]{1,128}$/`)
  const { store } = write
  const index = store.write()
  store.putNamespace({ name, description: text(body, 'Description'), meta: object(body, 'Meta') ?? null }, index)
  return answerIndex(write.request, index)
}

/** DELETE /v1/namespace/:name. */
export function deleteNamespace(write: JobWrite): DevReply {
  const { store, id: name } = write
  write.access.demandManagement(write.request)
  if (name === 'default') throw new Refusal(500, 'default namespace can not be deleted')
  if (!store.namespaces.has(name)) throw new Refusal(500, `namespace "${name}" does not exist`)
  const live = store.allJobs().some((record) => record.namespace === name && currentJob(record)['Status'] !== 'dead')
  if (live) throw new Refusal(500, `namespace "${name}" has non-terminal jobs in regions: [global]`)
  store.namespaces.delete(name)
  return answerIndex(write.request, store.write())
}

function namespaceView({ name, description, meta, createIndex, modifyIndex }: Namespace): JsonObject {
  return {
    CreateIndex: createIndex,
    Description: description,
    Meta: meta,
    ModifyIndex: modifyIndex,
    Name: name,
    Quota: '',
  }
}
