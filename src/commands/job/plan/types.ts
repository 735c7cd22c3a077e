import type { Json } from '../../../core/json.ts'
import type { DocumentView } from '../../../core/command.ts'

/** What the rendering of a plan needs beside the server's answer (spec: Diff structure; contract b.17). */
export interface PlanOptions {
  /** The job that was planned. */
  readonly job: Json
  /** False: values in env, templates, meta and tokens are masked, differences stay visible. */
  readonly showValues: boolean
  /** The command line that applies exactly this plan: `tug job run --check-index 77 web.hcl`; undefined where nothing would change. */
  readonly applyLine: string | undefined
}

/** The server's answer as a document for people; what `planDocument` of plan-diff.ts is. */
export type PlanDocument = (plan: Json, options: PlanOptions) => DocumentView
