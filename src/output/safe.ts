import type { Json } from '../core/json.ts'
import { stringifyJson } from '../core/json.ts'
import type { Paint } from '../core/output.ts'
import type { Host } from '../process/host.ts'

/** ASCII, Latin letters, dashes, quotation marks, `…` and `→`: one terminal cell each, nothing to escape. */
export const narrowLetters = String.raw`\x20-\x7e\xa1-\xac\xae-\u024f\u2010-\u2027\u2192`
const special = new RegExp(`[^${narrowLetters}]`)
const specialInLines = new RegExp(`[^\n${narrowLetters}]`)

/**
 * Control characters, lone surrogates, line separators, invisible characters and bidirectional controls, except for joiners and
 * variation selectors inside emoji, which `👩‍🚀` and `1️⃣` need.
 */
const riskySource = [
  String.raw`(?!(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic}))`,
  String.raw`(?!(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f])`,
  String.raw`(?!(?<=[0-9#*])\ufe0f(?=\u20e3))`,
  String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]`,
].join('')
/** Created for the first string that isn't plain: Unicode classes are slow to compile. */
let risky: RegExp | undefined

const named: Readonly<Record<string, string>> = { '\n': String.raw`\n`, '\t': String.raw`\t`, '\r': String.raw`\r` }

/**
 * Escapes server text for a terminal: control characters, bidirectional overrides, invisible characters and lone surrogates become
 * `\n`, `\x1b`, `\u202e` or `\u{e0041}`; nothing is removed. `newlines` keeps line feeds.
 */
export function escapeControl(text: string, options?: { newlines?: boolean }): string {
  if (!(options?.newlines === true ? specialInLines : special).test(text)) return text
  risky ??= new RegExp(riskySource, 'gu')
  return text.replace(risky, (character) => {
    if (character === '\n' && options?.newlines === true) return character
    return named[character] ?? codeOf(character)
  })
}

/** The codes of `Paint`. */
const colors = /(\u001b\[(?:[12]|22|3[1-7]|39)m)/

/** Escapes a page that contains server text, except for line feeds, tabs and the colours of `paint`. */
export function escapePage(page: string, paint: Paint): string {
  const isPlain = paint('bad', 'x') === 'x'
  const parts = isPlain ? [page] : page.split(colors)
  return parts
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part
            .split('\t')
            .map((text) => escapeControl(text, { newlines: true }))
            .join('\t'),
    )
    .join('')
}

/**
 * Escapes characters that are legal in JSON but affect a terminal: delete, C1 controls, line separators and bidirectional controls. The
 * value is unchanged.
 */
export function escapeJson(text: string): string {
  return text.replace(
    /[\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu,
    (character) => String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/**
 * Escapes machine-readable lines for a terminal: line feeds, tabs and NUL separators are kept; other control characters and
 * bidirectional controls are escaped.
 */
export function escapeLines(text: string): string {
  return text.replace(/(?![\n\t\0])[\p{Cc}\p{Bidi_Control}]/gu, codeOf)
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) as number
  const digits = code.toString(16)
  if (code <= 0xff) return String.raw`\x${digits.padStart(2, '0')}`
  return code <= 0xffff ? String.raw`\u${digits.padStart(4, '0')}` : String.raw`\u{${digits}}`
}

/** True in a step of a GitHub workflow. */
export function inGitHub({ env }: Pick<Host, 'env'>): boolean {
  return env['GITHUB_ACTIONS'] === 'true'
}

/**
 * Escapes workflow commands: `::x::` at the start of a line, where the runner ignores blanks, and the older `##[x]`, which it accepts
 * anywhere in a line.
 */
export function withoutCommands(text: string): string {
  return text.replace(/^([^\S\n\r\u2028\u2029]*):(?=:)/gmu, String.raw`$1\x3a`).replaceAll('##[', String.raw`#\x23[`)
}

/** A value as one line of JSON for stdout. */
export function jsonLine(value: Json, host: Pick<Host, 'env'>): string {
  const text = escapeJson(stringifyJson(value))
  return `${inGitHub(host) ? withoutCommandsInJson(text) : text}\n`
}

/** The same for JSON and YAML with their quoted strings: only `##[` needs an escape, and the value is unchanged. */
export function withoutCommandsInJson(text: string): string {
  return text.replaceAll('##[', String.raw`#\u0023[`)
}

/** The annotation of a failed command, one line: its title is the command, its text the message. */
export function errorAnnotation(command: string, message: string): string {
  const title = escapeData(command).replaceAll(':', '%3A').replaceAll(',', '%2C')
  return `::error title=${title}::${escapeData(message)}\n`
}

/** Encodes a string as the data of a workflow command. */
export function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
