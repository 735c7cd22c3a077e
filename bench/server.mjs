// The services that the measurements talk to, made of nothing but node:http. Runs as a child process of run.mjs, says its
// port on stdout and ends when its stdin does.
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  csvBytes,
  folders,
  jobsOfStream,
  latency,
  pages,
  quickPages,
  rowsPerPage,
  perFolder,
  secretsBesideSlow,
  secretsPerFolder,
  slowness,
  slowSecrets,
} from './sizes.mjs'

const csvPiece = Buffer.from('"ws-0123456789abcdef","workspace, with a comma",1763709321123456789,true\n'.repeat(900))

const kvPrefix = '/v1/secret/metadata'

const created = (version) => `2026-11-2${version}T07:12:00Z`

const kvSecret = kvVersion(3)

const kvMetadata = JSON.stringify({
  data: {
    cas_required: false,
    created_time: created(1),
    current_version: 3,
    custom_metadata: { owner: 'platform' },
    delete_version_after: '0s',
    max_versions: 0,
    oldest_version: 0,
    updated_time: created(3),
    versions: Object.fromEntries(
      [1, 2, 3].map((version) => [version, { created_time: created(version), deletion_time: '', destroyed: false }]),
    ),
  },
})

const kvWritten = JSON.stringify({
  data: { created_time: created(3), custom_metadata: null, deletion_time: '', destroyed: false, version: 1 },
})

const kvConfig = JSON.stringify({ data: { cas_required: false, delete_version_after: '0s', max_versions: 0 } })

const kvMount = JSON.stringify({ data: { path: 'secret/', type: 'kv', options: { version: '2' } } })

/** First path of the route, and who answers it. */
const routes = [
  ['/api/v2/organizations/acme/explorer/export/csv', sendCsv],
  ['/api/v2/organizations/acme/explorer', sendPage],
  ['/api/v2/organizations/quick/explorer', sendPageAtOnce],
  ['/v1/jobs', sendJobs],
  ['/v1/job/', sendJob],
  // What the official tool asks before it reads a secret.
  ['/v1/sys/internal/ui/mounts/', (_, response) => sendJson(response, kvMount)],
  ['/v1/secret/metadata', sendMetadata],
  ['/v1/secret/config', (_, response) => sendJson(response, kvConfig)],
  ['/v1/secret/delete/', (_, response) => response.writeHead(204).end()],
  ['/v1/secret/data/slow/', sendSlowSecret],
  ['/v1/secret/data', sendSecret],
]

const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://127.0.0.1')
  const [, answer] = routes.find(([path]) => url.pathname.startsWith(path)) ?? []
  if (answer === undefined) response.writeHead(404).end()
  else Promise.resolve(answer(url, response, request.method)).catch(() => response.destroy())
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
process.stdin.resume().on('end', end)

function end() {
  process.stdin.destroy()
  server.close()
  server.closeAllConnections()
}

function sendJson(response, text, headers = {}) {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text)
}

async function sendCsv(_, response) {
  response.writeHead(200, { 'content-type': 'text/csv' })
  await pipeline(Readable.from(csvPieces(), { objectMode: false }), response)
}

function* csvPieces() {
  for (let sent = 0; sent < csvBytes; sent += csvPiece.length) yield csvPiece
}

async function sendPage(url, response) {
  await sleep(latency)
  sendPageOf(pages, url, response)
}

function sendPageAtOnce(url, response) {
  sendPageOf(quickPages, url, response)
}

function sendPageOf(count, { searchParams }, response) {
  const number = Number(searchParams.get('page[number]') ?? 1)
  const data = Array.from({ length: rowsPerPage }, (_, index) => ({
    id: `ws-${String((number - 1) * rowsPerPage + index).padStart(16, '0')}`,
    type: 'visibility-workspace',
    attributes: { 'workspace-name': `workspace-${index}`, 'project-name': 'Payments', drifted: index % 7 === 0 },
  }))
  const pagination = {
    'current-page': number,
    'page-size': rowsPerPage,
    'prev-page': number > 1 ? number - 1 : null,
    'next-page': number < count ? number + 1 : null,
    'total-count': count * rowsPerPage,
    'total-pages': count,
  }
  sendJson(response, JSON.stringify({ data, meta: { pagination } }))
}

