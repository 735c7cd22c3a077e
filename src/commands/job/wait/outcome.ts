import type { DocumentView } from '../../../core/command.ts'
import { cell, list } from '../../../core/command.ts'
import { formatSpan } from '../../../core/duration.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { Allocation } from './facts.ts'
import type { Expectation, Observed } from './observe.ts'
import type { StartedWork } from './params.ts'
import type { Verdict } from './verdict.ts'
import { chainEnds, deploymentOf, isTerminal } from './work.ts'

/** What is known at the end of a wait. */
export interface End {
  readonly jobId: string
  readonly started: StartedWork
  readonly expected: Expectation
  readonly observed: Observed
  readonly verdict: Verdict
  readonly milliseconds: number
}

/** The outcome as one object, as `-o json` prints it and the last event of `-o ndjson` contains it. */
export function outcomeRecord(end: End): JsonObject {
  const { jobId, started, expected, observed, verdict, milliseconds } = end
  return {
    job: jobId,
    namespace: started.namespace ?? null,
    kind: started.kind,
    outcome: verdict.outcome,
    reason: said(verdict),
    version: observed.ours?.version ?? null,
    evaluation: started.evalId === '' ? null : started.evalId,
    deployment: deploymentOf(expected, observed)?.id ?? null,
    seconds: milliseconds / 1000,
    allocations: allocationsOf(end).map(allocationRecord),
  }
}

/** The allocations that the verdict is about. One that vanished from the list counts only if it had ended before. */
function allocationsOf({ started, observed }: End): Allocation[] {
  const all = started.kind === 'stop' ? observed.allocations : chainEnds(observed)
  return all.filter((one) => one.isGone !== true || isTerminal(one))
}

function allocationRecord(one: Allocation): JsonObject {
  const { id, group, node, version, client, healthy = null, reason = null } = one
  return { id, group, node: node === '' ? null : node, version, status: client, healthy, reason }
}

/** How a success is shown to people: `web: deployment f2b45234 succeeded in 2s`; `row` is its {@link outcomeRecord}. */
export function outcomeView(end: End, row: JsonObject): DocumentView {
  const names = ['job', 'outcome', 'reason', 'version', 'evaluation', 'deployment', 'seconds'] as const
  const view = list<JsonObject>(
    names.map((name) => ({ name, value: (one) => one[name] ?? null, show: (one) => cell(String(one[name] ?? '')) })),
    () => end.jobId,
  )
  return {
    kind: 'document',
    text: () => `${end.jobId}: ${said(end.verdict)}${durationOf(end)}\n`,
    rows: { view, data: [row] },
  }
}

function durationOf({ expected, observed, verdict, milliseconds }: End): string {
  // The line ends with a command to paste.
  if (verdict.outcome === 'canary-ready') return ''
  const span = formatSpan(milliseconds)
  return deploymentOf(expected, observed) === undefined ? ` (${span})` : ` in ${span}`
}

/** The words of a verdict, whatever it is. */
export function said(verdict: Verdict): string {
  return verdict.outcome === 'waiting' ? `waiting for ${verdict.waitsFor}` : verdict.said
}
