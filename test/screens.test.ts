import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from './support/dev.ts'
import { exampleFiles } from './support/example-files.ts'
import { scratchFolder } from './support/folder.ts'
import { tug } from './support/run.ts'
import { now, steady, still } from './support/story.ts'

/**
 * Whole outputs, as a terminal of 80 columns shows them, with all columns, for a document and for a program: a column, a header,
 * a cell, a value or a note that changes is noticed. `vitest -u` writes them; read what changed.
 */

const lines = [
  'explorer fields workspaces',
  'explorer fields modules',
  'explorer fields providers',
  'explorer fields tf_versions',
  'explorer fields resources',
  'explorer query workspaces --limit 5',
  'explorer query modules --limit 4',
  'explorer query providers --limit 4',
  'explorer query tf_versions',
  'explorer summary workspaces --by current_run_status',
  'explorer summary workspaces --by project_name,current_run_status --sum resources_drifted',
  'explorer views list',
  "explorer views get 'Modules by use'",
  'kv tree',
  'kv list app',
  'kv get app/db',
  'kv get app/db --version 1',
  'kv subkeys app/db',
  'kv history app/db',
  'kv metadata get app/db',
  'kv config get',
  'kv find db',
  'kv diff app/db 3 4',
  'kv diff app/db 3 4 --show-values',
  'kv diff app team --recursive',
  'kmip scope list',
  'kmip role list storage',
  'kmip role get storage backup',
  'kmip config get',
  'kmip ca',
  'job list',
  'job list --namespace *',
  'job get web',
  'job get nightly',
  'job status web',
  'job status stuck',
  'job allocs web',
  'job allocs web --all',
  'job evals web',
  'job deployments web',
  'job deployment web',
  'job versions web',
  'job versions web --diffs',
  'job summary web',
  'job summary nightly',
  'job scale-status web',
  'job services web',
  'job actions web',
  'job submission web --version 3',
  'job plan web.hcl',
  "explorer diff workspaces yesterday.json -f 'drifted is true'",
  'explorer views apply views.yaml',
  'endpoints',
  'status',
  'help exit-codes',
  'help environment',
  'help output',
  'help filters',
  'help job-filters',
  'help dialects',
  'help faults',
]

test.each(lines)('tug %s', async (line) => {
  const { env, origin } = await startDevServer({ clock: still })
  const cwd = scratchFolder()
  for (const [name, content] of Object.entries(exampleFiles)) {
    if (line.includes(name))
      writeFileSync(join(cwd, name), await content(async (ask) => (await tug(ask, { env })).stdout))
  }
  const outputs = []
  for (const [flags, columns] of [
    ['', 80],
    ['-o wide', undefined],
    ['-o md', undefined],
    ['-o csv', undefined],
    ['-o name', undefined],
  ] as const) {
    if (flags !== '' && line.startsWith('help')) continue
    // Progress would come and go with the machine's speed.
    const terminals = columns === undefined ? {} : { stdout: columns }
    const { exit, stdout, stderr } = await tug(`${line} ${flags}`, {
      env: { ...env, NO_COLOR: '1' },
      cwd,
      now,
      terminals,
    })
    outputs.push(`$ tug ${line} ${flags}`.trimEnd(), steady(stdout + stderr, origin), `exit ${exit}`, '')
  }
  await expect(outputs.join('\n')).toMatchFileSnapshot(
    `screens/${line.replaceAll(/[^\w]+/g, '-').replace(/-$/, '')}.txt`,
  )
})
