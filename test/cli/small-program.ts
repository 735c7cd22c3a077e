import { command } from '../../src/core/command.ts'
import { group } from '../../src/core/group.ts'
import { endpoint } from '../../src/core/endpoint.ts'
import { any, json } from '../../src/core/shape.ts'
import { argument, flag, passThrough, path, query } from '../../src/core/param.ts'
import { globalFlags, groupFlags } from '../../src/config/settings.ts'
import { loadProgram } from '../../src/cli/catalogue.ts'
import type { Tree } from '../../src/cli/route.ts'

const run = async () => undefined
const answers = json(any)

const get = command({
  name: 'get',
  summary: 'Read a secret',
  description: `.dots, 'quotes' and back\\slashes - all of them stay.

  indented   lines -- stay
  .too`,
  endpoint: endpoint('GET /v1/{mount}/data/{path}', { acl: 'read', answers }),
  params: {
    path: path.segments('the secret', { complete: 'secret-path' }),
    version: query.integer('which version: 0 is the latest', { min: 0 }),
    field: flag.text("print one value, as it is; it's raw", { placeholder: 'name' }),
    from: flag.text('a file', { complete: 'file', short: 'f' }),
    all: flag.boolean('everything', { short: 'a' }),
  },
  examples: [{ line: "kv get app/db --field 'pass word'", note: 'one value — raw' }],
  run,
})

const put = command({
  name: 'put',
  summary: 'Write a secret',
  endpoint: endpoint('POST /v1/{mount}/data/{path}', { answers }),
  params: {
    path: path.segments('the secret', { complete: 'secret-path' }),
    data: argument.texts('key=value', { required: true, placeholder: 'data', complete: 'file' }),
    casRequired: flag.boolean('demand check-and-set'),
  },
  examples: [{ line: 'kv put app/db a=b', note: 'write `a`' }],
  run,
})

const configGet = command({
  name: 'get',
  summary: 'Read the configuration',
  endpoint: endpoint('GET /v1/{mount}/config', { answers }),
  params: { type: flag.choice('the key', ['rsa', 'ec', 'ed25519']) },
  examples: [{ line: 'kv config get', note: 'all' }],
  run,
})

const exec = command({
  name: 'exec',
  summary: 'Run a command with a secret',
  endpoint: endpoint('GET /v1/{mount}/data/{path}', { answers }),
  params: { path: path.segments('the secret', { complete: 'secret-path' }), words: passThrough('the command') },
  examples: [{ line: 'kv exec app/db -- env', note: 'run env' }],
  run,
})

const queryView = command({
  name: 'query',
  summary: 'Query a view',
  endpoint: endpoint('GET /organizations/{org}/explorer', { answers }),
  params: {
    view: argument.choice('the view', ['workspaces', 'modules'], { required: true, complete: 'explorer-view' }),
    filter: query.texts('a filter', { short: 'f', placeholder: 'expr', complete: 'explorer-filter' }),
    fields: query.list('fields', { complete: 'explorer-field' }),
    sort: query.text('sort', { short: 's', complete: 'explorer-field' }),
  },
  examples: [{ line: 'explorer query workspaces', note: 'all' }],
  run,
})

const jobGet = command({
  name: 'get',
  summary: 'Read a job',
  endpoint: endpoint('GET /v1/job/{job}', { acl: 'namespace:read-job', blocking: true, answers }),
  params: { job: path.segment('the job', { complete: 'job' }) },
  examples: [{ line: 'job get web', note: 'one' }],
  run,
})

const jobRun = command({
  name: 'run',
  summary: 'Run a job file',
  endpoint: endpoint('POST /v1/jobs', { answers }),
  params: { file: argument.text('the job file', { required: true, complete: 'file' }) },
  examples: [{ line: 'job run web.hcl', note: 'one' }],
  run,
})

const completion = command({
  name: 'completion',
  summary: 'Print a completion script',
  params: { shell: argument.choice('the shell', ['bash', 'zsh', 'fish'], { required: true }) },
  examples: [{ line: 'completion bash', note: 'for bash' }],
  run,
})

const dev = command({
  name: 'dev',
  summary: 'Run a local server',
  params: { port: flag.integer('port'), words: { ...passThrough('the command'), required: false } },
  examples: [{ line: 'dev -- tug job get web', note: 'one' }],
  run,
})

const kv = group('kv', 'Read and write versioned secrets', {
  get: async () => get,
  put: async () => put,
  exec: async () => exec,
  config: async () => group('config', 'The configuration', { get: async () => configGet }),
})
const explorer = group('explorer', 'Query data', { query: async () => queryView })
const job = group('job', 'Jobs', { get: async () => jobGet, run: async () => jobRun })

/** A command tree with one of everything that help, manuals and completions must support. */
export const smallTree: Tree = {
  summary: 'tug: One command line for everything.',
  entries: [explorer, kv, job, completion, dev].map((target) => ({
    name: target.name,
    summary: target.summary,
    load: async () => target,
  })),
  globals: globalFlags,
  groupParams: groupFlags,
}

export const smallProgram = await loadProgram(smallTree, '1.2.3')
