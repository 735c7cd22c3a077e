import * as api from '../../api/jobs.ts'
import { asJson } from '../../core/answer.ts'
import { command } from '../../core/command.ts'
import { exitCodes, TugError } from '../../core/errors.ts'
import { argument, flag } from '../../core/param.ts'
import { isUnchanged, tidied } from './plan/changes.ts'
import { documentDiff } from './plan/documents.ts'
import { maskedDiff, showValuesFlag } from './plan/masks.ts'
import { planDocument } from './plan/view.ts'
import { jobArgument, versionNamed, versionsOf } from './jobs.ts'

export const diff = command({
  name: 'diff',
  summary: 'Show how two versions of a job differ',
  description:
    'By default the current version is compared with the one before; one version is compared with the current one. Values that look secret are masked, unless --show-values.',
  params: {
    job: jobArgument,
    from: argument.text('the version or tag to compare with', { placeholder: 'from', complete: 'job-version' }),
    to: argument.text('the version or tag that is compared', { placeholder: 'to', complete: 'job-version' }),
    exitCode: flag.boolean('exit with 9 if they differ'),
    showValues: showValuesFlag,
  },
  also: [api.versions],
  examples: [
    { line: 'job diff web', note: 'what the last change was' },
    { line: 'job diff web 3', note: 'what has changed since version 3' },
    { line: 'job diff web 1 3 -o md', note: 'between two versions (or tags), for a comment' },
  ],
  run: async (input, context) => {
    const { job: id, from, to, showValues = false } = input
    const versions = await versionsOf(context, id)
    const [current, previous] = versions
    const job = to === undefined ? current : versionNamed(versions, id, to)
    const before = from === undefined ? previous : versionNamed(versions, id, from)
    if (job === undefined || before === undefined)
      throw new TugError('not_found', `${id} has only one version`, {
        hints: [`see: ${context.commandLine('job get', id)}`],
      })
    const documents = documentDiff(before, job)
    // That a job was stopped or started is not part of its document.
    const [Old, New] = [before, job].map(({ Stop }) => String(Stop === true))
    const stop = Old === New ? [] : [{ Type: 'Edited', Name: 'Stop', Old, New }]
    const Diff = tidied({ ...documents, ID: id, Fields: [...stop, ...(documents.Fields ?? [])] })
    const isChanged = !isUnchanged(Diff)
    return {
      data: asJson(showValues ? Diff : maskedDiff(Diff)),
      view: planDocument({ answer: { Diff }, job, isChanged, showValues }),
      ...(input.exitCode === true && isChanged ? { exitCode: exitCodes.differences } : {}),
    }
  },
})
