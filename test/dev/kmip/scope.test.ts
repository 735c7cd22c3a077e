import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { createKmip } from '../../../src/dev/kmip/engine.ts'
import type { SecretsEngine } from '../../../src/dev/secrets/reply.ts'
import { call, dataOf, stoppedClock } from './calls.ts'

const bare = () => createKmip({ clock: stoppedClock, seed: false })
const seeded = () => createKmip({ clock: stoppedClock })

describe('scopes of the KMIP engine', () => {
  it('are made, made again, listed in byte order and deleted', async () => {
    const engine = bare()
    expect(await call(engine, 'LIST', 'scope')).toEqual({ status: 404, errors: [] })
    for (const name of ['b', 'a', 'C', 'b'])
      expect(await call(engine, 'POST', `scope/${name}`)).toEqual({ status: 204 })
    expect(await call(engine, 'GET', 'scope?list=true')).toEqual({ status: 200, data: { keys: ['C', 'a', 'b'] } })
    expect(await call(engine, 'DELETE', 'scope/a')).toEqual({ status: 204 })
    expect(await call(engine, 'DELETE', 'scope/nothing-here')).toEqual({ status: 204 })
    expect(dataOf(await call(engine, 'LIST', 'scope')).keys).toEqual(['C', 'b'])
  })

  it('that hold managed objects are deleted with force only', async () => {
    const engine = seeded()
    for (const path of ['scope/archive', 'scope/archive?force=false', 'scope/archive?force=perhaps']) {
      const reply = await call(engine, 'DELETE', path)
      expect(reply).toEqual({ status: 400, errors: [expect.stringContaining('force')] })
    }
    expect(await call(engine, 'DELETE', 'scope/archive?force=true')).toEqual({ status: 204 })
    expect(dataOf(await call(engine, 'LIST', 'scope')).keys).toEqual(['storage'])
    expect(await call(engine, 'DELETE', 'scope/storage')).toEqual({ status: 204 })
  })
})

describe('roles of the KMIP engine', () => {
  it('need their scope', async () => {
    const reply = await call(bare(), 'POST', 'scope/none/role/r', { operation_all: true })
    expect(reply).toEqual({ status: 404, errors: ['scope "none" not found'] })
    expect(await call(bare(), 'GET', 'scope/none/role/r')).toEqual({ status: 404, errors: [] })
    expect(await call(bare(), 'LIST', 'scope/none/role')).toEqual({ status: 404, errors: [] })
    expect(await call(bare(), 'DELETE', 'scope/none/role/r')).toEqual({ status: 204 })
  })

  it('are listed and deleted', async () => {
    const engine = await withScope()
    await call(engine, 'POST', 'scope/s/role/b')
    await call(engine, 'PUT', 'scope/s/role/a', {})
    expect(dataOf(await call(engine, 'LIST', 'scope/s/role')).keys).toEqual(['a', 'b'])
    expect(await call(engine, 'DELETE', 'scope/s/role/a')).toEqual({ status: 204 })
    expect(await call(engine, 'GET', 'scope/s/role/a')).toEqual({ status: 404, errors: [] })
  })

  it('show each documented operation as a boolean', async () => {
    const engine = await withScope()
    await call(engine, 'POST', 'scope/s/role/r', {
      operation_get: true,
      operation_locate: 'true',
      operation_sign: true,
    })
    const { data } = await call(engine, 'GET', 'scope/s/role/r')
    const flags = Object.entries(data as JsonObject)
    expect(flags).toHaveLength(19)
    expect(flags.filter(([, value]) => value === true).map(([name]) => name)).toEqual([
      'operation_get',
      'operation_locate',
      'operation_sign',
    ])
    expect(data).toMatchObject({ operation_all: false, operation_none: false, operation_rekey: false })
  })

  it('show true flags and all overrides in the current engine’s words', async () => {
    const engine = await withScope()
    await call(engine, 'POST', 'scope/s/role/r', { operation_all: true }, 'hashicorp')
    const overrides = { tls_client_key_bits: 0, tls_client_key_type: '', tls_client_ttl: 0 }
    const read = () => call(engine, 'GET', 'scope/s/role/r', undefined, 'hashicorp')
    expect((await read()).data).toEqual({ operation_all: true, ...overrides })
    await call(engine, 'POST', 'scope/s/role/r', { operation_get: true, tls_client_ttl: '24h' }, 'hashicorp')
    expect((await read()).data).toEqual({ operation_get: true, ...overrides, tls_client_ttl: 86_400 })
  })

  it.each<[string, JsonObject[], string[]]>([
    ['single operations add up', [{ operation_get: true }, { operation_locate: true }], ['get', 'locate']],
    ['false takes one back', [{ operation_get: true, operation_query: true }, { operation_get: false }], ['query']],
    ['single operations end "all"', [{ operation_all: true }, { operation_get: true }], ['get']],
    ['"none" ends single operations', [{ operation_get: true }, { operation_none: true }], ['none']],
    ['"all" ends "none"', [{ operation_none: true }, { operation_all: true, operation_none: false }], ['all']],
    ['other fields keep operations', [{ operation_all: true }, { tls_client_ttl: 60 }], ['all']],
    ['unknown operations are ignored', [{ operation_fly: true, operation_get: true }], ['get']],
  ])('%s', async (_, writes, expected) => {
    const engine = await withScope()
    for (const body of writes) expect((await call(engine, 'POST', 'scope/s/role/r', body)).status).toBe(204)
    const { data } = await call(engine, 'GET', 'scope/s/role/r')
    const granted = Object.entries(data as JsonObject).filter(([, value]) => value === true)
    expect(granted.map(([name]) => name.replace('operation_', ''))).toEqual(expected)
  })

  it.each([
    [{ operation_all: true, operation_get: true }, 'operation_all cannot be combined with other operations'],
    [{ operation_get: 'perhaps' }, 'field "operation_get"'],
    [{ tls_client_key_type: 'rsa' }, '521 key bits are not valid for key type rsa'],
    [{ tls_client_ttl: 'long' }, 'expected a duration'],
  ])('refuse %j', async (body, text) => {
    const engine = await withScope()
    const reply = await call(engine, 'POST', 'scope/s/role/r', body)
    expect(reply).toEqual({ status: 400, errors: [expect.stringContaining(text)] })
    expect((await call(engine, 'GET', 'scope/s/role/r')).status).toBe(404)
  })
})

describe('paths of the KMIP engine', () => {
  it.each(['', 'constructor', 'scope/a/role/b/credential/other', 'scope/a/roles', 'scope/a%2Frole/b', 'config/x'])(
    'that lead nowhere are not found: "%s"',
    async (path) => {
      expect((await call(bare(), 'GET', path)).status).toBe(404)
    },
  )

  it.each([
    ['DELETE', 'config'],
    ['GET', 'scope/a/role/b/credential/generate'],
    ['POST', 'scope/a/role/b/credential/lookup'],
  ])('do not take every method: %s %s', async (method, path) => {
    const reply = await call(bare(), method, path)
    expect(reply).toEqual({ status: 405, errors: [expect.stringContaining('unsupported operation')] })
  })

  it('may carry any name', async () => {
    const engine = bare()
    await call(engine, 'POST', 'scope/a%20b%2Fc')
    expect(dataOf(await call(engine, 'LIST', 'scope')).keys).toEqual(['a b/c'])
  })
})

async function withScope(): Promise<SecretsEngine> {
  const engine = bare()
  await call(engine, 'POST', 'scope/s')
  return engine
}
