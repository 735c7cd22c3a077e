import type { Diff, FieldDiff } from '../../../api/job-shapes.ts'
import { asJson, changed } from '../../../core/answer.ts'
import type { JsonObject } from '../../../core/json.ts'
import { withoutUrlSecrets } from '../../../core/secret-names.ts'
import { flag } from '../../../core/param.ts'
import { isKnownToken, looksSecret } from '../../../output/redact.ts'
import { isFree } from './names.ts'

/** Which values of a diff are masked: those that look secret, all that may be secret, or none. */
export type Mask = 'secrets' | 'all' | 'none'

/** Flags of commands that show a diff. */
export const maskFlags = {
  showValues: flag.boolean('show all values'),
  mask: flag.choice('mask every value of env, meta, arguments and driver configuration, not only what looks secret', [
    'all',
  ]),
} as const

/** What the flags say. */
export function maskOf(input: { readonly showValues?: boolean | undefined; readonly mask?: 'all' | undefined }): Mask {
  return input.showValues === true ? 'none' : (input.mask ?? 'secrets')
}

const secretNames = /token|passw|secret|credential|api_?key|private_?key|auth/i
const tokens = new Set(['VaultToken', 'ConsulToken', 'SecretsToken', 'DiscoveryToken', 'Token'])

/** True if the whole value of a field is masked; `sides` are its texts. */
export function isMasked(block: string, name: string, sides: readonly string[], mask: Mask): boolean {
  if (mask === 'none') return false
  if (isAlwaysSecret(block, name)) return true
  const [, key] = /^(?:Env|Meta|CanaryMeta)\[(.*)\]$/s.exec(name) ?? []
  if (key !== undefined) return mask === 'all' || sides.some((side) => looksSecret(side, key))
  if (mask === 'all' && (block === 'Config' || name === 'Args')) return true
  return isNamedSecret(block, name) || sides.some(isKnownToken)
}

/** Templates, headers, and tokens. */
function isAlwaysSecret(block: string, name: string): boolean {
  if (/^(?:GetterHeaders|GetterOptions)\[/.test(name)) return true
  return block === 'Header' || (block === 'Template' && name === 'EmbeddedTmpl') || tokens.has(name)
}

/** A member of a block or map with the user's own names. */
function isNamedSecret(block: string, name: string): boolean {
  if (!isFree(block) && !name.includes('[')) return false
  return secretNames.test(name) || looksSecret('', name)
}

/** The fields of a block by their names; a block may have a hundred thousand. */
export type Fields = ReadonlyMap<string, FieldDiff>

/** Of several fields with one name, the first. */
export function byName(fields: readonly FieldDiff[]): Fields {
  return new Map(fields.toReversed().map((field) => [field.Name ?? '', field]))
}

/** The two sides of a field as they are shown: arguments and URLs in them without their secrets. */
export function maskedSides(block: string, field: FieldDiff, fields: Fields, mask: Mask): [string, string] {
  const [, list = '', index = ''] = /^(.*)\[(\d+)\]$/.exec(field.Name ?? '') ?? []
  const previous = index === '' ? undefined : fields.get(`${list}[${Number(index) - 1}]`)
  const sideOf = (side: 'Old' | 'New') => {
    const value = field[side] ?? ''
    if (mask === 'none' || value === '') return value
    return isFree(block) && takesSecret(previous?.[side] ?? '') ? redacted : withoutSecretParts(value)
  }
  return [sideOf('Old'), sideOf('New')]
}

const redacted = '<redacted>'

/** True for `--password`, whose next argument is its value. */
function takesSecret(argument: string): boolean {
  return /^--?[\w-]+$/.test(argument) && (secretNames.test(argument) || looksSecret('', argument))
}

/** `--api-key=k`, `PGPASSWORD=p psql` and `login --password p` without the secrets. */
function withoutSecretParts(value: string): string {
  const isSecretName = (name: string) => secretNames.test(name) || looksSecret('', name)
  return withoutUrlSecrets(value)
    .replace(/(?<![\w?&-])(-{0,2}[\w.-]{1,80}=)("[^"]*"|'[^']*'|[^\s"']+)/g, (all, name: string) =>
      isSecretName(name.slice(0, -1)) && !all.endsWith(redacted) ? name + redacted : all,
    )
    .replace(/(?<!\S)(--?[\w-]{1,80})(\s+)([^\s-]\S*)/g, (all, name: string, blank: string) =>
      isSecretName(name) ? name + blank + redacted : all,
    )
}

/** True if a member of a set of arguments is a flag that takes a secret: then any other member may be that. */
export function hasSecret(fields: readonly FieldDiff[]): boolean {
  return fields.some(({ Old, New }) => takesSecret(Old ?? '') || takesSecret(New ?? ''))
}

/** A member of a set of arguments, of which {@link hasSecret} says whether one is a secret. */
export function maskedMember(member: string, isBesideFlag: boolean, mask: Mask): string {
  if (mask === 'none') return member
  if (mask === 'all' || isKnownToken(member)) return redacted
  return isBesideFlag && !member.startsWith('-') ? redacted : withoutSecretParts(member)
}

/** Both sides are masked, and they differ. */
export const maskedDiffers = '(masked, differs)'

/** A diff as data, masked as its text is; `(differs)` marks sides that differ only in what is masked. */
export function maskedDiff(diff: Diff, mask: Mask, block = ''): Diff {
  if (mask === 'none') return diff
  const { Fields, Objects, TaskGroups, Tasks } = diff
  const changes: Diff = {
    ...(Fields ? { Fields: maskedFields(block, Fields, mask) } : {}),
    ...(Objects ? { Objects: Objects.map((one) => maskedDiff(one, mask, one.Name ?? '')) } : {}),
    ...(TaskGroups ? { TaskGroups: TaskGroups.map((one) => maskedDiff(one, mask)) } : {}),
    ...(Tasks ? { Tasks: Tasks.map((one) => maskedDiff(one, mask)) } : {}),
  }
  return changed(asJson(diff), changes as JsonObject) as Diff
}

function maskedFields(block: string, fields: readonly FieldDiff[], mask: Mask): FieldDiff[] {
  const isSet = fields.every(({ Name }) => Name === block)
  const isBesideFlag = isSet && hasSecret(fields)
  const named = byName(fields)
  const shown = (side: string) => (side === '' ? '' : maskedMember(side, isBesideFlag, mask))
  return fields.map((field) => {
    const sides = isSet ? [shown(field.Old ?? ''), shown(field.New ?? '')] : maskedSides(block, field, named, mask)
    return maskedField(block, field, sides, mask)
  })
}

function maskedField(block: string, field: FieldDiff, [before, after]: readonly string[], mask: Mask): FieldDiff {
  const [old, next] = [field.Old ?? '', field.New ?? '']
  const whole = isMasked(block, field.Name ?? '', [old, next], mask)
  const shown = (side: string | undefined) => (whole && side !== '' ? '(masked)' : (side ?? ''))
  const differs = old !== next && shown(before) === shown(after) && old !== '' && next !== ''
  const differing = whole ? maskedDiffers : `${shown(after)} (differs)`
  const changes = { Old: shown(before), New: differs ? differing : shown(after) }
  return changed(asJson(field), changes) as FieldDiff
}
