import * as jobs from '../../../api/jobs.ts'
import * as api from '../../../api/kv.ts'
import type { Result } from '../../../core/command.ts'
import { command } from '../../../core/command.ts'
import { usageError } from '../../../core/errors.ts'
import { flag } from '../../../core/param.ts'
import { paceFlags } from '../../../bulk/flags.ts'
import { secretOrFolder } from '../place.ts'

export const users = command({
  name: 'users',
  summary: 'Find the jobs that read a secret, broken references and unused secrets',
  description: `Reads every job of the scheduler and finds what its templates read: secret "…", with secret "…" and "…" | secret, with or without data/ in the path. Only tasks with the same namespace of the secrets store count. Needs both services.

A path that is made at run time, a template in a file and a vault block without templates are listed as undecidable. --dangling lists references to secrets that don't exist or are deleted, --orphans the secrets that no job names: only probably orphans if anything is undecidable.`,
  endpoint: [],
  also: [jobs.list, jobs.read, api.readMetadata, api.list, api.readMount],
  params: {
    path: secretOrFolder('secret, or a folder for everything in it', { required: false }),
    dangling: flag.boolean("list references to secrets that don't exist"),
    orphans: flag.boolean('list secrets that no job names'),
    exitCode: flag.boolean('with --dangling or --orphans, exit with 9 if there are any'),
    ...paceFlags,
  },
  examples: [
    { line: 'kv users app/db', note: 'who reads it? Before it is moved or deleted' },
    { line: 'kv users --dangling --exit-code', note: 'jobs whose templates cannot be rendered' },
    { line: 'kv users --orphans team/', note: 'secrets that nobody seems to read' },
  ],
  async run({ path, dangling = false, orphans = false, exitCode = false, ...pace }, context): Promise<Result> {
    const searches = dangling || orphans
    if (dangling && orphans) throw usageError('--dangling and --orphans cannot be combined')
    if (path === '' && !searches) throw usageError('name a secret or a folder, or pass --dangling or --orphans')
    if (exitCode && !searches) throw usageError('--exit-code needs --dangling or --orphans')
    const { findUsers } = await import('./run.ts')
    return findUsers(context, { path, dangling, orphans, exitCode, pace })
  },
})
