import { isKnownToken, urlSecrets, withoutUrlSecrets } from '../core/secret-names.ts'
import { looksSecret } from './redact.ts'

// Finds secrets inside text: arguments, connection strings, templates, job files. Used by plans, traces, messages and CI logs.

export const redacted = '<redacted>'

const secretNames = /token|passw|secret|credential|api_?key|private_?key|auth/i

/** True for the name of a member, flag, header or variable whose value is a secret. */
export function isSecretName(name: string): boolean {
  return secretNames.test(name) || looksSecret('', name)
}

/** True for `--password` and `-p`, whose next argument is its value. That of `--password-file` is a path. */
export function takesSecret(argument: string): boolean {
  return namesFile.test(argument)
    ? false
    : argument === '-p' || (/^--?[\w-]+$/.test(argument) && isSecretName(argument))
}

const namesFile = /^--?[\w-]+[-_]file(?![\w-])/

/** True for a value of `-p` that isn't a secret: a port, a number, a path, another flag, an expression. */
export function isPlainArgument(flag: string, value: string): boolean {
  return flag === '-p' && /^(?:[\d.:]+(?:\/\w+)?|[./~].*|-.*|\$\{.*|\{\{.*)$/s.test(value)
}

/** `password = "x"`, `"key": "x"`, `;Password=x;`, `--api-key=k`, `password = "x` without an end. */
const assigned =
  /(?<![\w?&.-])(-{0,2}["']?([\w.-]{1,80})["']?\s{0,4}[=:]\s{0,4})("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"';&]+|["'][^"'\r\n]+)/g

/** `--password x`, `-p x`. */
const flagged = /(?<!\S)(--?[\w-]{1,80})(\s+)(\S+)/g

/** `Authorization: Bearer x`, `Bearer x`, `Basic dXNlcjpwYXNz`. */
const scheme =
  /\b((?:proxy-)?authorization["']?\s{0,4}[:=]\s{0,4}["']?)?((?:Bearer|Basic|Token|Digest)\s+)?([\w.~+/=-]+)/gi

/** The secret path of a webhook URL. */
const webhook =
  /(https?:\/\/(?:(?=[^\s"'/]{0,253}hook)[^\s"'/]{1,253}|[^\s"']{0,1000}?\/(?:web)?hooks?)\/)([^\s"'<]+)/gi

/** Replaces the secrets in a string: of webhooks, authorization headers, named values and flags. */
function replaceSecrets(text: string, replacement: (secret: string) => string): string {
  const isOpen = (value: string) => value !== '' && !/^["']?(?:<[\w-]+>|\{\{|\$[{(]?)/.test(value)
  // Each pattern is used only if the string may match: most strings don't.
  let shown = text
  if (shown.includes('://'))
    shown = shown.replace(webhook, (_, before: string, secret: string) => before + replacement(secret))
  if (/authorization|bearer|basic/i.test(shown))
    shown = shown.replace(scheme, (all, header: string | undefined, kind: string | undefined, value: string) => {
      // Not by one pattern of the whole value: millions of characters end its memory.
      const isBase64 = /^[\w+/-]{6}/.test(value) && !/[^\w+/=-]|=[^=]/.test(value) && /[\d=A-Z]/.test(value)
      const isGiven = header !== undefined || /^bearer/i.test(kind ?? '') || (/^basic/i.test(kind ?? '') && isBase64)
      return isGiven ? `${header ?? ''}${kind ?? ''}${replacement(value)}` : all
    })
  if (/[=:]/.test(shown))
    shown = shown.replace(assigned, (all, before: string, name: string, value: string) =>
      isSecretName(name) && !namesFile.test(before) && isOpen(value) && !/^(?:bearer|basic)$/i.test(value)
        ? before + replacement(value)
        : all,
    )
  if (shown.includes('-'))
    shown = shown.replace(flagged, (all, flag: string, blank: string, value: string) =>
      takesSecret(flag) && isOpen(value) && !value.startsWith('-') && !isPlainArgument(flag, value)
        ? flag + blank + replacement(value)
        : all,
    )
  return shown
}

/** A string with its secrets redacted. */
export function withoutSecrets(text: string): string {
  return replaceSecrets(withoutUrlSecrets(text), () => redacted)
}

/** Two multi-line strings with their secrets redacted. If lines differ only in a secret, the new one is marked `(differs)`. */
export function linesWithoutSecrets(old: string, next: string): [old: string, next: string] {
  const before = maskedLines(old)
  const known = new Set(before.map(({ line }) => line))
  const masked = new Set(before.map((one) => one.masked))
  const after = maskedLines(next).map((one) =>
    one.line !== one.masked && !known.has(one.line) && masked.has(one.masked) ? `${one.masked} (differs)` : one.masked,
  )
  return [before.map((one) => one.masked).join('\n'), after.join('\n')]
}

/** An assigned string; the key may be quoted. The lookbehind prevents quadratic time for one long word. */
const assignedString = /(?<![\w-])([\w-]+)"?\s*[=:]\s*"((?:[^"\\\n]|\\.)*)"/g

const wordsOfText = /[^\s"'=:,;(){}[\]<>]+/g

/** The likely secrets in a text such as a job file, each with its name if it has one. */
export function* secretsIn(text: string): Generator<[secret: string, name?: string]> {
  for (const [, name = '', value = ''] of text.matchAll(assignedString))
    if (value !== '' && !value.includes('${') && looksSecret(value, name)) yield [value, name]
  for (const secret of urlSecrets(text)) yield [secret]
  for (const [word] of text.matchAll(wordsOfText)) if (isKnownToken(word)) yield [word]
  for (const line of text.split('\n')) {
    const found: string[] = []
    replaceSecrets(line, (secret) => {
      found.push(/^(["'])(.*)\1$/s.exec(secret)?.[2] ?? secret.replace(/^["']|[\s})\]]+$/g, ''))
      return secret
    })
    for (const secret of found) yield [secret]
  }
}

function maskedLines(text: string): { line: string; masked: string }[] {
  let isKey = false
  return text.split('\n').map((line) => {
    const isFrame = /-----(?:BEGIN|END) [A-Z ]*PRIVATE KEY-----/.test(line)
    if (isFrame) isKey = line.includes('BEGIN')
    if (isKey && !isFrame) return { line, masked: redacted }
    const isGenerated = (word: string) => isKnownToken(word) || (word.length >= 16 && looksSecret(word))
    return {
      line,
      masked: withoutSecrets(line).replace(wordsOfText, (word) => (isGenerated(word) ? redacted : word)),
    }
  })
}
