import { describe, expect, test } from 'vitest'
import { startDevServer } from '../support/dev.ts'
import { tug } from '../support/run.ts'

/** Names that differ, each in the spelling of either dialect, with servers that accept only one. */
describe.each(['neutral', 'hashicorp'] as const)('with %s servers', (dialect) => {
  const server = () => startDevServer({ dialect, strict: true })

  test.each([
    'explorer query workspaces --fields workspace_tool_version',
    'explorer query workspaces --fields workspace_terraform_version',
    "explorer query workspaces -f 'workspace_name does not contain prod' --sort=-workspace_tool_version",
    "explorer query workspaces -f 'workspace_name does_not_contain prod' --sort=-workspace_terraform_version",
    "explorer export workspaces -f 'workspace_terraform_version !~ 1.9' --fields workspace_tool_version",
    "explorer views create New --type workspaces -f 'workspace_terraform_version does_not_contain 1.9'",
    "explorer views create New --type workspaces -f 'workspace_tool_version !~ 1.9'",
    "explorer views update 'Failed checks' --fields workspace_terraform_version",
    'kv get app/db --wrap-ttl 60s',
    'kv -n team-a put x/y a=b',
    'job scale web app --error broken',
    'job scale web app 4 --message more',
    'job revert web 2 -y',
    'job stable web 2 --unset -y',
    'job action web flush --all',
  ])('tug %s', async (line) => {
    const { env } = await server()
    const { exit, stderr } = await tug(line, { env })
    expect(exit, stderr).toBe(0)
  })

  test('a dispatch with the same token starts one job', async () => {
    const { env } = await server()
    const dispatch = () => tug('job dispatch nightly --meta source=a --idempotency-token once -o name', { env })
    expect((await dispatch()).stdout).toBe((await dispatch()).stdout)
  })
})
