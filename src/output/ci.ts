import type { Host } from '../process/host.ts'
import { isSecret } from './redact.ts'

/** Secrets that the log of a GitHub workflow must mask. The workflow learns of them before they are printed. */
export interface Masks {
  /** False outside GitHub, where the rest does nothing. */
  readonly isUsed: boolean
  /** From now on this text may be part of what is printed. */
  add(text: string): void
  /** Writes `::add-mask::` for each line of each new secret. Must be called before anything is written to stdout. */
  announce(): void
}

/** True in a step of a GitHub workflow. */
export function inGitHub({ env }: Pick<Host, 'env'>): boolean {
  return env['GITHUB_ACTIONS'] === 'true'
}

/**
 * The masks of a run; outside GitHub they write nothing. The lines go to stderr, which the runner reads as well, so stdout
 * contains only the result. A mask is one line, so a value of several lines has several.
 */
export function createMasks(host: Pick<Host, 'env' | 'stderr'>): Masks {
  const told = new Set<string>()
  const waiting = new Set<string>()
  if (!inGitHub(host)) return { isUsed: false, add: () => undefined, announce: () => undefined }
  return {
    isUsed: true,
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

/**
 * Text in which the runner finds no workflow command: neither `::x::` at the beginning of a line, where it ignores blanks, nor
 * the older `##[x]`, which it accepts anywhere in a line.
 */
export function withoutCommands(text: string): string {
  return text.replace(/^([^\S\n]*):(?=:)/gmu, String.raw`$1\x3a`).replaceAll('##[', String.raw`#\x23[`)
}

/** The same for JSON and YAML, whose strings are quoted: only `##[` needs an escape, and the value stays the same. */
export function withoutCommandsInJson(text: string): string {
  return text.replaceAll('##[', String.raw`#\u0023[`)
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
