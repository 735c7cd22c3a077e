import type { JsonObject } from '../../../core/json.ts'
import { objects, strings, text } from '../state/documents.ts'
import type { DemoNode } from '../state/model.ts'

/** Which nodes a task group may run on at all: datacenter, drivers, constraints. */

/** True if a job's list of datacenters, which may contain `*`, names the node's. */
export function isCandidate(job: JsonObject, node: DemoNode): boolean {
  const wanted = strings(job, 'Datacenters')
  return wanted.length === 0 || wanted.some((pattern) => globMatches(pattern, node.datacenter))
}

/**
 * Why the node is filtered out for this group, in the words of `ConstraintFiltered`; undefined when it is not. `runsSame`: it
 * runs an allocation of the same job.
 */
export function filteredBy(job: JsonObject, group: JsonObject, node: DemoNode, runsSame: boolean): string | undefined {
  const tasks = objects(group, 'Tasks')
  if (tasks.some((task) => !node.drivers.includes(text(task, 'Driver')))) return 'missing drivers'
  const constraints = [job, group, ...tasks].flatMap((holder) => objects(holder, 'Constraints'))
  const broken = constraints.find((constraint) => !holds(constraint, node, runsSame))
  if (broken === undefined) return undefined
  const words = [text(broken, 'LTarget'), text(broken, 'Operand'), text(broken, 'RTarget')]
  return words[1]?.startsWith('distinct_') ? words[1] : words.join(' ').trim()
}

/** Operators that compare versions, patterns, sets or order always hold. */
function holds(constraint: JsonObject, node: DemoNode, runsSame: boolean): boolean {
  const operand = text(constraint, 'Operand')
  const left = resolve(text(constraint, 'LTarget'), node)
  const right = resolve(text(constraint, 'RTarget'), node)
  switch (operand) {
    case 'distinct_hosts':
      return !runsSame
    case 'is_set':
      return left !== undefined
    case 'is_not_set':
      return left === undefined
    case '!=':
    case 'not':
      return left !== right
    case '=':
    case '==':
    case 'is':
      return left === right
    default:
      return true
  }
}

function resolve(target: string, node: DemoNode): string | undefined {
  const name = /^\$\{(.+)\}$/.exec(target)?.[1]
  if (name === undefined) return target
  const facts: Record<string, string> = {
    'node.datacenter': node.datacenter,
    'node.unique.id': node.id,
    'node.unique.name': node.name,
    'node.region': 'global',
    'node.pool': 'default',
    'attr.unique.hostname': node.name,
  }
  return facts[name] ?? node.attributes[name] ?? node.attributes[name.replace(/^attr\./, '')]
}

function globMatches(pattern: string, name: string): boolean {
  const source = pattern.split('*').map((piece) => piece.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${source.join('.*')}$`).test(name)
}
