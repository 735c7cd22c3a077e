import type { Json } from '../../../core/json.ts'
import type { DocumentView } from '../../../core/command.ts'

/** What rendering a plan needs besides the server's answer. */
export interface PlanOptions {
  /** The job that was planned. */
  readonly job: Json
  /** False: values in env, templates, meta and tokens are masked, but differences stay visible. */
  readonly showValues: boolean
  /** The command that applies exactly this plan: `tug job run --check-index 77 web.hcl`; undefined if nothing would change. */
  readonly applyLine: string | undefined
}

/** Renders the server's answer as a document for people. */
export type PlanDocument = (plan: Json, options: PlanOptions) => DocumentView
