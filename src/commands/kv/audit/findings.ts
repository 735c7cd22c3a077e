/** What an audit can find. */
export const findingNames = ['stale', 'reused', 'placeholder', 'no-owner', 'lingering', 'expiring'] as const

export type FindingName = (typeof findingNames)[number]

/** One row of an audit. No value, nor anything about one, is part of it. */
export interface Finding {
  readonly path: string
  readonly finding: FindingName
  readonly detail: string
}