/** All jobs in one answer, or so many a page, or the answer to a registration. The prefix `list-5000` says how many there are. */
function sendJobs({ searchParams }, response, method) {
  if (method === 'POST') return sendJson(response, '{"EvalID":"e","EvalCreateIndex":20,"JobModifyIndex":20}')
  const count = Number(/^list-(\d+)$/.exec(searchParams.get('prefix') ?? '')?.[1] ?? jobsOfStream)
  const from = Number(searchParams.get('next_token') ?? 0)
  const to = Math.min(count, from + Number(searchParams.get('per_page') ?? count))
  const jobs = Array.from({ length: to - from }, (_, index) => job(from + index))
  sendJson(response, `[${jobs.join(',')}]`, {
    'x-nomad-index': '1',
    ...(to < count ? { 'x-nomad-nexttoken': String(to) } : {}),
  })
}

/** A job, or what belongs to it: three allocations that run. */
function sendJob({ pathname }, response) {
  const [, , , id, part] = pathname.split('/')
  const known = job(Number(/\d+$/.exec(id)?.[0]) || 1)
  const allocation = { ClientStatus: 'running', DesiredStatus: 'run', TaskGroup: 'web' }
  if (part === 'plan') return id.startsWith('file-') ? sendFilePlan(id, response) : sendPlan(id, response)
  if (part === 'summary') return sendJson(response, JSON.stringify(JSON.parse(known).JobSummary))
  if (part === 'deployment') return sendJson(response, 'null')
  if (part === 'allocations')
    return sendJson(response, JSON.stringify([1, 2, 3].map((ID) => ({ ID: `${ID}`, ...allocation }))))
  // Only in lists are these true or false.
  const whole = known.replaceAll(/("(?:Periodic|ParameterizedJob)"):false/g, '$1:null')
  if (!id.startsWith('file-')) return sendJson(response, whole)
  const { JobSummary: _, ...described } = JSON.parse(whole)
  return sendJson(response, JSON.stringify({ ...described, ID: id, Name: id, Datacenters: ['*'], TaskGroups: [] }))
}

/** Written by hand: nanoseconds do not fit into a number of JavaScript. */
function job(index) {
  const name = `service-${String(index).padStart(6, '0')}`
  const counts = { Queued: 0, Complete: 0, Failed: index % 50 === 0 ? 1 : 0, Running: 3, Starting: 0, Lost: 0 }
  const known = {
    ID: name,
    ParentID: '',
    Name: name,
    Namespace: 'default',
    Datacenters: ['dc1', 'dc2'],
    Type: 'service',
    Priority: 50,
    Periodic: false,
    ParameterizedJob: false,
    Stop: false,
    Status: 'running',
    StatusDescription: '',
    JobSummary: { JobID: name, Namespace: 'default', Summary: { web: counts }, CreateIndex: 10, ModifyIndex: 20 },
    CreateIndex: 10,
    ModifyIndex: 20,
    JobModifyIndex: 10,
  }
  return `${JSON.stringify(known).slice(0, -1)},"SubmitTime":1763709321123${String(index).padStart(6, '0')}}`
}

