// Measures the built program against bare Node, minimal scripts, curl and the official tools. See README.md.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildExecutable, firstOf, interleaved, program, startServer, usageOf } from './measure.mjs'
import {
  backedUp,
  bulk,
  csvBytes,
  farAway,
  folders,
  growth,
  jobFiles,
  jobsOfStream,
  largest,
  latency,
  pages,
  quickPages,
  rowsPerPage,
  secretsBesideSlow,
  secretsPerFolder,
  slowness,
  slowSecrets,
} from './sizes.mjs'

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    only: { type: 'string' },
    save: { type: 'string' },
    compare: { type: 'string' },
    check: { type: 'boolean' },
  },
})
const before = flags.compare === undefined ? [] : JSON.parse(await readFile(flags.compare, 'utf8')).rows
const server = await startServer()
const { origin } = server
// A home of its own, so that compiled code is cached as it is for users.
const home = await mkdtemp(join(tmpdir(), 'tug-bench-'))
// Everything else is left out, above all NODE_EXTRA_CA_CERTS: Node reads that file at each start.
const env = {
  PATH: process.env['PATH'],
  HOME: home,
  TUG_CONFIG_DIR: home,
  TUG_EXPLORER_ADDR: `${origin}/api/v2`,
  TUG_EXPLORER_TOKEN: 'token-of-the-explorer',
  TUG_EXPLORER_ORG: 'acme',
  TUG_SECRETS_ADDR: origin,
  TUG_SECRETS_TOKEN: 'token-of-the-secrets',
  TUG_SCHEDULER_ADDR: origin,
  TUG_DIALECT: 'hashicorp',
  VAULT_ADDR: origin,
  VAULT_TOKEN: 'token-of-the-secrets',
  BAO_ADDR: origin,
  BAO_TOKEN: 'token-of-the-secrets',
  NOMAD_ADDR: origin,
}
const [curl, secretsTool, nomad] = await Promise.all([firstOf('curl'), firstOf('bao', 'vault'), firstOf('nomad')])
const node = process.execPath
const executable = await buildExecutable(join(home, 'executable'))
const jobsUrl = `${origin}/v1/jobs?prefix=list-5000`
const planFiles = await Promise.all(growth.map((rows) => writeJobFile(`plan-${rows}`)))
const files = Object.fromEntries(
  ['least.json', 'least.backup', 'secrets.json', 'secrets.tugkv'].map((name) => [name, join(home, name)]),
)
await mkdir(join(home, 'jobs'))
await Promise.all(Array.from({ length: jobFiles }, (_, index) => writeJobFile(`jobs/file-${index}`)))

/**
 * The first variant of each is what the others are compared with. `most` is the largest ratio that `--check` accepts: about twice what a
 * quiet machine shows, so that only a real loss fails; `mostMemory` the largest peak in MiB. `prepare` are lines that are run before.
 */
