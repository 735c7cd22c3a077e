import { plural } from '../../../core/words.ts'
import type { BulkReads, Failure } from '../../../read/bulk.ts'
import { exitStatus, openReads, warnFailures } from '../../../read/bulk.ts'
import * as api from '../../../api/kv.ts'
import { asJson } from '../../../core/answer.ts'
import type { Result, Rows } from '../../../core/command.ts'
import { cell, command, list } from '../../../core/command.ts'
import { flag } from '../../../core/param.ts'
import { folderPath } from '../place.ts'
import type { FoundPath } from '../walk.ts'
import { readFound, secretsIn } from '../walk.ts'
import type { Finding, Rules } from './findings.ts'
import { SharedValues, auditSecret, findingNames } from './findings.ts'

const allNames: readonly string[] = findingNames

function readFinding(name: string): string {
  if (!allNames.includes(name)) throw new RangeError(`'${name}' is not one of ${allNames.join(', ')}`)
  return name
}

export const audit = command({
  name: 'audit',
  summary: 'Find stale, reused and placeholder values',
  description: `Reads every secret below a folder, by default the whole mount, and lists what was found, one row each; reused values come last. Values are never shown, and compared only as hashes whose key exists during the run.

stale: the current value is older than --older-than, even if it was written again since. reused: several paths have the same value, under keys other than user, host and the like. placeholder: a value is empty, changeme, TODO or the name of its key.`,
  endpoint: [],
  also: [api.list, api.readMetadata, api.readData, api.readMount],
  params: {
    path: folderPath,
    olderThan: flag.longDuration('age from which values are stale', { defaultText: '90d' }),
    only: flag.list(`findings to look for: ${allNames.join(', ')} (default: all)`, {
      placeholder: 'finding,…',
      item: readFinding,
    }),
    exitCode: flag.boolean('exit with 9 if anything is found'),
  },
  examples: [
    { line: 'kv audit', note: 'the whole mount' },
    { line: 'kv audit team/ --older-than 180d', note: 'a folder, with another age' },
    { line: 'kv audit --only reused,placeholder -o json', note: 'some findings, for a report' },
  ],
  async run({ path = '', olderThan, only, exitCode }, context): Promise<Result> {
    if (olderThan?.doubt !== undefined) context.io.doubt(`--older-than ${olderThan.doubt}`)
    const bulk = openReads(context)
    const rules: Rules = {
      only: new Set(only ?? allNames),
      olderThan: olderThan?.milliseconds ?? 90 * days,
      shared: new SharedValues(),
    }
    const found = await secretsIn(bulk.context, path)
    const tally: Tally = { findings: 0, secrets: 0, paths: new Set(), failures: [] }
    return {
      rows: rowsOf(bulk, found, rules, tally),
      view,
      finish: () => {
        const { findings, secrets, paths, failures } = tally
        context.io.note(`${plural(findings, 'finding')} in ${paths.size} of ${plural(secrets, 'secret')}`)
        warnFailures(context.io, failures)
        return exitStatus(failures.length > 0, exitCode === true && findings > 0)
      },
    }
  },
})

const view = list<Finding>(
  [
    { name: 'path', value: ({ path }) => path, whole: true },
    { name: 'finding', value: ({ finding }) => finding, show: ({ finding }) => cell(finding, 'warn') },
    { name: 'detail', value: ({ detail }) => detail, long: true },
  ],
  ({ path }) => path,
  { empty: 'nothing found' },
)

const days = 24 * 60 * 60 * 1000

interface Tally {
  findings: number
  secrets: number
  /** Secrets with a finding. */
  readonly paths: Set<string>
  readonly failures: Failure[]
}

/** The findings of each secret as it is read; values that several secrets share are known at the end. */
async function* rowsOf(bulk: BulkReads, found: AsyncIterable<FoundPath>, rules: Rules, tally: Tally): Rows {
  const counted = (findings: readonly Finding[]) => {
    tally.findings += findings.length
    for (const { path } of findings) tally.paths.add(path)
    return findings.map(asJson)
  }
  const { failures } = tally
  const look = (path: string) => auditSecret(bulk.context, path, rules)
  for await (const findings of readFound(bulk, 'reading secrets', { found, failures }, look)) {
    tally.secrets += 1
    yield counted(findings)
  }
  for (const findings of rules.shared.findings()) yield counted(findings)
}
