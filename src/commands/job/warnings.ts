import { text } from '../../core/answer.ts'
import type { Json } from '../../core/json.ts'

/**
 * The server's warnings in the answer to a write or a plan, each in one line. They arrive as one text, `1 warning:\n\n* text`,
 * in which a warning may have several lines.
 */
export function warningsOf(answer: Json): string[] {
  const warnings = text(answer, 'Warnings') ?? ''
  const lines = warnings.replace(/^\d+ (?:warnings?|errors?)[^\n]*:\s*\n/, '').split(/\n\s*\* ?|^\s*\* ?/)
  return lines.map((line) => line.trim().replace(/\s+/g, ' ')).filter((line) => line !== '')
}
