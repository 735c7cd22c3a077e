import { entries, items, number, text, truth } from '../../core/answer.ts'
import type { Json } from '../../core/json.ts'
import { shellQuote } from '../../core/shell.ts'
import { shortId } from './cells.ts'
import { entriesByName } from './jobs.ts'

/** `app 2/3 healthy, 1 unhealthy; side 1/1 healthy`: the progress of a deployment's groups. */
export function groupsProgress(deployment: Json): string {
  return entriesByName(deployment, 'TaskGroups')
    .map(([name, group]) => `${name} ${groupProgress(group)}`)
    .join('; ')
}

/** The same for a sentence, where a single group isn't named. */
export function deploymentProgress(deployment: Json): string {
  const [first, ...others] = entries(deployment, 'TaskGroups')
  return first === undefined || others.length > 0 ? groupsProgress(deployment) : groupProgress(first[1])
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

/** The product's command that promotes canaries, which is not among the endpoints that `tug` has. */
export function promoteLine(deployment: string, namespace: string | undefined): string {
  const where = namespace === undefined || namespace === 'default' ? [] : ['-namespace', shellQuote(namespace)]
  return ['nomad deployment promote', ...where, shortId(deployment)].join(' ')
}

/** What `groups` leaves out: `app placed 3, auto-revert; side placed 1 (canary 3a309388)`. */
export function groupFacts(deployment: Json): string {
  return entriesByName(deployment, 'TaskGroups')
    .map(([name, group]) => {
      const canaries = items(group, 'PlacedCanaries').map((id) => shortId(text(id) ?? ''))
      return [
        `${name} placed ${text(group, 'PlacedAllocs') ?? '0'}`,
        ...(truth(group, 'AutoRevert') ? ['auto-revert'] : []),
        ...(truth(group, 'AutoPromote') ? ['auto-promote'] : []),
        ...(canaries.length === 0 ? [] : [`canaries ${canaries.join(' ')}`]),
      ].join(', ')
    })
    .join('; ')
}

/** The version that the server goes back to, by its description of a failed deployment; undefined if it doesn't. */
export function versionBack(description: string): string | undefined {
  return /(?<!not )rolling back to (?:stable )?job version (\d+)/.exec(description)?.[1]
}
