import { describe, expect, it } from 'vitest'
import { caller, clock, explorerPath, origin, query } from './calls.ts'

const path = `${explorerPath}/views`
const documented = {
  data: {
    name: 'Drifted payments',
    query_type: 'workspaces',
    query: {
      filter: [
        { field: 'workspace_name', operator: 'contains', value: ['payments'] },
        { field: 'drifted', operator: 'is', value: ['true'] },
      ],
      fields: ['workspace_name', 'resources_drifted'],
      sort: ['-resources_drifted'],
    },
  },
}
const stored = { ...documented.data.query, type: 'workspaces' }

describe('a life of a saved view', () => {
  it('is created, listed, read, replaced and deleted', async () => {
    const call = caller()
    const created = await call('POST', path, { body: documented })
    const { id } = created.json.data
    expect(created.status).toBe(201)
    expect(id).toMatch(/^sq-[A-Za-z0-9]{16}$/)
    expect(created.json.data).toEqual({
      id,
      type: 'explorer-saved-queries',
      attributes: {
        name: 'Drifted payments',
        'created-at': clock.now().toISOString(),
        query: stored,
        'query-type': 'workspaces',
      },
    })
    expect((await call('GET', path)).json.data.at(-1)).toEqual(created.json.data)
    expect((await call('GET', `${path}/${id}`)).json).toEqual(created.json)

    const change = { data: { name: 'Drifted', query: { filter: [], fields: [], sort: ['project_name'] } } }
    const replaced = await call('PATCH', `${path}/${id}`, { body: change })
    expect(replaced.status).toBe(200)
    expect(replaced.json.data.attributes).toEqual({
      ...created.json.data.attributes,
      name: 'Drifted',
      query: { filter: [], sort: ['project_name'], type: 'workspaces' },
    })

    const deleted = await call('DELETE', `${path}/${id}`)
    expect({ status: deleted.status, json: deleted.json }).toEqual({ status: 200, json: replaced.json })
    expect((await call('GET', `${path}/${id}`)).status).toBe(404)
  })

  it.each([
    { name: 'A' },
    { name: 'A', query: { filter: [], fields: [] } },
    { query: { filter: [], fields: [], sort: [] } },
  ])('is not replaced by a part of one: %j', async (data) => {
    const call = caller()
    const { id } = (await call('POST', path, { body: documented })).json.data
    expect((await call('PATCH', `${path}/${id}`, { body: { data } })).status).toBe(422)
    expect((await call('GET', `${path}/${id}`)).json.data.attributes.query).toEqual(stored)
  })

  it('keeps every value of a filter', async () => {
    const call = caller()
    const filter = [{ field: 'project_name', operator: 'is', value: ['payments', 'search'] }]
    const body = { data: { name: 'Two', query_type: 'workspaces', query: { filter } } }
    const { json } = await call('POST', path, { body })
    expect(json.data.attributes.query.filter).toEqual(filter)
  })

  it('begins with some, the first of which is about drift in production', async () => {
    const { json } = await caller()('GET', path)
    expect(Object.keys(json)).toEqual(['data'])
    expect(json.data.map((view: any) => view.attributes.name)).toEqual([
      'Drifted in production',
      'Failed checks',
      'Modules by use',
    ])
  })

  it('belongs to one organization', async () => {
    const call = caller()
    const { json } = await call('POST', path, { body: documented })
    const other = '/api/v2/organizations/empty/explorer/views'
    expect((await call('GET', `${other}/${json.data.id}`)).status).toBe(404)
    expect((await call('POST', other, { body: documented })).status).toBe(201)
  })
})

describe('bodies', () => {
  const attributes = {
    name: 'Drifted payments',
    'query-type': 'workspaces',
    query: {
      type: 'workspaces',
      filter: [{ workspace_name: { contains: ['payments'] } }, { drifted: { is: ['true'] } }],
      fields: { workspaces: ['workspace_name', 'resources_drifted'] },
      sort: ['-resources_drifted'],
    },
  }

  it('of JSON:API are answered in the documented shape', async () => {
    const call = caller()
    const body = { data: { type: 'explorer-saved-queries', attributes } }
    const created = await call('POST', path, { body })
    expect(created.json.data.attributes.query).toEqual(stored)
    const replaced = await call('PATCH', `${path}/${created.json.data.id}`, { body })
    expect(replaced.json).toEqual(created.json)
  })

  it.each([
    [
      'both filters in one map',
      { filter: [{ workspace_name: { contains: ['payments'] }, drifted: { is: ['true'] } }] },
    ],
    [
      'bare values',
      { filter: [{ workspace_name: { contains: 'payments' } }, { field: 'drifted', operator: 'is', value: true }] },
    ],
  ])('may have %s', async (_what, changes) => {
    const body = { data: { ...documented.data, query: { ...documented.data.query, ...changes } } }
    expect((await caller()('POST', path, { body })).json.data.attributes.query).toEqual(stored)
  })

  it.each([{}, { fields: [], sort: [], filter: [] }])('may ask for everything: %j', async (everything) => {
    const body = { data: { name: 'All', query_type: 'workspaces', query: everything } }
    const { json } = await caller()('POST', path, { body })
    expect(json.data.attributes.query).toEqual({ filter: [], type: 'workspaces' })
  })

  it('may leave the query out when creating', async () => {
    const { status } = await caller()('POST', path, { body: { data: { name: 'All', query_type: 'modules' } } })
    expect(status).toBe(201)
  })

  it('come back in the words of the reader', async () => {
    const call = caller()
    const old = {
      filter: [{ field: 'workspace_terraform_version', operator: 'does_not_contain', value: ['1.9'] }],
      fields: ['state_version_terraform_version'],
      sort: ['-workspace_terraform_version'],
    }
    const { json } = await call('POST', path, {
      body: { data: { name: 'Old', query_type: 'workspaces', query: old } },
      dialect: 'hashicorp',
    })
    const read = await call('GET', `${path}/${json.data.id}`)
    expect(read.json.data.attributes.query).toEqual({
      filter: [{ field: 'workspace_tool_version', operator: 'does not contain', value: ['1.9'] }],
      fields: ['state_version_tool_version'],
      sort: ['-workspace_tool_version'],
      type: 'workspaces',
    })
    const other = await call('GET', `${path}/${json.data.id}`, { dialect: 'hashicorp' })
    expect(other.json.data.attributes.query.fields).toEqual(['state_version_terraform_version'])
  })
})

