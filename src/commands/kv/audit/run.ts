import { asJson, at, text } from '../../../core/answer.ts'
import type { Result } from '../../../core/command.ts'
import { cell, list } from '../../../core/command.ts'
import { exitCodes } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import type { Context } from '../../../core/context.ts'
import { plural } from '../../../core/words.ts'
import type { Failure } from '../../../bulk/account.ts'
import { openBulk } from '../../../bulk/engine.ts'
import type { BulkInput } from '../../../bulk/flags.ts'
import { secretsAtOnce } from '../../../bulk/flags.ts'
import { begun } from '../backup/begun.ts'
import type { FoundPath } from '../backup/paths.ts'
import { pathsInOrder } from '../backup/paths.ts'
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

/** What to look for, as it was typed. */
interface AuditOptions {
  /** Milliseconds. */
  readonly olderThan: number | undefined
  readonly requireMetadata: readonly string[] | undefined
  readonly only: readonly FindingName[] | undefined
  readonly exitCode: boolean
  readonly pace: BulkInput
}

/** Audits every secret below a folder. */
export async function auditFolder(
  context: Context,
  path: string,
  { olderThan, requireMetadata, only, exitCode, pace }: AuditOptions,
): Promise<Result> {
  const bulk = await openBulk(context, pace, { action: 'audit', parallel: secretsAtOnce })
  const rules: Rules = {
    only: new Set<FindingName>(only ?? findingNames),
    olderThan: olderThan ?? 90 * days,
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
  const isFound = exitCode && findings.length > 0
  return {
    data: findings.toSorted(compareFindings).map(asJson),
    view,
    finish: () => {
      context.io.note(`${plural(findings.length, 'finding')} in ${paths.size} of ${plural(secrets, 'secret')}`)
      for (const { item, error } of failures) context.io.warn(`${item}: ${error.message}`)
    },
    ...(failures.length > 0 ? { exitCode: exitCodes.partial } : isFound ? { exitCode: exitCodes.differences } : {}),
  }
}
