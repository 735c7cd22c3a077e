import type { Deployment, DeploymentGroup } from '../../../api/allocation-shapes.ts'
import { flagText, shellQuote } from '../../../core/shell.ts'
import { byName } from '../jobs.ts'
import { shortId } from '../cells.ts'

/** `app 2/3 healthy, 1 unhealthy; side 1/1 healthy`. In a sentence (`isBrief`) a single group isn't named. */
export function deploymentProgress({ TaskGroups }: Pick<Deployment, 'TaskGroups'>, isBrief = false): string {
  const groups = byName(TaskGroups)
  const isNamed = !isBrief || groups.length > 1
  return groups.map(([name, group]) => `${isNamed ? `${name} ` : ''}${groupProgress(group)}`).join('; ')
}

function groupProgress(group: DeploymentGroup): string {
  const canaries = group.DesiredCanaries ?? 0
  const unhealthy = group.UnhealthyAllocs ?? 0
  return [
    `${group.HealthyAllocs ?? 0}/${group.DesiredTotal ?? 0} healthy`,
    ...(unhealthy > 0 ? [`${unhealthy} unhealthy`] : []),
    ...(canaries > 0
      ? [
          `canaries ${placedOf(group.PlacedCanaries?.length, canaries)}${group.Promoted === true ? ' promoted' : ' not promoted'}`,
        ]
      : []),
  ].join(', ')
}

/** `1/2`: how many of those wanted have a place. A server counts what failed and its replacement. */
export function placedOf(placed: number | undefined, wanted: number): string {
  return `${Math.min(placed ?? 0, wanted)}/${wanted}`
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

/** The version that the server goes back to after a failed deployment, by its description; undefined if it doesn't. */
export function versionBack({ StatusDescription }: Pick<Deployment, 'StatusDescription'>): string | undefined {
  return /(?<!not )rolling back to (?:stable )?job version (\d+)/.exec(StatusDescription ?? '')?.[1]
}

export function isOver({ Status }: Pick<Deployment, 'Status'>): boolean {
  return Status === 'successful' || Status === 'failed' || Status === 'cancelled'
}

/** True while allocations of a deployment are neither healthy nor unhealthy yet. */
export function isProgressing({ TaskGroups }: Deployment): boolean {
  return Object.values(TaskGroups ?? {}).some(
    (group) => (group.PlacedAllocs ?? 0) > (group.HealthyAllocs ?? 0) + (group.UnhealthyAllocs ?? 0),
  )
}

/** True for a deployment whose canaries are healthy and wait for somebody to promote them. */
export function isCanaryReady({ TaskGroups }: Deployment): boolean {
  const waiting = Object.values(TaskGroups ?? {}).filter((one) => one.DesiredCanaries && !one.Promoted)
  return (
    waiting.length > 0 &&
    waiting.every(({ DesiredCanaries, PlacedCanaries, HealthyAllocs }) => {
      const wanted = DesiredCanaries ?? 0
      return (PlacedCanaries ?? []).length >= wanted && (HealthyAllocs ?? 0) >= wanted
    })
  )
}

/** True if the server promotes the canaries once they are healthy: it does so only if every group wants it. */
export function promotesItself({ TaskGroups }: Deployment): boolean {
  const canary = Object.values(TaskGroups ?? {}).filter(({ DesiredCanaries }) => DesiredCanaries)
  return canary.every(({ AutoPromote }) => AutoPromote === true)
}

/** Where the server gives none. */
export const noReason = 'no reason given'

/** Why a deployment ended, without what its status shows: `unhealthy allocations`. */
export function deploymentReason({ StatusDescription }: Deployment): string {
  const reason = (StatusDescription ?? '')
    .replace(/^(?:Failed due to|Cancelled due to|Cancelled because) /, '')
    .replace(/ - (?:not )?rolling back.*/, '')
  return reason === '' ? noReason : reason
}
