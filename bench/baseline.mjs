// What tug is measured against: the same task in a few lines of node:http, as a process of its own.
import { Agent, get } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { folders, pages } from './sizes.mjs'

const [task, origin, ...rest] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true })
const explorer = `${origin}/api/v2/organizations/acme/explorer`

const tasks = {
  /** Copies the export to stdout. */
  export: async () => pipeline(await open(`${explorer}/export/csv?type=workspaces`), process.stdout),
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
  /** Reads the metadata and all versions of one secret after the other. */
  async backup(root) {
    const secret = `${origin}/v1/secret`
    const keys = async (folder) => JSON.parse(await read(`${secret}/metadata/${folder}?list=true`)).data.keys
    for (const folder of await keys(root)) {
      for (const name of await keys(`${root}/${folder}`)) {
        const path = `${root}/${folder}${name}`
        const { versions } = JSON.parse(await read(`${secret}/metadata/${path}`)).data
        const data = []
        for (const version of Object.keys(versions))
          data.push(JSON.parse(await read(`${secret}/data/${path}?version=${version}`)).data)
        process.stdout.write(`${JSON.stringify({ path, versions, data })}\n`)
      }
    }
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

function open(url) {
  return new Promise((done, fail) => {
    get(url, { agent }, done).on('error', fail)
  })
}

async function read(url) {
  const pieces = []
  for await (const piece of await open(url)) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}