/** A plan that changes so many environment variables. */
function sendPlan(id, response) {
  const count = Number(/plan-(\d+)/.exec(id)[1])
  const fields = Array.from({ length: count }, (_, index) => {
    return {
      Type: 'Edited',
      Name: `Env[VARIABLE_${index}]`,
      Old: `before ${index}`,
      New: `after ${index}`,
      Annotations: null,
    }
  })
  const task = { Type: 'Edited', Name: 'server', Fields: fields, Objects: null, Annotations: null }
  const group = { Type: 'Edited', Name: 'web', Fields: null, Objects: null, Tasks: [task], Updates: null }
  const diff = { Type: 'Edited', ID: 'plan', Fields: null, Objects: null, TaskGroups: [group] }
  const facts = { Annotations: null, CreatedEvals: null, FailedTGAllocs: null, JobModifyIndex: 10, Warnings: '' }
  sendJson(response, JSON.stringify({ ...facts, Diff: diff, NextPeriodicLaunch: null }))
}

/** The plan of a job file: one priority differs, or nothing. */
function sendFilePlan(id, response) {
  const isChanged = Number(/file-(\d+)/.exec(id)[1]) % 40 === 0
  const fields = isChanged ? [{ Type: 'Edited', Name: 'Priority', Old: '50', New: '60', Annotations: null }] : null
  const diff = { Type: isChanged ? 'Edited' : 'None', ID: 'file', Fields: fields, Objects: null, TaskGroups: null }
  const facts = { Annotations: null, CreatedEvals: null, FailedTGAllocs: null, JobModifyIndex: 10, Warnings: '' }
  sendJson(response, JSON.stringify({ ...facts, Diff: diff, NextPeriodicLaunch: null }))
}

function kvVersion(version) {
  return JSON.stringify({
    request_id: 'b1e5a6a0-0000-4000-8000-000000000000',
    data: {
      data: { host: 'db.internal', password: `correct horse battery staple ${version}` },
      metadata: { created_time: created(version), deletion_time: '', destroyed: false, version },
    },
  })
}

/** A version of a secret, or the answer to a write. */
async function sendSecret({ pathname, searchParams }, response, method) {
  if (pathname.includes('/far-')) await sleep(2)
  if (method === 'GET' && pathname.includes('/new-')) response.writeHead(404).end('{"errors":[]}')
  else if (method === 'DELETE') response.writeHead(204).end()
  else if (method === 'POST') sendJson(response, kvWritten)
  else sendJson(response, searchParams.has('version') ? kvVersion(Number(searchParams.get('version'))) : kvSecret)
}

/** A few of these secrets, evenly spread, take long. */
async function sendSlowSecret({ pathname }, response) {
  const number = Number(/\d+$/.exec(pathname)?.[0])
  if (number % Math.ceil(secretsBesideSlow / slowSecrets) === 0) await sleep(slowness)
  sendJson(response, kvSecret)
}

/** The names of a folder, or the metadata of a secret. */
async function sendMetadata({ pathname, searchParams }, response) {
  if (pathname.includes('/far-')) await sleep(2)
  if (pathname.includes('/new-')) return response.writeHead(404).end('{"errors":[]}')
  if (!searchParams.has('list')) return sendJson(response, kvMetadata)
  const [, kind, count, folder = ''] = /^\/(grow|wide|far)-(\d+)\/?(.*)$/.exec(pathname.slice(kvPrefix.length)) ?? []
  if (pathname.startsWith(`${kvPrefix}/slow`)) return sendKeys(response, secretsBesideSlow, 'secret-')
  if (kind === 'grow') return sendKeys(response, count, 'secret-')
  if (kind !== undefined)
    return folder === ''
      ? sendKeys(response, count / perFolder, 'folder-', '/')
      : sendKeys(response, perFolder, 'secret-')
  await sleep(5)
  return pathname === `${kvPrefix}/` || pathname === kvPrefix
    ? sendKeys(response, folders, 'folder-', '/')
    : sendKeys(response, secretsPerFolder, 'secret-')
}

function sendKeys(response, count, name, slash = '') {
  const keys = Array.from({ length: Number(count) }, (_, index) => `${name}${index}${slash}`)
  sendJson(response, JSON.stringify({ data: { keys } }))
}