const cases = [
  {
    title: 'start',
    rounds: 31,
    most: { 'tug --version': 2, 'tug --help': 2.2 },
    variants: {
      'node -e 0': [node, '-e', '0'],
      'tug --version': tug('--version'),
      'tug --version (executable)': [executable, '--version'],
      'tug --help': tug('--help'),
      'tug --help (executable)': [executable, '--help'],
      'tug kv get --help': tug('kv get --help'),
      'tug completion bash': tug('completion bash'),
    },
  },
  {
    title: 'one secret',
    rounds: 31,
    memory: true,
    most: { 'tug kv get': 5, 'tug kv get -o json': 5 },
    variants: {
      'node -e 0': [node, '-e', '0'],
      'node:http, one GET': bare('get'),
      'tug kv get': tug('kv get app/db'),
      'tug kv get (executable)': [executable, 'kv', 'get', 'app/db'],
      'tug kv get -o json': tug('kv get app/db -o json'),
      ...official(secretsTool, ['kv', 'get', '-mount=secret', 'app/db']),
      ...official(curl, ['-sS', `${origin}/v1/secret/data/app/db`]),
    },
  },
  {
    title: 'one job',
    rounds: 31,
    most: { 'tug job get': 5 },
    variants: {
      'node -e 0': [node, '-e', '0'],
      'tug job get': tug('job get list-1'),
      ...official(nomad, ['job', 'inspect', 'list-1']),
    },
  },
  {
    title: '5,000 jobs as a table',
    rounds: 15,
    memory: true,
    most: { 'tug job list': 4 },
    variants: {
      'JSON.parse, 3 columns': bare('table'),
      'tug job list': tug('job list --prefix list-5000'),
      ...official(nomad, ['job', 'status']),
    },
  },
  {
    title: '5,000 jobs as JSON',
    rounds: 15,
    memory: true,
    most: { 'tug job list -o json': 3.5 },
    variants: {
      'JSON.parse, JSON.stringify (digits lost)': bare('json'),
      'tug job list -o json': tug('job list --prefix list-5000 -o json'),
      ...official(curl, ['-sS', jobsUrl]),
    },
  },
  {
    title: `${thousands(jobsOfStream)} jobs`,
    rounds: 5,
    memory: true,
    variants: {
      'JSON.parse, lines (digits lost)': bare('jobs'),
      'tug job list': tug('job list'),
      'tug job list -o ndjson': tug('job list -o ndjson'),
      'tug job list -o csv': tug('job list -o csv'),
      'tug job list --all --per-page 500 -o ndjson': tug('job list --all --per-page 500 -o ndjson'),
    },
  },
  {
    title: `which of ${thousands(jobsOfStream)} jobs are not healthy`,
    rounds: 3,
    memory: true,
    variants: {
      'tug job status <job>, 20 times': [
        'sh',
        '-c',
        'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do "$@"; done',
        'sh',
        ...tug('job status service-000050'),
      ],
      'tug job status': tug('job status'),
    },
  },
  inBulk('export', {
    least: bare('export', `wide-${bulk}`, files['least.json']),
    line: `kv export wide-${bulk}/ -O ${files['secrets.json']} --force`,
  }),
  inBulk('backup', {
    least: bare('backup', `wide-${bulk}`, files['least.backup']),
    line: `kv backup wide-${bulk}/ -O ${files['secrets.tugkv']} --force`,
  }),
  inBulk('verify', {
    prepare: [
      bare('backup', `wide-${bulk}`, files['least.backup']),
      tug(`kv backup wide-${bulk}/ -O ${files['secrets.tugkv']} --force`),
    ],
    least: bare('verify', `wide-${bulk}`, files['least.backup']),
    line: `kv verify ${files['secrets.tugkv']}`,
  }),
  inBulk('copy', {
    least: bare('copy', `wide-${bulk}`, `new-${bulk}`),
    line: `kv copy wide-${bulk}/ new-${bulk}/ --recursive`,
  }),
  inBulk('import', {
    prepare: [tug(`kv export wide-${bulk}/ -O ${files['secrets.json']} --force`)],
    least: bare('import', files['secrets.json'], `new-${bulk}`),
    line: `kv import ${files['secrets.json']} new-${bulk}/`,
  }),
  {
    title: `${thousands(quickPages * rowsPerPage)} rows in ${quickPages} pages, cpu time`,
    rounds: 5,
    cpu: true,
    most: { 'tug explorer query --all': 8 },
    mostMemory: { 'tug explorer query --all': 150 },
    variants: {
      'node:http': bare('query'),
      'tug explorer query --all': tug('explorer query workspaces --all --org quick -o name'),
    },
  },
  {
    title: `${thousands(bulk)} secrets, planned or after a question, cpu time`,
    rounds: 1,
    cpu: true,
    prepare: [tug(`kv export wide-${bulk}/ -O ${files['secrets.json']} --force`)],
    mostMemory: {
      'tug kv import --plan': 200,
      'tug kv copy --plan': 200,
      'tug kv delete --plan': 200,
      'tug kv delete, answered with yes': 200,
    },
    variants: {
      'tug kv import --plan': tug(`kv import ${files['secrets.json']} new-${bulk}/ --plan`),
      'tug kv copy --plan': tug(`kv copy wide-${bulk}/ new-${bulk}/ --recursive --plan`),
      'tug kv delete --plan': tug(`kv delete wide-${bulk}/ --recursive --plan`),
      'tug kv delete, answered with yes': answered(`kv delete wide-${bulk}/ --recursive`),
    },
  },
  {
    title: `${jobFiles} job files, of which ${Math.ceil(jobFiles / 40)} have changed`,
    rounds: 5,
    variants: {
      'node:http, 16 at a time': bare('apply', join(home, 'jobs')),
      'tug job plan <folder>': tug(`job plan ${join(home, 'jobs')}`),
      'tug job apply <folder>': tug(`job apply ${join(home, 'jobs')} --yes --no-wait`),
    },
  },
  {
    title: `export of ${csvBytes / 1e6} MB`,
    rounds: 5,
    memory: true,
    variants: {
      'node:http, piped': bare('csv'),
      'tug explorer export': tug('explorer export workspaces'),
      ...official(curl, ['-sS', `${origin}/api/v2/organizations/acme/explorer/export/csv`]),
    },
  },
  {
    title: `${pages} pages, each after ${latency} ms`,
    rounds: 5,
    most: { 'tug explorer query --all': 0.6 },
    variants: {
      'node:http, one by one': bare('pages'),
      'tug explorer query --all': tug('explorer query workspaces --all -o name'),
    },
  },
  {
    title: `${thousands(folders * secretsPerFolder)} secrets in ${folders} folders, each after 5 ms`,
    rounds: 5,
    memory: true,
    most: { 'tug kv tree': 0.6 },
    variants: { 'node:http, one by one': bare('tree'), 'tug kv tree': tug('kv tree -q -o name') },
  },
  {
    title: `${thousands(secretsBesideSlow)} secrets, ${slowSecrets} of them after ${slowness} ms`,
    rounds: 5,
    memory: true,
    variants: {
      'tug kv export, none slow': tug(`kv export grow-${secretsBesideSlow}/ -O /dev/null`),
      'tug kv export': tug('kv export slow/ -O /dev/null'),
    },
  },
  {
    title: `${thousands(backedUp)} secrets of 3 versions`,
    rounds: 3,
    memory: true,
    variants: {
      'node:http, one by one': bare('histories', `wide-${backedUp}`),
      'tug kv export': tug(`kv export wide-${backedUp}/ -O /dev/null --force`),
      'tug kv backup': tug(`kv backup wide-${backedUp}/ -O /dev/null --force`),
    },
  },
  {
    title: `${thousands(farAway)} secrets of 3 versions, each answer after 2 ms`,
    rounds: 3,
    variants: {
      'node:http, one by one': bare('histories', `far-${farAway}`),
      'tug kv backup': tug(`kv backup far-${farAway}/ -O /dev/null --force`),
    },
  },
  {
    title: `${thousands(largest)} secrets`,
    rounds: 1,
    memory: true,
    variants: {
      'tug kv export': tug(`kv export wide-${largest}/ -O /dev/null --force`),
      'tug kv backup': tug(`kv backup wide-${largest}/ -O /dev/null --force`),
      'tug kv audit': tug(`kv audit wide-${largest}/ --only reused,placeholder -o csv`),
      'tug kv delete --recursive': tug(`kv delete wide-${largest}/ --recursive --yes`),
    },
  },
  growing('table', (rows) => tug(`job list --prefix list-${rows}`)),
  growing('plan', (rows) => tug(`job plan ${planFiles[growth.indexOf(rows)]}`)),
  growing('tree', (rows) => tug(`kv tree -q grow-${rows}`)),
]

