// Takes the screens of docs/screens.md from the built program and its local server: each command in a terminal of 80 and of
// 120 columns. Run it after a build: node scripts/screens.mjs
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { spawn } from '@lydell/node-pty'

const widths = [80, 120]

/** The lines, those of the README first; one with `before` needs that to be run first. */
const commands = [
  'job status stuck',
  'kv set app/db --generate password',
  "explorer query workspaces --filter 'drifted is true' --fields workspace_name,resources_drifted --limit 2",
  { before: 'tug kv set app/db --generate password', line: 'kv diff app/db' },
  { before: 'tug kv set app/db --generate password', line: 'kv rollback app/db --to 4' },
  'job apply examples/web.hcl --yes',
  'status',
  "explorer query workspaces --filter 'drifted is true' --limit 8",
  'explorer query modules',
  'explorer summary workspaces --by current_run_status',
  'explorer summary workspaces --by project_name --sum resources_drifted,module_count',
  { before: baseline(), line: 'explorer diff workspaces yesterday.csv' },
  'explorer views list',
  { before: savedViews(), line: 'explorer views apply views.yaml' },
  'kv tree',
  'kv find --older-than 15d',
  'kv history app/db',
  'kv metadata get app/db',
  {
    before: 'tug kv copy app/ staging/ --recursive; tug kv set staging/db host=x',
    line: 'kv diff staging app --recursive',
  },
  { before: secrets(), line: 'kv import secrets.yaml app --plan' },
  'kmip role get storage backup',
  'kmip cred list --expiring 30d',
  'kmip cred generate storage backup --out-dir client',
  'job list',
  'job status',
  'job status web',
  'job status batch-broken',
  'job status cleanup',
  'job allocs web',
  'job deployments web',
  'job versions web --diffs',
  'job evals stuck',
  'job plan examples/web.hcl',
  'job plan examples/web-2.hcl',
  'job run examples/web.hcl',
  'job run examples/web.hcl --wait',
  'job run examples/failing.hcl --wait',
  'job start legacy --wait',
  'job actions web',
  'job action web flush --all',
  'job action web check --all',
  'job dispatch nightly examples/web.hcl --meta source=orders --wait',
  { before: "tug job scale web app 4 --message 'more for the sale'", line: 'job scale-status web' },
  'job services web',
]

/** An older result: one workspace was not drifted yet, and one didn't exist. */
function baseline() {
  const query =
    'tug explorer query workspaces --all -o csv --fields workspace_name,project_name,drifted,resources_drifted'
  return `${query} | sed '2s/true,4/false,0/;4d' > yesterday.csv`
}

function savedViews() {
  return `cat > views.yaml <<'end'
- name: Failed checks
  query_type: workspaces
  query: { filter: [{ field: checks_failed, operator: gt, value: ["2"] }] }
- name: Unlocked production
  query_type: workspaces
  query: { filter: [{ field: workspace_name, operator: contains, value: [prod] }] }
end`
}

function secrets() {
  return `printf 'cache: {host: cache.app.internal, port: 6380, tls: true}\nmail: {user: app}\n' > secrets.yaml`
}

/** A line of progress, up to the sequence that erases it. */
const erased = /[^\n]*\u001b\[\d?[JK]/g

/** What a terminal of so many columns shows while a line runs against the local server. */
function screenOf({ before = 'true', line }, columns) {
  const cwd = mkdtempSync(join(tmpdir(), 'tug-screens-'))
  symlinkSync(resolve('examples'), join(cwd, 'examples'))
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !['COLUMNS', 'CI'].includes(name)))
  const terminal = spawn(process.execPath, [resolve('bin/tug.js'), 'dev', '--', 'sh', '-c', shell(before, line)], {
    cwd,
    cols: columns,
    rows: 60,
    env: { ...env, NO_COLOR: '1', TERM: 'xterm' },
  })
  let shown = ''
  terminal.onData((piece) => {
    shown += piece
  })
  return new Promise((done) => {
    terminal.onExit(() => {
      rmSync(cwd, { recursive: true })
      done(
        stripVTControlCharacters(shown.replace(erased, ''))
          .replaceAll('\r\n', '\n')
          .replace(/[ \t]+$/gm, '')
          .trimEnd(),
      )
    })
  })
}

function shell(before, line) {
  return `{ ${before}\n} > before.log 2>&1\ntug ${line}; true`
}

const sections = []
for (const command of commands) {
  const { line } = typeof command === 'string' ? { line: command } : command
  sections.push(`## tug ${line}\n`)
  for (const columns of widths) {
    sections.push(
      `${columns} columns:\n\n\`\`\`text\n${await screenOf(typeof command === 'string' ? { line } : command, columns)}\n\`\`\`\n`,
    )
  }
}

await writeFile(
  'docs/screens.md',
  `# Screens

What the main commands show in a terminal, taken from the local server (\`tug dev\`) by \`node scripts/screens.mjs\`; colours are left
out. In a pipe the same tables come whole, however wide.

${sections.join('\n')}`,
)
