import { entries, items, number, text, truth } from '../../core/answer.ts'
import type { Json } from '../../core/json.ts'

/** `app 2/3 healthy, 1 unhealthy; side 1/1 healthy`: the progress of a deployment's groups. A single group isn't named. */
export function deploymentProgress(deployment: Json): string {
  const groups = entries(deployment, 'TaskGroups').toSorted(([one], [other]) => (one < other ? -1 : 1))
  if (groups.length === 1) return groupProgress(groups[0]?.[1] ?? null)
  return groups.map(([name, group]) => `${name} ${groupProgress(group)}`).join('; ')
}

function groupProgress(group: Json): string {
  const canaries = number(group, 'DesiredCanaries') ?? 0
  const unhealthy = number(group, 'UnhealthyAllocs') ?? 0
  const placed = items(group, 'PlacedCanaries').length
  return [
    `${text(group, 'HealthyAllocs') ?? '0'}/${text(group, 'DesiredTotal') ?? '0'} healthy`,
    ...(unhealthy > 0 ? [`${unhealthy} unhealthy`] : []),
    ...(canaries > 0
      ? [`canaries ${placed}/${canaries}${truth(group, 'Promoted') ? ' promoted' : ' not promoted'}`]
      : []),
  ].join(', ')
}