describe('refusals', () => {
  const { data } = documented
  const asked = (wanted: unknown) => ({ data: { ...data, query: wanted } })
  it.each<[pointer: string, body: unknown]>([
    ['/data', []],
    ['/data/attributes/name', { data: { query_type: 'workspaces', query: {} } }],
    ['/data/attributes/name', { data: { ...data, name: 'Failed checks' } }],
    ['/data/attributes/query-type', { data: { name: 'x', query: {} } }],
    ['/data/attributes/query-type', { data: { ...data, query_type: 'resources' } }],
    ['/data/attributes/query', asked('everything')],
    ['/data/attributes/query/filter/0', asked({ filter: [{ field: 'drifted', operator: 'gt', value: ['1'] }] })],
    ['/data/attributes/query/filter/1', asked({ filter: [data.query.filter[0], { drift: { is: ['true'] } }] })],
    ['/data/attributes/query/fields', asked({ fields: ['drift'] })],
    ['/data/attributes/query/sort', asked({ sort: ['-drift'] })],
  ])('%s of %j', async (pointer, body) => {
    const { status, json } = await caller()('POST', path, { body })
    expect(status).toBe(422)
    expect(json.errors[0]).toMatchObject({ status: '422', title: 'invalid attribute', source: { pointer } })
  })

  it('takes nothing that is not JSON', async () => {
    const { status, json } = await caller()('POST', path, { body: 'data=1' })
    expect(status).toBe(400)
    expect(json.errors[0]).toMatchObject({ status: '400', title: 'bad request' })
  })

  it('does not replace a view by one with the name of another, but lets it keep its own', async () => {
    const call = caller()
    const [view] = (await call('GET', path)).json.data
    const replace = (name: string) =>
      call('PATCH', `${path}/${view.id}`, { body: { data: { name, query: view.attributes.query } } })
    expect((await replace('Failed checks')).status).toBe(422)
    expect((await replace(view.attributes.name)).json.data).toEqual(view)
  })
})

describe('running a saved view again', () => {
  it('answers what the query endpoint answers, with links to it', async () => {
    const call = caller()
    const { id } = (await call('POST', path, { body: documented })).json.data
    const parameters = {
      type: 'workspaces',
      'filter[0][workspace_name][contains][0]': 'payments',
      'filter[1][drifted][is][0]': 'true',
      fields: 'workspace_name,resources_drifted',
      sort: '-resources_drifted',
    }
    const results = await call('GET', `${path}/${id}/results`)
    expect(results.status).toBe(200)
    expect(results.json).toEqual((await call('GET', query(parameters))).json)
    expect(results.json.data[0].attributes).toEqual({ 'workspace-name': 'payments-prod', 'resources-drifted': 4 })

    const csv = await call('GET', `${path}/${id}/csv`)
    expect(csv.headers).toMatchObject({ 'content-type': 'text/csv' })
    expect(csv.text).toBe('resources_drifted,workspace_name\n"4","payments-prod"\n')
    expect((await call('GET', `${path}/${id}/export/csv`)).text).toBe(csv.text)
    expect((await call('GET', `${path}/${id}/more`)).status).toBe(404)
  })

  it('pages, and its links can be followed', async () => {
    const call = caller()
    const body = {
      data: { name: 'By name', query_type: 'workspaces', query: { sort: ['project_name', '-workspace_name'] } },
    }
    const { id } = (await call('POST', path, { body })).json.data
    // The endpoint has no parameters.
    const first = await call('GET', `${path}/${id}/results?page[number]=2&page[size]=100`)
    expect(first.json.meta.pagination).toMatchObject({ 'current-page': 1, 'page-size': 20, 'next-page': 2 })
    const second = await call('GET', first.json.links.next.slice(origin.length))
    expect(second.json.meta.pagination).toMatchObject({ 'current-page': 2, 'page-size': 20, 'next-page': 3 })
    expect(second.json.data).toHaveLength(20)
  })

  it('follows operators with blanks and empty values through its links', async () => {
    const call = caller()
    const filter = [
      { field: 'workspace_name', operator: 'does not contain', value: ['prod'] },
      { field: 'vcs_repo_identifier', operator: 'is_empty' },
    ]
    const body = { data: { name: 'No repository', query_type: 'workspaces', query: { filter } } }
    const { id } = (await call('POST', path, { body })).json.data
    const results = await call('GET', `${path}/${id}/results`)
    expect(results.json.data.length).toBeGreaterThan(0)
    expect((await call('GET', results.json.links.self.slice(origin.length))).json).toEqual(results.json)
  })
})
