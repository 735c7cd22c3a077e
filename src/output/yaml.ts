import { isObject, keysOf, stringifyJson } from '../core/json.ts'

/**
 * A value as a YAML document, ending with a line feed. Keys keep their order and numbers their digits. A string is unquoted only if both
 * YAML 1.1 and 1.2 read it as a string; undefined members are omitted.
 */
export function toYaml(value: unknown): string {
  const plainValue = unwrapped(value)
  return `${isCollection(plainValue) ? collection(plainValue, '') : scalar(plainValue, '  ')}\n`
}

/** A non-empty collection. The first line has no indentation. */
function collection(value: object, indent: string): string {
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    const items = value.map(unwrapped)
    return items
      .map((item) => `- ${isCollection(item) ? collection(item, inner) : scalar(item, inner)}`)
      .join(`\n${indent}`)
  }
  return members(value)
    .map(([key, member]) => {
      const rest = isCollection(member) ? `\n${inner}${collection(member, inner)}` : ` ${scalar(member, inner)}`
      const name = string(key)
      // YAML limits an implicit key to 1,024 characters.
      return `${name.length > 1000 ? `? ${name}\n${indent}:` : `${name}:`}${rest}`
    })
    .join(`\n${indent}`)
}

function scalar(value: unknown, indent: string): string {
  if (typeof value !== 'string') return stringifyJson(value)
  const isBlock = value.includes('\n') && !unfitForBlock.test(value) && value.search(unprintable) === -1
  return isBlock ? block(value, indent) : string(value)
}

function unwrapped(value: unknown): unknown {
  return isObject(value) && typeof (value as { toJSON?: unknown }).toJSON === 'function'
    ? (value as unknown as { toJSON(): unknown }).toJSON()
    : value
}

function isCollection(value: unknown): value is object {
  return Array.isArray(value) ? value.length > 0 : isObject(value) && members(value).length > 0
}

function members(value: object): [string, unknown][] {
  const object = value as Parameters<typeof keysOf>[0]
  return keysOf(object)
    .map((key): [string, unknown] => [key, unwrapped(object[key])])
    .filter(([, member]) => member !== undefined)
}

/** Begins with a letter, `_` or `/`, so it is not a date or an indicator; `: ` and `#` cannot occur; not too long for a key. */
const surelyPlain = /^[A-Za-z_/](?:[\p{L}\p{N}_.@/+=,()%-]|:(?=[\p{L}\p{N}/])| (?=[^ ])){0,400}$/u
/** Words that some parsers read as a boolean, null or a number; some YAML 1.1 parsers accept a bare exponent (`E0`). */
const keyword = /^(?:y|yes|n|no|on|off|true|false|null|inf|infinity|nan|[_\d]*e[+-]?[_\d]+)$/i

function string(text: string): string {
  if (surelyPlain.test(text) && !keyword.test(text)) return text
  return JSON.stringify(text).replace(unprintable, (character) => {
    const digits = (character.codePointAt(0) as number).toString(16)
    return character.length === 1 ? String.raw`\u${digits.padStart(4, '0')}` : String.raw`\U${digits.padStart(8, '0')}`
  })
}

const unprintable = /[\x7f-\xa0\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\ufff9-\ufffb]/gu

/**
 * A block keeps multi-line text unchanged unless it has control characters, trailing blanks or ambiguous indentation. Its lines are
 * literal, so none may be a CI log command (`::`, `##[`).
 */
const unfitForBlock = /^[ \n]| \n| $|(?!\n)[\p{Cc}\p{Cs}]|(?:^|\n)\s*::|##\[/u

function block(text: string, indent: string): string {
  const keep = text.endsWith('\n\n') ? '+' : text.endsWith('\n') ? '' : '-'
  const lines = text.replace(/\n$/, '').split('\n')
  return `|${keep}\n${lines.map((line) => (line === '' ? '' : indent + line)).join('\n')}`
}
