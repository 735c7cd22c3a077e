import type { Host } from '../host.ts'
import { isSecret } from './redact.ts'

/** Secrets on their way into the log of a GitHub workflow, told to it before they are printed. */
export interface Masks {
  /** From now on this text may be part of what is printed. */
  add(text: string): void
  /** Says `::add-mask::` for each line of each secret that was not told yet. To be called before stdout is written. */
  announce(): void
}

/** True in a step of a GitHub workflow. */
export function inGitHub({ env }: Pick<Host, 'env'>): boolean {
  return env['GITHUB_ACTIONS'] === 'true'
}

/**
 * The masks of a run; outside of GitHub nothing is ever said. The lines go to stderr, which the runner reads as well, so that
 * stdout stays the result. A mask is one line, so a value of several lines has several.
 */
export function createMasks(host: Pick<Host, 'env' | 'stderr'>): Masks {
  const told = new Set<string>()
  const waiting = new Set<string>()
  if (!inGitHub(host)) return { add: () => undefined, announce: () => undefined }
  return {
    add(text) {
      if (!isSecret(text)) return
      for (const line of text.split(/[\r\n]+/).map((one) => one.trim())) {
        if (isSecret(line) && !isFrame(line) && !told.has(line)) waiting.add(line)
      }
    },
    announce() {
      if (waiting.size === 0) return
      host.stderr.write([...waiting].map((line) => `::add-mask::${escapeData(line)}\n`).join(''))
      for (const line of waiting) told.add(line)
      waiting.clear()
    },
  }
}

/** The annotation of a failed command, one line: its title is the command, its text the message. */
export function errorAnnotation(command: string, message: string): string {
  return `::error title=${escapeProperty(command)}::${escapeData(message)}\n`
}

/** The first and the last line of a key or certificate are in every one of them. */
function isFrame(line: string): boolean {
  return /^-----(?:BEGIN|END) .*-----$/.test(line)
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
