import { errorList } from '../../go.ts'
import type { JsonObject } from '../../../core/json.ts'
import { patternOf } from '../../filter/pattern.ts'
import { objects, text } from '../state/documents.ts'
import { unreadableVersion } from '../placement/versions.ts'

const comparisons = new Set(['=', '==', 'is', '!=', 'not', '<', '<=', '>', '>='])
const setOperands = new Set(['set_contains', 'set_contains_all', 'set_contains_any'])

/** What is wrong with the constraints of a job, group or task, in the words of real servers. */
export function constraintErrors(holder: JsonObject): string[] {
  return objects(holder, 'Constraints').flatMap((constraint, place) => {
    const faults = faultsOf(constraint)
    return faults.length === 0 ? [] : [`Constraint ${place + 1} validation failed: ${errorList(faults)}`]
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
  if (operand === 'distinct_hosts' || operand === 'distinct_property') return undefined
  if (operand === 'regexp') return patternFault(target)
  if (operand === 'version' || operand === 'semver') {
    const wrong = unreadableVersion(target, operand)
    const kind = operand === 'version' ? 'Version' : 'Semver'
    return wrong === undefined ? undefined : `${kind} constraint is invalid: Malformed constraint: ${wrong}`
  }
  if (setOperands.has(operand)) return target === '' ? 'Set contains constraint requires an RTarget' : undefined
  if (operand === 'is_set' || operand === 'is_not_set') {
    return target === '' ? undefined : `Operator "${operand}" does not support an RTarget`
  }
  if (!comparisons.has(operand)) return `Unknown constraint type ${JSON.stringify(operand)}`
  return target === '' ? `Operator "${operand}" requires an RTarget` : undefined
}

function patternFault(pattern: string): string | undefined {
  try {
    patternOf(pattern)
    return undefined
  } catch (error) {
    return `Regular expression failed to compile: ${(error as Error).message}`
  }
}