try {
  const rows = []
  const slow = []
  print(['work', 'program', 'time', 'ratio (quartiles)', 'peak', ...(before.length > 0 ? ['ratio before'] : [])])
  print(['---', '---', '---:', '---:', '---:', ...(before.length > 0 ? ['---:'] : [])])
  for (const {
    title,
    rounds,
    variants,
    prepare = [],
    most = {},
    mostMemory = {},
    memory = false,
    cpu = false,
  } of cases) {
    if (flags.only !== undefined && !title.includes(flags.only)) continue
    if (flags.check === true && Object.keys({ ...most, ...mostMemory }).length === 0) continue
    for (const words of prepare) await usageOf(words, env)
    const optional = Object.keys(variants).filter((name) => ![node, executable].includes(variants[name][0]))
    const count = flags.quick === true || flags.check === true ? Math.ceil(rounds / 5) : rounds
    const measured = await interleaved(variants, { rounds: count, env, memory, cpu, optional })
    for (const row of measured) {
      rows.push({ title, ...row })
      printRow(title, row)
    }
    for (const [name, limit] of Object.entries(most)) {
      const ratio = measured.find((row) => row.name === name)?.ratio[0] ?? Infinity
      if (ratio > limit) slow.push(`${title}: ${name} takes ${ratio.toFixed(2)} times as long, the limit is ${limit}`)
    }
    for (const [name, limit] of Object.entries(mostMemory)) {
      const peak = (measured.find((row) => row.name === name)?.peak ?? Infinity) / 2 ** 20
      if (peak > limit) slow.push(`${title}: ${name} takes ${peak.toFixed(0)} MiB, the limit is ${limit}`)
    }
  }
  const [{ model }] = cpus()
  console.log(`\n${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${cpus().length} × ${model}`)
  if (flags.check === true && slow.length > 0) {
    for (const line of slow) console.error(line)
    process.exitCode = 1
  }
  if (flags.save !== undefined) await writeFile(flags.save, JSON.stringify({ node: process.versions.node, rows }))
} finally {
  server.end()
  await rm(home, { recursive: true, force: true })
}

