import * as api from '../../../api/kv.ts'
import type { Result } from '../../../core/command.ts'
import { command } from '../../../core/command.ts'
import type { Param } from '../../../core/param.ts'
import { flag, readLabelled } from '../../../core/param.ts'
import { paceFlags } from '../../../bulk/flags.ts'
import { folderPath } from '../place.ts'

/** What an audit can find. */
export const findingNames = ['stale', 'reused', 'placeholder', 'no-owner', 'lingering', 'expiring'] as const

export type FindingName = (typeof findingNames)[number]

/** One row of an audit. No value, nor anything about one, is part of it. */
export interface Finding {
  readonly path: string
  readonly finding: FindingName
  readonly detail: string
}

const onlyNames = flag.list(`findings to look for: ${findingNames.join(', ')} (default: all)`, {
  placeholder: 'finding,…',
})

const onlyFlag: Param<FindingName[] | undefined> = {
  ...onlyNames,
  read: (texts, label) => onlyNames.read(texts, label)?.map((name) => readLabelled(readFinding, name, label)),
}

function readFinding(name: string): FindingName {
  const found = findingNames.find((one) => one === name)
  if (found === undefined) throw new RangeError(`'${name}' is not one of ${findingNames.join(', ')}`)
  return found
}

export const audit = command({
  name: 'audit',
  summary: 'Find stale, reused and placeholder values, and secrets without an owner',
  description: `Reads every secret below a folder, by default the whole mount, and lists what was found, one row each; reused values come last. Values are never shown, and compared only as hashes whose key exists during the run.

stale: the current value is older than --older-than, even if it was written again since. reused: several paths have the same value, under keys other than user, host and the like. placeholder: a value is empty, changeme, TODO or the name of its key. no-owner: custom metadata that --require-metadata names are missing. lingering: deleted versions that were never destroyed, older than --older-than. expiring: the current version will be deleted within 7 days.`,
  endpoint: [],
  also: [api.list, api.readMetadata, api.readData, api.readMount],
  params: {
    path: folderPath,
    olderThan: flag.longDuration('age from which values are stale and deleted versions lingering', {
      defaultText: '90d',
    }),
    requireMetadata: flag.list('custom metadata that every secret should have, such as owner', {
      placeholder: 'key,…',
    }),
    only: onlyFlag,
    exitCode: flag.boolean('exit with 9 if anything is found'),
    ...paceFlags,
  },
  examples: [
    { line: 'kv audit', note: 'the whole mount' },
    { line: 'kv audit team/ --require-metadata owner --older-than 180d', note: 'a folder, with rules of its own' },
    { line: 'kv audit --only reused,placeholder -o json', note: 'some findings, for a report' },
  ],
  async run({ path = '', olderThan, requireMetadata, only, exitCode, ...pace }, context): Promise<Result> {
    if (olderThan?.doubt !== undefined) context.io.warn(`--older-than ${olderThan.doubt}`)
    const { auditFolder } = await import('./run.ts')
    const limits = { olderThan: olderThan?.milliseconds, requireMetadata, only }
    return auditFolder(context, path, { ...limits, exitCode: exitCode === true, pace })
  },
})
