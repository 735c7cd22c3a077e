// Takes the screens of docs/screens.md from the built program and its local server: each command in a terminal of 80 and of
// 120 columns. Run it after a build: node scripts/screens.mjs
import { writeFile } from 'node:fs/promises'
import { stripVTControlCharacters } from 'node:util'
import { spawn } from '@lydell/node-pty'

const widths = [80, 120]
const commands = [
  "explorer query workspaces --filter 'drifted is true' --limit 8",
  'explorer query modules',
  'explorer summary workspaces --by current_run_status',
  'explorer views list',
  'kv tree',
  'kv history app/db',
  'kv metadata get app/db',
  'kmip role get storage backup',
  'kmip cred list storage backup --details',
  'job list',
  'job status web',
  'job status stuck',
  'job allocs web',
  'job deployments web',
  'job versions web --diffs',
  'job plan examples/web.hcl',
  'job plan examples/web-2.hcl',
  'job run examples/web.hcl --wait',
  'job run examples/failing.hcl --wait',
  'job action web flush --all',
  'job action web check --all',
  'job dispatch nightly examples/web.hcl --meta source=orders --wait',
  'job scale-status web',
  'job services web',
  'status',
]

/** A line of progress, up to the sequence that erases it. */
// oxlint-disable-next-line no-control-regex
const erased = /[^\n]*\u001b\[\d?[JK]/g

/** What a terminal of so many columns shows while a line runs against the local server. */
function screenOf(line, columns) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !['COLUMNS', 'CI'].includes(name)))
  const terminal = spawn(process.execPath, ['bin/tug.js', 'dev', '--', 'sh', '-c', `tug ${line}; true`], {
    cols: columns,
    rows: 60,
    env: { ...env, NO_COLOR: '1', TERM: 'xterm' },
  })
  let shown = ''
  terminal.onData((piece) => {
    shown += piece
  })
  return new Promise((done) => {
    terminal.onExit(() =>
      done(
        stripVTControlCharacters(shown.replace(erased, ''))
          .replaceAll('\r\n', '\n')
          .replace(/[ \t]+$/gm, '')
          .trimEnd(),
      ),
    )
  })
}

const sections = []
for (const line of commands) {
  sections.push(`## tug ${line}\n`)
  for (const columns of widths) {
    sections.push(`${columns} columns:\n\n\`\`\`text\n${await screenOf(line, columns)}\n\`\`\`\n`)
  }
}

await writeFile(
  'docs/screens.md',
  `# Screens

What the main commands show in a terminal, taken from the local server (\`tug dev\`) by \`node scripts/screens.mjs\`; colours are left
out. In a pipe the same tables come whole, however wide.

${sections.join('\n')}`,
)