function printRow(title, { name, milliseconds, ratio: [middle, low, high], peak }) {
  const earlier = before.find((row) => row.title === title && row.name === name)
  print([
    title,
    `\`${name}\``,
    `${milliseconds.toFixed(milliseconds < 100 ? 1 : 0)} ms`,
    `${middle.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`,
    peak === undefined ? '' : `${(peak / 2 ** 20).toFixed(0)} MiB`,
    ...(before.length > 0 ? [earlier === undefined ? '' : earlier.ratio[0].toFixed(2)] : []),
  ])
}

function print(cells) {
  console.log(`| ${cells.join(' | ')} |`)
}

/** A line of tug without quotes. */
function tug(line) {
  return [node, program, ...line.split(' ')]
}

function bare(task, ...rest) {
  return [node, join(import.meta.dirname, 'baseline.mjs'), task, origin, ...rest]
}

/** A line of tug whose questions are answered with yes. */
function answered(line) {
  return [node, join(import.meta.dirname, 'answered.mjs'), ...tug(line).slice(1)]
}

/** A command for many secrets, and the least that it needs: the same requests, 16 at a time, parsed, and one file. */
function inBulk(command, { least, line, prepare = [] }) {
  const name = `tug kv ${command}`
  return {
    title: `${thousands(bulk)} secrets, ${command}, cpu time`,
    rounds: 5,
    cpu: true,
    prepare,
    most: { [name]: 6 },
    mostMemory: { [name]: 200 },
    variants: { 'node:http, 16 at a time': least, [name]: tug(line) },
  }
}

/** A tool's line, if it is installed. */
function official(tool, words) {
  return tool === undefined
    ? {}
    : { [[tool, ...words.slice(0, 2)].filter((word) => !/^-|:/.test(word)).join(' ')]: [tool, ...words] }
}

/** The same work on more and more rows: the ratios show whether it grows faster than they do. */
function growing(title, lineOf) {
  const variants = Object.fromEntries(growth.map((rows) => [`${thousands(rows)} rows`, lineOf(rows)]))
  return { title: `growth: ${title}`, rounds: 5, memory: true, variants }
}

function thousands(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',')
}

async function writeJobFile(name) {
  const file = join(home, `${name}.json`)
  const ID = name.replace('jobs/', '')
  const Priority = Number(/\d+$/.exec(ID)?.[0]) % 40 === 0 ? 60 : 50
  await writeFile(file, JSON.stringify({ Job: { ID, Name: ID, Type: 'service', Priority, TaskGroups: [] } }))
  return file
}
