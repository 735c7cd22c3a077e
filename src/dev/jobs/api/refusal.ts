/** What the server says no with: a status and a plain text (contract b.0). */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** `N errors occurred:` with one starred line each, as the server joins several errors into one text. */
export function joinErrors(errors: readonly string[]): string {
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`
  return `${count} occurred:\n\t${errors.map((error) => `* ${error}`).join('\n\t')}\n\n`
}

/** `N warnings:` with one starred line each; empty when there is none. */
export function joinWarnings(warnings: readonly string[]): string {
  if (warnings.length === 0) return ''
  const count = warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`
  return `${count}:\n\n${warnings.map((warning) => `* ${warning}`).join('\n')}`
}
