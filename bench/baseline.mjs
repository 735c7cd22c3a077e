// What tug is measured against: the same task in a few lines of node:http, as a process of its own.
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { folders, pages, quickPages } from './sizes.mjs'

/** Requests of a bulk task that are under way at a time. */
const atOnce = 16

const [task, origin, ...rest] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
const secret = `${origin}/v1/secret`
const explorer = `${origin}/api/v2/organizations/acme/explorer`

const tasks = {
  /** Copies the export to stdout. */
  csv: async () => pipeline(await open(`${explorer}/export/csv?type=workspaces`), process.stdout),
  /** Reads one page after the other. */
  async pages() {
    for (let page = 1; page <= pages; page += 1) {
      const { data } = JSON.parse(await read(`${explorer}?page[number]=${page}`))
      process.stdout.write(data.map((row) => `${row.id}\n`).join(''))
    }
  },
  /** Reads a secret. */
  async get() {
    process.stdout.write(`${JSON.stringify(JSON.parse(await read(`${origin}/v1/secret/data/app/db`)))}\n`)
  },
  /** Parses jobs and prints a column of them. */
  async table() {
    const jobs = JSON.parse(await read(`${origin}/v1/jobs?prefix=list-5000`))
    process.stdout.write(jobs.map(({ ID, Type, Status }) => `${ID}  ${Type}  ${Status}\n`).join(''))
  },
  /** Parses jobs and prints them as JSON; the last digits of the times are lost. */
  async json() {
    process.stdout.write(JSON.stringify(JSON.parse(await read(`${origin}/v1/jobs?prefix=list-5000`))))
  },
  /** Parses all jobs and prints each as a line; the last digits of the times are lost. */
  async jobs() {
    const jobs = JSON.parse(await read(`${origin}/v1/jobs`))
    process.stdout.write(jobs.map((job) => `${JSON.stringify(job)}\n`).join(''))
  },
  /** Reads pages that are answered at once, one after the other. */
  async query() {
    const place = `${origin}/api/v2/organizations/quick/explorer`
    for (let page = 1; page <= quickPages; page += 1) {
      const { data } = JSON.parse(await read(`${place}?page[number]=${page}`))
      process.stdout.write(data.map((row) => `${row.id}\n`).join(''))
    }
  },
  /** Reads the latest version of many secrets and writes one file. */
  async export(root, file) {
    await toFile(file, root, async (path) => {
      const { data } = JSON.parse(await read(`${secret}/data/${path}`)).data
      return `${JSON.stringify(path)}: ${JSON.stringify(data, null, 2)},\n`
    })
  },
  /** Reads the metadata and all versions of many secrets and writes one file. */
  async backup(root, file) {
    await toFile(file, root, async (path) => `${JSON.stringify(await historyOf(path))}\n`)
  },
  /** Reads the same and compares it with that file. */
  async verify(root, file) {
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
    const saved = new Map(lines.map((line) => [JSON.parse(line).path, line]))
    await each(await pathsBelow(root), async (path) => {
      if (JSON.stringify(await historyOf(path)) !== saved.get(path)) throw new Error(`${path} differs`)
    })
  },
  /** Reads many secrets and writes each elsewhere. */
  async copy(root, target) {
    await each(await pathsBelow(root), async (path) => {
      const { data } = JSON.parse(await read(`${secret}/data/${path}`)).data
      await write(path.replace(root, target), data)
    })
  },
  /** Writes the secrets of a file. */
  async import(file, target) {
    const secrets = Object.entries(JSON.parse(await readFile(file, 'utf8')))
    await each(secrets, ([path, data]) => write(`${target}/${path}`, data))
  },
  /** Reads the metadata and all versions of one secret after the other. */
  async histories(root) {
    for (const path of await pathsBelow(root)) process.stdout.write(`${JSON.stringify(await historyOf(path))}\n`)
  },
  /** Reads the job of each file, plans the file, and registers it if something has changed. */
  async apply(folder) {
    await each(await readdir(folder), async (name) => {
      const { Job } = JSON.parse(await readFile(join(folder, name), 'utf8'))
      const job = `${origin}/v1/job/${Job.ID}`
      JSON.parse(await read(job))
      const planned = JSON.parse(await read(`${job}/plan`, 'POST', JSON.stringify({ Job, Diff: true })))
      if (planned.Diff.Type === 'None') return
      const body = { Job, EnforceIndex: true, JobModifyIndex: planned.JobModifyIndex }
      JSON.parse(await read(`${origin}/v1/jobs`, 'POST', JSON.stringify(body)))
    })
  },
  /** Lists one folder after the other. */
  async tree() {
    const { data } = JSON.parse(await read(`${origin}/v1/secret/metadata/?list=true`))
    if (data.keys.length !== folders) throw new Error('folders are missing')
    for (const folder of data.keys) {
      const names = JSON.parse(await read(`${origin}/v1/secret/metadata/${folder}?list=true`)).data.keys
      process.stdout.write(names.map((name) => `${folder}${name}\n`).join(''))
    }
  },
}

await tasks[task](...rest)
agent.destroy()

function open(url, method = 'GET', body) {
  return new Promise((done, fail) => {
    request(url, { agent, method }, done).on('error', fail).end(body)
  })
}

async function read(url, method, body) {
  const response = await open(url, method, body)
  const pieces = []
  return new Promise((done, fail) => {
    response.on('data', (piece) => pieces.push(piece))
    response.on('end', () => done(Buffer.concat(pieces).toString()))
    response.on('error', fail)
  })
}

async function write(path, data) {
  JSON.parse(await read(`${secret}/data/${path}`, 'POST', JSON.stringify({ data, options: { cas: 0 } })))
}

async function keysIn(folder) {
  return JSON.parse(await read(`${secret}/metadata/${folder}?list=true`)).data.keys
}

async function pathsBelow(root) {
  const paths = []
  for (const folder of await keysIn(root))
    for (const name of await keysIn(`${root}/${folder}`)) paths.push(`${root}/${folder}${name}`)
  return paths
}

async function historyOf(path) {
  const { versions } = JSON.parse(await read(`${secret}/metadata/${path}`)).data
  const data = []
  for (const version of Object.keys(versions))
    data.push(JSON.parse(await read(`${secret}/data/${path}?version=${version}`)).data)
  return { path, versions, data }
}

async function each(items, work) {
  const left = items.values()
  const takeAll = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, takeAll))
}

async function toFile(file, root, textOf) {
  const out = createWriteStream(file)
  let text = ''
  await each(await pathsBelow(root), async (path) => {
    const piece = await textOf(path)
    text += piece
    if (text.length < 65_536) return
    out.write(text)
    text = ''
  })
  out.end(text)
  await once(out, 'finish')
}
