// Measures the built program against bare Node and prints a table. See README.md.
import { join } from 'node:path'
import { interleaved, isThere, program, startServer } from './measure.mjs'
import { csvBytes, folders, jobsOfTable, jobsOfStream, latency, pages, secretsPerFolder } from './sizes.mjs'

const quick = process.argv.includes('--quick')
const baseline = join(import.meta.dirname, 'baseline.mjs')
const server = await startServer()
const { origin } = server
// Everything else is left out, NODE_EXTRA_CA_CERTS above all: Node reads that file at each start.
const env = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  TUG_CONFIG_DIR: '/nonexistent',
  TUG_EXPLORER_ADDR: `${origin}/api/v2`,
  TUG_EXPLORER_TOKEN: 'token-of-the-explorer',
  TUG_EXPLORER_ORG: 'acme',
  TUG_SECRETS_ADDR: origin,
  TUG_SECRETS_TOKEN: 'token-of-the-secrets',
  TUG_SCHEDULER_ADDR: origin,
  TUG_DIALECT: 'hashicorp',
}

try {
  await report('start-up', 31, {
    'node -e 0': ['node', '-e', '0'],
    'tug --version': tug('--version'),
    'tug --help': tug('--help'),
    'tug kv get': tug('kv get app/db'),
    'tug kv list': tug('kv list app'),
  })

  await report(
    `CSV export of ${csvBytes / 1e6} MB`,
    5,
    {
      'node:http, piped': bare('export'),
      'tug explorer export': tug('explorer export workspaces'),
      ...((await isThere('curl'))
        ? { curl: ['curl', '-sS', `${origin}/api/v2/organizations/acme/explorer/export/csv`] }
        : {}),
    },
    { memory: true, bytes: csvBytes },
  )

  await report(`${pages} pages, each after ${latency} ms`, 5, {
    'node:http, one by one': bare('pages'),
    'tug explorer query --all': tug('explorer query workspaces --all -o name'),
  })

  await report(
    `table of ${jobsOfTable} jobs`,
    7,
    { 'JSON.parse, 3 columns': bare('table'), 'tug job list': tug('job list --prefix table') },
    { memory: true },
  )

  await report(
    `ndjson of ${jobsOfStream} jobs`,
    5,
    {
      'JSON.parse (digits lost)': bare('jobs'),
      'tug job list -o ndjson': tug('job list -o ndjson'),
      'the same, --all --per-page 500': tug('job list --all --per-page 500 -o ndjson'),
    },
    { memory: true },
  )

  await report(
    `kv tree, ${folders * secretsPerFolder} secrets in ${folders} folders, each after 5 ms`,
    5,
    { 'node:http, one by one': bare('tree'), 'tug kv tree': tug('kv tree -q -o name') },
    { memory: true },
  )
} finally {
  server.end()
}

/** Measures the variants and prints their table; the first one is what the others are compared with. */
async function report(title, rounds, variants, { memory = false, bytes } = {}) {
  const results = await interleaved(variants, { rounds: quick ? Math.ceil(rounds / 5) : rounds, env, memory })
  console.log(`\n${title}`)
  for (const { name, milliseconds, ratio, peak } of results) {
    const cells = [
      `  ${name.padEnd(32)}`,
      `${milliseconds.toFixed(milliseconds < 100 ? 1 : 0).padStart(7)} ms`,
      `${ratio.toFixed(2).padStart(7)} ×`,
      ...(bytes === undefined ? [] : [`${(bytes / 1000 / milliseconds).toFixed(0).padStart(6)} MB/s`]),
      ...(peak > 0 ? [`${(peak / 1e6).toFixed(0).padStart(5)} MB peak`] : []),
    ]
    console.log(cells.join(' '))
  }
}

/** A line of tug without quotes. */
function tug(line) {
  return ['node', program, ...line.split(' ')]
}

function bare(task) {
  return ['node', baseline, task, origin]
}
