/** A refused request: a status and a plain text. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** `N warnings:` with one starred line each; empty for none. */
export function joinWarnings(warnings: readonly string[]): string {
  if (warnings.length === 0) return ''
  const count = warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`
  return `${count}:\n\n${warnings.map((warning) => `* ${warning}`).join('\n')}`
}
