import { mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import * as api from '../../api/jobs.ts'
import { openBulk } from '../../bulk/engine.ts'
import type { Done } from '../../bulk/engine.ts'
import { known } from '../../core/answer.ts'
import type { Context } from '../../core/context.ts'
import { usageError } from '../../core/errors.ts'
import { plural } from '../../core/words.ts'
import { writeFileWhole } from '../../output/files.ts'
import { fileReason } from '../../output/io.ts'
import { exportedFiles } from './exported.ts'
import type { ExportedFile } from './exported.ts'
import { jobsAtOnce, runMany } from './many.ts'
import type { Target } from './targets.ts'
import { ofTarget, targetOf, targetsOf } from './targets.ts'
import type { Result } from '../../core/command.ts'
import type { ExportInput } from './export.ts'

const notWaiting = { wait: false, until: undefined, waitForCapacity: undefined, waitTimeout: undefined }

/** The work of the command. */
export async function exportJobs(input: ExportInput, context: Context): Promise<Result> {
  const bulk = await openBulk(context, input, { action: 'job export', parallel: jobsAtOnce })
  const all = input.jobs.length === 0 && input.filter === undefined
  const targets = all ? await allJobs(bulk.context) : await targetsOf(bulk.context, input)
  const written = new Map<string, readonly ExportedFile[]>()
  return runMany<Target>(bulk, notWaiting, {
    what: 'exporting jobs',
    action: 'export',
    items: targets,
    send: async (here, target): Promise<Done> => {
      const files = await filesOf(here, target)
      await writeAll(here, files, { folder: input.outputDir, replace: input.force === true })
      written.set(target.name, files)
      return {}
    },
    done: ({ counts }) => `exported ${plural(counts.done, 'job')} to ${input.outputDir}${privateWords(written)}`,
    dataOf: ({ id, name }) => ({
      job: id,
      files: (written.get(name) ?? []).map(({ path }) => join(input.outputDir, path)),
    }),
  })
}

function privateWords(written: ReadonlyMap<string, readonly ExportedFile[]>): string {
  const count = [...written.values()].flat().filter(({ isPrivate }) => isPrivate).length
  return count === 0 ? '' : `; ${plural(count, 'file')} may have secrets (mode 0600)`
}

async function allJobs(context: Context): Promise<Target[]> {
  const listed = await context.http.send(api.list({}))
  return (known(listed.value) ?? [])
    .filter(({ ParentID }) => (ParentID ?? '') === '')
    .map((stub) => targetOf(context, stub))
}

async function filesOf(context: Context, target: Target): Promise<ExportedFile[]> {
  const { query = [] } = ofTarget(context, target)
  const job = (await context.http.send(api.read({ job: target.id }, { query }))).value
  const version = String(job.Version ?? 0)
  const request = api.submission({ job: target.id }, { query: [...query, ['version', version]], allow: [404] })
  const response = await context.http.send(request)
  return exportedFiles(known(job), response.status === 404 ? undefined : response.value)
}

async function writeAll(
  context: Context,
  files: readonly ExportedFile[],
  { folder, replace }: { readonly folder: string; readonly replace: boolean },
): Promise<void> {
  for (const { path, content, isPrivate } of files) {
    const place = resolve(context.io.cwd, folder, path)
    await mkdir(dirname(place), { recursive: true }).catch((error: unknown) => {
      throw usageError(`cannot write ${join(folder, path)}: ${fileReason(error)}`)
    })
    const options = { replace, private: isPrivate, onExit: context.onExit, signal: context.signal }
    await writeFileWhole(place, content, options)
  }
}
