import * as api from '../../../api/kv.ts'
import { asJson, at, text } from '../../../core/answer.ts'
import type { Result } from '../../../core/command.ts'
import { cell, command, list } from '../../../core/command.ts'
import { exitCodes } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import type { Param } from '../../../core/param.ts'
import { flag, readLabelled } from '../../../core/param.ts'
import { plural } from '../../../core/words.ts'
import type { Failure } from '../../../bulk/account.ts'
import { openBulk } from '../../../bulk/engine.ts'
import { paceFlags, secretsAtOnce } from '../../../bulk/flags.ts'
import { begun } from '../backup/begun.ts'
import type { FoundPath } from '../backup/paths.ts'
import { pathsInOrder } from '../backup/paths.ts'
import { folderPath } from '../place.ts'
import type { Finding, FindingName } from './findings.ts'
import { compareFindings, findingNames } from './findings.ts'
import type { Rules } from './secret.ts'
import { auditSecret } from './secret.ts'
import { SharedValues } from './values.ts'

const view = list<Json>(
  [
    { name: 'path', value: (row) => at(row, 'path'), whole: true },
    { name: 'finding', value: (row) => at(row, 'finding'), show: (row) => cell(text(row, 'finding') ?? '', 'warn') },
    { name: 'detail', value: (row) => at(row, 'detail'), long: true },
  ],
  (row) => text(row, 'path') ?? '',
  { empty: 'nothing found' },
)

const days = 24 * 60 * 60 * 1000

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
  description: `Reads every secret below a folder, by default the whole mount, and lists what was found, one row each. Values are never shown, and compared only as hashes whose key exists during the run.

stale: the current value is older than --older-than, even if it was written again since. reused: several paths have the same value, under keys other than user, host and the like. placeholder: a value is empty, changeme, TODO or the name of its key. no-owner: custom metadata that --require-metadata names are missing. lingering: deleted versions that were never destroyed, older than --older-than. expiring: the current version will be deleted within 7 days.`,
  endpoint: [],
  also: [api.list, api.readMetadata, api.readData],
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
    const bulk = await openBulk(context, pace, { action: 'audit', parallel: secretsAtOnce })
    const rules: Rules = {
      only: new Set<FindingName>(only ?? findingNames),
      olderThan: olderThan?.milliseconds ?? 90 * days,
      requiredMetadata: requireMetadata ?? (only?.includes('no-owner') === true ? ['owner'] : []),
      shared: new SharedValues(),
    }
    const found = await begun(pathsInOrder(bulk.context, path))
    const findings: Finding[] = []
    const failures: Failure[] = []
    let secrets = 0
    const look = async ({ path: item, failure }: FoundPath) => {
      if (failure !== undefined) throw failure
      return auditSecret(bulk.context, item, rules)
    }
    for await (const outcome of bulk.read('reading secrets', found, look)) {
      if ('error' in outcome) failures.push({ item: outcome.item.path, error: outcome.error })
      else {
        secrets += 1
        findings.push(...outcome.value)
      }
    }
    findings.push(...rules.shared.findings())
    const paths = new Set(findings.map((finding) => finding.path))
    const isFound = exitCode === true && findings.length > 0
    return {
      data: findings.toSorted(compareFindings).map(asJson),
      view,
      finish: () => {
        context.io.note(`${plural(findings.length, 'finding')} in ${paths.size} of ${plural(secrets, 'secret')}`)
        for (const { item, error } of failures) context.io.warn(`${item}: ${error.message}`)
      },
      ...(failures.length > 0 ? { exitCode: exitCodes.partial } : isFound ? { exitCode: exitCodes.differences } : {}),
    }
  },
})
