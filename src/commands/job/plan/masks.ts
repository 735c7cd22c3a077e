import type { Diff, FieldDiff } from '../../../api/plan-shapes.ts'
import { asJson, changed } from '../../../core/answer.ts'
import type { JsonObject } from '../../../core/json.ts'
import { flag } from '../../../core/param.ts'
import { plural } from '../../../core/words.ts'
import { isKnownToken } from '../../../core/secret-names.ts'
import { looksSecret } from '../../../output/redact.ts'
import {
  isPlainArgument,
  isSecretName,
  linesWithoutSecrets,
  redacted,
  takesSecret,
  withoutSecrets,
} from '../../../output/secret-text.ts'
import { changedLines, changeSize, hasLines, isFree } from './fields.ts'

/** The flag of commands that show a diff, whose secret values are masked without it. */
export const showValuesFlag = flag.boolean('show all values')

const tokens = new Set(['VaultToken', 'ConsulToken', 'SecretsToken', 'DiscoveryToken', 'Token'])

/**
 * A diff with its secret values masked, by one policy: tokens, headers, what has the name of a secret or follows an option that takes one,
 * and what looks like a secret are masked; everything else is shown. Sides that differ only in what is masked are marked `(differs)`.
 */
export function maskedDiff(diff: Diff, block = ''): Diff {
  const { Fields, Objects, TaskGroups, Tasks } = diff
  const changes: Diff = {
    ...(Fields ? { Fields: maskedFields(block, Fields) } : {}),
    ...(Objects ? { Objects: Objects.map((one) => maskedDiff(one, one.Name ?? '')) } : {}),
    ...(TaskGroups ? { TaskGroups: TaskGroups.map((one) => maskedDiff(one)) } : {}),
    ...(Tasks ? { Tasks: Tasks.map((one) => maskedDiff(one)) } : {}),
  }
  return changed(asJson(diff), changes as JsonObject) as Diff
}

function maskedFields(block: string, fields: readonly FieldDiff[]): FieldDiff[] {
  // A set has lost its order: any member next to a flag that takes a secret may be the secret.
  const isSet = fields.every(({ Name }) => Name === block)
  const isBesideFlag = isSet && fields.some(({ Old, New }) => takesSecret(Old ?? '') || takesSecret(New ?? ''))
  // Made only for a list, and by name: a block may have a hundred thousand fields.
  let named: Map<string, FieldDiff> | undefined
  const fieldNamed = (name: string) => {
    named ??= new Map(fields.toReversed().map((field) => [field.Name ?? '', field]))
    return named.get(name)
  }
  return fields.map((field) => {
    const [old, next] = [field.Old ?? '', field.New ?? '']
    if (block === 'Template' && field.Name === 'EmbeddedTmpl') return withSides(field, linesWithoutSecrets(old, next))
    if (isMasked(block, field.Name ?? '', [old, next])) return withSides(field, maskedWhole(old, next))
    // The argument before one of a list: `args[1]` for `args[2]`.
    const [, list = '', index = ''] = /^(.*)\[(\d+)\]$/.exec(field.Name ?? '') ?? []
    const before = isSet || index === '' ? undefined : fieldNamed(`${list}[${Number(index) - 1}]`)
    const shown = (side: 'Old' | 'New') => {
      const value = field[side] ?? ''
      if (value === '') return ''
      if (isBesideFlag && !value.startsWith('-')) return redacted
      const option = before?.[side] ?? ''
      const isTaken = isFree(block) && takesSecret(option) && !isPlainArgument(option, value)
      return isTaken ? redacted : withoutSecrets(value)
    }
    const sides = [shown('Old'), shown('New')] as const
    const differs = old !== next && sides[0] === sides[1]
    return withSides(field, differs ? [sides[0], `${sides[1]} (differs)`] : sides)
  })
}

function withSides(field: FieldDiff, [Old, New]: readonly [string, string]): FieldDiff {
  // Most fields have no secret.
  if (field.Old === Old && field.New === New) return field
  return changed(asJson(field), { Old, New }) as FieldDiff
}

/** The placeholders of both sides: `(masked)`, `(masked, 3 lines)`, `(masked, differs: 1 removed, 1 added of 3 lines)`. */
function maskedWhole(old: string, next: string): [string, string] {
  const change = hasLines(old, next) ? changedLines(old, next) : undefined
  const words = change === undefined ? '(masked)' : `(masked, ${plural(change.total, 'line')})`
  const differs = change === undefined ? maskedDiffers : `${maskedDiffers.slice(0, -1)}: ${changeSize(change)})`
  return [old === '' ? '' : words, next === '' ? '' : old === '' || old === next ? words : differs]
}

const maskedDiffers = '(masked, differs)'

/** True if the whole value of a field is masked; `sides` are its texts. */
function isMasked(block: string, name: string, sides: readonly string[]): boolean {
  // Headers and tokens.
  if (/^(?:GetterHeaders|GetterOptions)\[/.test(name) || block === 'Header' || tokens.has(name)) return true
  const [, key] = /^(?:Env|Meta|CanaryMeta)\[(.*)\]$/s.exec(name) ?? []
  if (key !== undefined) return sides.some((side) => looksSecret(side, key))
  // In blocks and maps with the user's own names, the name shows what is secret.
  const isNamed = isFree(block) || name.includes('[')
  return (isNamed && isSecretName(name)) || sides.some(isKnownToken)
}
