import { demoOrganization } from '../credentials.ts'
import { commonHeaders, csv, documentReply, envelope, errorReply } from './answers.ts'
import { ExplorerError, notFound } from './refusal.ts'
import type { ViewName } from './fields.ts'
import { readQuery, select, toParameters, type Query } from './query.ts'
import { Random, demoWorkspaces, type Workspace } from './workspaces.ts'
import { createRows, type Row } from './rows.ts'
import { SavedViews, readCreation, readUpdate, viewResource } from './views.ts'
import type { DevClock, DevReply, DevRequest, DevService } from '../http.ts'

/** The saved views of the demo organization at the start. */
const presets: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Drifted in production': {
    type: 'workspaces',
    'filter[0][drifted][is][0]': 'true',
    'filter[1][workspace_name][contains][0]': '-prod',
    fields: 'workspace_name,project_name,resources_drifted',
    sort: '-resources_drifted',
  },
  'Failed checks': {
    type: 'workspaces',
    'filter[0][checks_failed][gt][0]': '0',
  },
  'Modules by use': {
    type: 'modules',
    sort: '-workspace_count',
  },
}

interface Organization {
  readonly rows: (view: ViewName) => readonly Row[]
  readonly views: SavedViews
}

export interface ExplorerOptions {
  readonly clock: DevClock
  readonly token: string
  /** False leaves the demo organization without workspaces and saved views. */
  readonly seed?: boolean
}

/** The demo explorer: every path below `/api/v2/`. It has two organizations, one with demo data and one named `empty`. */
export function createExplorer({ clock, token, seed = true }: ExplorerOptions): DevService {
  const random = new Random(1_138)
  const organization = (name: string, workspaces: readonly Workspace[]): [string, Organization] => [
    name,
    { rows: createRows(name, workspaces), views: new SavedViews(clock, random) },
  ]
  const organizations = new Map([
    organization(demoOrganization, seed ? demoWorkspaces(clock.now()) : []),
    organization('empty', []),
  ])
  const demo = organizations.get(demoOrganization)
  for (const [name, parameters] of Object.entries(seed ? presets : {})) {
    demo?.views.create({ name, query: readQuery(new URLSearchParams(parameters), 'neutral') })
  }

  return {
    handle(request) {
      try {
        if (!isPing(request) && bearer(request) !== token) throw new ExplorerError(401, 'unauthorized')
        return answer(organizations, request)
      } catch (error) {
        if (error instanceof ExplorerError) return errorReply(error)
        throw error
      }
    },
    knows: (request) => bearer(request) === token,
    close: () => undefined,
  }
}

function answer(organizations: ReadonlyMap<string, Organization>, request: DevRequest): DevReply {
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const [, version, collection, name = '', explorer, ...rest] = request.segments
  if (isPing(request)) {
    const product = { 'tfp-api-version': '2.6', 'tfp-appname': 'HCP Terraform' }
    return { status: 204, headers: { ...commonHeaders, ...(request.dialect === 'hashicorp' ? product : {}) } }
  }
  const organization = organizations.get(name)
  if (version !== 'v2' || collection !== 'organizations' || organization === undefined || explorer !== 'explorer')
    throw notFound()

  const [part, id = '', ...below] = rest
  if (part === 'views' && rest.length > 1) {
    return answerView(organization, id, `${method} ${below.join('/')}`.trim(), request)
  }
  const { query, body, dialect } = request
  const { views } = organization
  switch (`${method} ${rest.join('/')}`.trim()) {
    case 'GET':
      return pageReply(organization, readQuery(query, dialect), request, query)
    case 'GET export/csv':
      return csvReply(organization, readQuery(query, dialect), request)
    case 'GET views':
      return documentReply(200, { data: views.list().map((view) => viewResource(view, dialect)) })
    case 'POST views':
      return documentReply(201, { data: viewResource(views.create(readCreation(body, dialect)), dialect) })
    default:
      throw notFound()
  }
}

function answerView(organization: Organization, id: string, action: string, request: DevRequest): DevReply {
  const { views } = organization
  const { body, dialect } = request
  const view = views.get(id)
  switch (action) {
    case 'GET':
      return documentReply(200, { data: viewResource(view, dialect) })
    case 'PATCH':
      return documentReply(200, {
        data: viewResource(views.replace(id, readUpdate(body, view.query, dialect)), dialect),
      })
    case 'DELETE':
      return documentReply(200, { data: viewResource(views.delete(id), dialect) })
    case 'GET results':
      // The endpoint has no parameters: its links lead to the pages.
      return pageReply(
        organization,
        view.query,
        { ...request, query: new URLSearchParams() },
        toParameters(view.query, dialect),
      )
    // The second is what the released Python client calls.
    case 'GET csv':
    case 'GET export/csv':
      return csvReply(organization, view.query, request)
    default:
      throw notFound()
  }
}

/** Links point to the query endpoint, also for a saved view. */
function pageReply(
  { rows }: Organization,
  query: Query,
  { origin, segments, query: asked, dialect }: DevRequest,
  parameters: URLSearchParams,
): DevReply {
  const path = segments.slice(0, 5).map(encodeURIComponent).join('/')
  const linkTo = (page: number, size: number): string => {
    const all = new URLSearchParams(parameters)
    all.set('page[number]', String(page))
    all.set('page[size]', String(size))
    all.sort()
    return `${origin}/${path}?${all.toString()}`
  }
  return documentReply(200, envelope(select(rows(query.view.name), query), query, asked, linkTo, dialect))
}

function csvReply({ rows }: Organization, query: Query, { dialect }: DevRequest): DevReply {
  return {
    status: 200,
    headers: { ...commonHeaders, 'content-type': 'text/csv' },
    body: csv(select(rows(query.view.name), query), query, dialect),
  }
}

/** What the official Go client asks first. */
function isPing({ method, rawPath }: DevRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && rawPath === '/api/v2/ping'
}

function bearer({ headers }: DevRequest): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
}
