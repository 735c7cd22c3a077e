import type { Deployment, DeploymentGroup } from '../../../api/allocation-shapes.ts'
import { flagText, shellQuote } from '../../../core/shell.ts'
import { shortId } from '../cells.ts'
import { byName } from '../jobs.ts'

/** `app 2/3 healthy, 1 unhealthy; side 1/1 healthy`: the progress of a deployment's groups. */
export function groupsProgress(deployment: Pick<Deployment, 'TaskGroups'>): string {
  return byName(deployment.TaskGroups)
    .map(([name, group]) => `${name} ${groupProgress(group)}`)
    .join('; ')
}

/** The same for a sentence, where a single group isn't named. */
export function deploymentProgress(deployment: Pick<Deployment, 'TaskGroups'>): string {
  const [first, ...others] = byName(deployment.TaskGroups)
  return first === undefined || others.length > 0 ? groupsProgress(deployment) : groupProgress(first[1])
}

function groupProgress(group: DeploymentGroup): string {
  const canaries = group.DesiredCanaries ?? 0
  const unhealthy = group.UnhealthyAllocs ?? 0
  const placed = group.PlacedCanaries?.length ?? 0
  return [
    `${group.HealthyAllocs ?? 0}/${group.DesiredTotal ?? 0} healthy`,
    ...(unhealthy > 0 ? [`${unhealthy} unhealthy`] : []),
    ...(canaries > 0
      ? [`canaries ${placed}/${canaries}${group.Promoted === true ? ' promoted' : ' not promoted'}`]
      : []),
  ].join(', ')
}

/**
 * The commands that promote canaries: the product's, and the request itself, with the whole ID. The endpoint isn't among those that
 * `tug` has commands for.
 */
export function promoteLines(deployment: string, namespace: string | undefined): string {
  const isDefault = namespace === undefined || namespace === 'default'
  const where = isDefault ? '' : ` ${flagText(['-n', namespace])}`
  const id = shortId(deployment)
  const place = isDefault ? [] : ['-namespace', shellQuote(namespace)]
  const words = ['nomad deployment promote', ...place, ...(id.startsWith('-') ? ['--'] : []), shellQuote(id)]
  const path = shellQuote(`/v1/deployment/promote/${deployment}`)
  const body = shellQuote(JSON.stringify({ DeploymentID: deployment, All: true }))
  return `${words.join(' ')}, or tug api scheduler POST ${path} --data ${body}${where}`
}

/** What `groups` leaves out: `app placed 3, auto-revert; side placed 1 (canary 3a309388)`. */
export function groupFacts(deployment: Pick<Deployment, 'TaskGroups'>): string {
  return byName(deployment.TaskGroups)
    .map(([name, group]) => {
      const canaries = (group.PlacedCanaries ?? []).map(shortId)
      return [
        `${name} placed ${group.PlacedAllocs ?? 0}`,
        ...(group.AutoRevert === true ? ['auto-revert'] : []),
        ...(group.AutoPromote === true ? ['auto-promote'] : []),
        ...(canaries.length === 0 ? [] : [`canaries ${canaries.join(' ')}`]),
      ].join(', ')
    })
    .join('; ')
}

/** The version that the server goes back to after a failed deployment, by its description; undefined if it doesn't. */
export function versionBack({ StatusDescription }: Pick<Deployment, 'StatusDescription'>): string | undefined {
  return /(?<!not )rolling back to (?:stable )?job version (\d+)/.exec(StatusDescription ?? '')?.[1]
}
