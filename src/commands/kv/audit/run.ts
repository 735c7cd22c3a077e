import { asJson } from '../../../core/answer.ts'
import type { Result, Rows } from '../../../core/command.ts'
import { cell, list } from '../../../core/command.ts'
import { exitCodes } from '../../../core/errors.ts'
import type { Context } from '../../../core/context.ts'
import { plural } from '../../../core/words.ts'
import type { Failure } from '../../../bulk/account.ts'
import { warnFailures } from '../../../bulk/account.ts'
import type { Bulk } from '../../../bulk/engine.ts'
import { openBulk } from '../../../bulk/engine.ts'
import type { BulkInput } from '../../../bulk/flags.ts'
import { secretsAtOnce } from '../../../bulk/flags.ts'
import type { FoundPath } from '../walk.ts'
import { secretsIn } from '../walk.ts'
import type { Finding, FindingName } from './audit.ts'
import { findingNames } from './audit.ts'
import type { Rules } from './secret.ts'
import { auditSecret } from './secret.ts'
import { SharedValues } from './values.ts'

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

/** What to look for, as typed. */
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
  const found = await secretsIn(bulk.context, path)
  const tally: Tally = { findings: 0, secrets: 0, paths: new Set(), failures: [] }
  return {
    rows: rowsOf(bulk, found, { rules, tally }),
    view,
    finish: () => {
      const { findings, secrets, paths, failures } = tally
      context.io.note(`${plural(findings, 'finding')} in ${paths.size} of ${plural(secrets, 'secret')}`)
      warnFailures(context.io, failures)
      if (failures.length > 0) return exitCodes.partial
      return exitCode && findings > 0 ? exitCodes.differences : undefined
    },
  }
}

interface Tally {
  findings: number
  secrets: number
  /** Secrets with a finding. */
  readonly paths: Set<string>
  readonly failures: Failure[]
}

/** The findings of each secret as it is read; values that several secrets share are known at the end. */
async function* rowsOf(
  bulk: Bulk,
  found: AsyncIterable<FoundPath>,
  { rules, tally }: { readonly rules: Rules; readonly tally: Tally },
): Rows {
  const counted = (findings: readonly Finding[]) => {
    tally.findings += findings.length
    for (const { path } of findings) tally.paths.add(path)
    return findings.map(asJson)
  }
  const look = async ({ path, failure }: FoundPath) => {
    if (failure !== undefined) throw failure
    return auditSecret(bulk.context, path, rules)
  }
  for await (const outcome of bulk.read('reading secrets', found, look)) {
    if ('error' in outcome) tally.failures.push({ item: outcome.item.path, error: outcome.error })
    else {
      tally.secrets += 1
      if (outcome.value.length > 0) yield counted(outcome.value)
    }
  }
  for (const findings of rules.shared.findings()) yield counted(findings)
}
