import type { JsonObject } from '../../../core/json.ts'
import { patternOf } from '../../filter/pattern.ts'
import { unreadableVersion } from './versions.ts'
import { objects, text } from '../state/documents.ts'
import { joinErrors } from '../api/refusal.ts'

/** What is wrong with the constraints of a job, group or task, in the server's words. */
export function constraintErrors(holder: JsonObject): string[] {
  return objects(holder, 'Constraints').flatMap((constraint, place) => {
    const faults = faultsOf(constraint)
    return faults.length === 0 ? [] : [`Constraint ${place + 1} validation failed: ${joinErrors(faults)}`]
  })
}

function faultsOf(constraint: JsonObject): string[] {
  const operand = text(constraint, 'Operand')
  if (operand === '') return ['Missing constraint operand']
  const fault = targetFault(operand, text(constraint, 'RTarget'))
  const lacking = operand !== 'distinct_hosts' && text(constraint, 'LTarget') === ''
  return [
    ...(fault === undefined ? [] : [fault]),
    ...(lacking ? ['No LTarget provided but is required by constraint'] : []),
  ]
}

function targetFault(operand: string, target: string): string | undefined {
  switch (operand) {
    case 'distinct_hosts':
    case 'distinct_property':
      return undefined
    case 'regexp':
      return patternFault(target)
    case 'version':
    case 'semver': {
      const wrong = unreadableVersion(target, operand)
      const kind = operand === 'version' ? 'Version' : 'Semver'
      return wrong === undefined ? undefined : `${kind} constraint is invalid: Malformed constraint: ${wrong}`
    }
    case 'set_contains':
    case 'set_contains_all':
    case 'set_contains_any':
      return target === '' ? 'Set contains constraint requires an RTarget' : undefined
    case 'is_set':
    case 'is_not_set':
      return target === '' ? undefined : `Operator ${JSON.stringify(operand)} does not support an RTarget`
    case '=':
    case '==':
    case 'is':
    case '!=':
    case 'not':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return target === '' ? `Operator ${JSON.stringify(operand)} requires an RTarget` : undefined
    default:
      return `Unknown constraint type ${JSON.stringify(operand)}`
  }
}

function patternFault(pattern: string): string | undefined {
  try {
    patternOf(pattern)
    return undefined
  } catch (error) {
    return `Regular expression failed to compile: ${(error as Error).message}`
  }
}
