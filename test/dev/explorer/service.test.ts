import { describe, expect, it } from 'vitest'
import { credentials } from '../../support/credentials.ts'
import { caller, explorerPath, origin, query } from './calls.ts'

const call = caller()
const workspaces = query({ type: 'workspaces' })

describe('who may ask', () => {
  it.each(['', 'Bearer wrong', `Basic ${credentials.explorer.token}`, 'Bearer'])(
    'refuses the authorization "%s"',
    async (authorization) => {
      const { status, json } = await call('GET', workspaces, { authorization })
      expect(status).toBe(401)
      expect(json).toEqual({ errors: [{ status: '401', title: 'unauthorized' }] })
    },
  )

  it('answers a ping without a token, with the headers a Go client reads', async () => {
    const { status, headers, text } = await call('GET', '/api/v2/ping', { authorization: '', dialect: 'hashicorp' })
    expect({ status, text }).toEqual({ status: 204, text: '' })
    expect(headers).toEqual({
      'tfp-api-version': '2.6',
      'tfp-appname': 'HCP Terraform',
      'x-ratelimit-limit': '30',
      'x-ratelimit-remaining': '29',
      'x-ratelimit-reset': '0.0',
    })
  })
})

describe('unknown paths', () => {
  it.each([
    ['GET', '/api/v2/organizations/nobody/explorer?type=workspaces'],
    ['GET', '/api/v2/organizations/acme/explorer/unknown'],
    ['GET', '/api/v2/organizations/acme/workspaces'],
    ['GET', '/api/v2/organizations/acme'],
    ['POST', workspaces],
    ['PUT', `${explorerPath}/views`],
    ['GET', `${explorerPath}/views/`],
    ['GET', `${explorerPath}/views/sq-unknown`],
    ['DELETE', `${explorerPath}/views/sq-unknown`],
  ])('%s %s', async (method, target) => {
    const { status, json } = await call(method, target)
    expect(status).toBe(404)
    expect(json).toEqual({ errors: [{ status: '404', title: 'not found' }] })
  })
})

describe('the envelope', () => {
  it('has rows, links and the page', async () => {
    const { status, headers, json } = await call('GET', query({ type: 'workspaces', 'page[number]': '2' }))
    const link = (page: number): string =>
      `${origin}${explorerPath}?page%5Bnumber%5D=${page}&page%5Bsize%5D=20&type=workspaces`
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/vnd.api+json; charset=utf-8',
      'x-ratelimit-limit': '30',
    })
    expect(json.data).toHaveLength(20)
    expect(json.links).toEqual({ self: link(2), first: link(1), last: link(15), prev: link(1), next: link(3) })
    expect(json.meta).toEqual({
      pagination: {
        'current-page': 2,
        'page-size': 20,
        'next-page': 3,
        'prev-page': 1,
        'total-pages': 15,
        'total-count': 291,
      },
    })
  })

  it('gives every row once, page by page', async () => {
    const ids = new Set<string>()
    let target: string | null = `${origin}${query({ type: 'workspaces', 'page[size]': '50' })}`
    while (target !== null) {
      const { json } = await call('GET', target.slice(origin.length))
      for (const { id } of json.data) ids.add(id)
      target = json.links.next
    }
    expect(ids.size).toBe(291)
  })

  it.each([
    ['1', 1],
    ['100', 100],
    ['1000', 100],
  ])('takes a page size of %s as %i', async (size, used) => {
    const { json } = await call('GET', query({ type: 'workspaces', 'page[size]': size }))
    expect(json.meta.pagination['page-size']).toBe(used)
    expect(json.data).toHaveLength(used)
    expect(json.links.self).toContain(`page%5Bsize%5D=${used}&`)
  })

  it('links back from a page after the last', async () => {
    const { json } = await call('GET', query({ type: 'tf_versions', 'page[number]': '7' }))
    expect(json.data).toEqual([])
    expect(json.meta.pagination).toMatchObject({ 'current-page': 7, 'prev-page': 1, 'next-page': null })
  })

  it('keeps every parameter in its links', async () => {
    const target = `${explorerPath}?type=modules&filter[0][name][contains][0]=a&filter[1][name][contains][0]=t&sort=-name`
    const { json } = await call('GET', target)
    const next = new URL(json.links.last)
    expect(next.searchParams.get('filter[0][name][contains][0]')).toBe('a')
    expect(next.searchParams.get('filter[1][name][contains][0]')).toBe('t')
    expect(json.links.self).not.toMatch(/[[\],]/)
  })

  it('answers HEAD as GET', async () => {
    expect((await call('HEAD', workspaces)).status).toBe(200)
  })
})

describe('the organization without rows', () => {
  const path = '/api/v2/organizations/empty/explorer'

  it.each(['workspaces', 'tf_versions', 'providers', 'modules'])('has no %s', async (type) => {
    const { json } = await call('GET', query({ type }, path))
    expect(json.data).toEqual([])
    expect(json.meta.pagination).toMatchObject({ 'total-count': 0, 'total-pages': 0 })
    expect(json.links.last).toBe(json.links.first)
  })

  it('exports the header alone and has no saved views', async () => {
    const { text } = await call('GET', query({ type: 'providers' }, `${path}/export/csv`))
    expect(text).toBe('name,source,version,workspace_count,workspaces\n')
    expect((await call('GET', `${path}/views`)).json).toEqual({ data: [] })
  })
})

it('is the same at every start', async () => {
  const { text } = await call('GET', workspaces)
  expect((await caller()('GET', workspaces)).text).toBe(text)
})
