import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from './support/dev.ts'
import { exampleFiles } from './support/example-files.ts'
import { scratchFolder } from './support/folder.ts'
import { tug } from './support/run.ts'
import { now, steady, still } from './support/story.ts'

/**
 * Outputs as a terminal of 80 columns and 24 lines shows them, and the beginnings of those with all columns and for programs: a
 * column, a header, a cell, a value or a note that changes is noticed. `vitest -u` writes them; read what changed.
 */

const lines = [
  'explorer fields workspaces',
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
]

test.each(lines)('tug %s', async (line) => {
  const { env, origin } = await startDevServer({ clock: still })
  const cwd = scratchFolder()
  for (const [name, content] of Object.entries(exampleFiles)) {
    if (line.includes(name))
      writeFileSync(join(cwd, name), await content(async (ask) => (await tug(ask, { env })).stdout))
  }
  const outputs = []
  for (const [flags, columns, most] of [
    ['', 80, 24],
    ['-o wide', undefined, 4],
    ['-o csv', undefined, 3],
    ['-o name', undefined, 2],
  ] as const) {
    // Progress would come and go with the machine's speed.
    const terminals = columns === undefined ? {} : { stdout: columns }
    const { exit, stdout, stderr } = await tug(`${line} ${flags}`, {
      env: { ...env, NO_COLOR: '1' },
      cwd,
      now,
      terminals,
    })
    const status = exit === 0 ? '' : `exit ${exit}\n`
    outputs.push(`$ tug ${line} ${flags}`.trimEnd(), '\n', steady(beginning(stdout, most) + stderr, origin), status)
  }
  await expect(outputs.join('')).toMatchFileSnapshot(`screens/${line.replaceAll(/[^\w]+/g, '-').replace(/-$/, '')}.txt`)
})

function beginning(text: string, most: number): string {
  const whole = text.trimEnd().split('\n')
  return whole.length <= most ? text : `${whole.slice(0, most).join('\n')}\n…\n`
}
