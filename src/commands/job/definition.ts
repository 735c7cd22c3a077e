import type { Condition, Job, Network, ReschedulePolicy, Task, TaskGroup, UpdateBlock } from '../../api/job-shapes.ts'
import type { Json } from '../../core/json.ts'
import { entriesOf, plainText } from '../../core/json.ts'
import { withoutUrlSecrets } from '../../core/secret-names.ts'
import { plural } from '../../core/words.ts'
import { looksSecret } from '../../output/redact.ts'
import { spanOf } from './cells.ts'

// What a job's definition says, a line for each kind of block: `app: …; side: …` for groups, `app.srv: …` for tasks.

/** `app 3: srv (docker), log (exec); side 1: queue (exec)`: the groups with their counts, tasks and drivers. */
export function groupsAndTasks(job: Job): string {
  return (job.TaskGroups ?? [])
    .map(({ Name, Count, Tasks }) => {
      const tasks = (Tasks ?? []).map((task) => `${task.Name ?? ''} (${task.Driver ?? ''})`)
      const head = `${Name ?? ''} ${Count ?? ''}`.trim()
      return tasks.length === 0 ? head : `${head}: ${tasks.join(', ')}`
    })
    .join('; ')
}

type Words<Holder> = (holder: Holder) => readonly string[]

function ofGroups(job: Job, words: Words<TaskGroup>): string[] {
  return (job.TaskGroups ?? []).flatMap((group) => placed(group.Name ?? '', words(group)))
}

function ofTasks(job: Job, words: Words<Task>): string[] {
  return (job.TaskGroups ?? []).flatMap((group) =>
    (group.Tasks ?? []).flatMap((task) => placed(`${group.Name ?? ''}.${task.Name ?? ''}`, words(task))),
  )
}

function placed(place: string, words: readonly string[]): string[] {
  const found = words.filter((word) => word !== '')
  if (found.length === 0) return []
  return [place === '' ? found.join(', ') : `${place}: ${found.join(', ')}`]
}

/** `${attr.kernel.name} = linux; app: ${node.class} = big; app.srv: …`: the constraints of the job, its groups and tasks. */
export function constraints(job: Job): string {
  return conditions(job, ({ Constraints }) => (Constraints ?? []).map(conditionWords))
}

export function affinities(job: Job): string {
  return conditions(job, ({ Affinities }) =>
    (Affinities ?? []).map((one) => `${conditionWords(one)}${weight(one.Weight)}`),
  )
}

/** Each with its place. */
function conditions(job: Job, words: Words<Pick<Job, 'Constraints' | 'Affinities'>>): string {
  const groups = (job.TaskGroups ?? []).flatMap((group) => [
    ...words(group).map((one) => `${group.Name ?? ''}: ${one}`),
    ...(group.Tasks ?? []).flatMap((task) =>
      words(task).map((one) => `${group.Name ?? ''}.${task.Name ?? ''}: ${one}`),
    ),
  ])
  return [...words(job), ...groups].join('; ')
}

function conditionWords({ LTarget, Operand, RTarget }: Condition): string {
  return [LTarget, Operand, RTarget].filter((part) => (part ?? '') !== '').join(' ')
}

function weight(value: unknown): string {
  return value === undefined || value === null ? '' : ` (weight ${String(value)})`
}

/** `${node.datacenter} (weight 100): dc1 60%, dc2 40%`. */
export function spreads(job: Job): string {
  const words = ({ Spreads }: Pick<Job, 'Spreads'>) =>
    (Spreads ?? []).map(({ Attribute, Weight, SpreadTarget }) => {
      const targets = (SpreadTarget ?? []).map(({ Value, Percent }) => `${Value ?? ''} ${Percent ?? 0}%`)
      return [`${Attribute ?? ''}${weight(Weight)}`, targets.join(' ')].filter((part) => part !== '').join(': ')
    })
  return [...placed('', words(job)), ...ofGroups(job, words)].join('; ')
}

/** `app: 1 at a time, 1 canary, healthy for 10s within 5m, auto-revert`: how each group is updated. */
export function updateStrategy(job: Job): string {
  const own = strategyOf(job.Update)
  const groups = ofGroups(job, ({ Update }) => [strategyOf(Update)])
  return groups.length === 0 ? own : groups.join('; ')
}

function strategyOf(update: UpdateBlock | null | undefined): string {
  const { MaxParallel, Canary, MinHealthyTime, HealthyDeadline, ProgressDeadline } = update ?? {}
  if ((MaxParallel ?? 0) === 0) return ''
  const healthy = spanOf(MinHealthyTime)
  const within = spanOf(HealthyDeadline)
  const progress = spanOf(ProgressDeadline)
  return [
    `${MaxParallel} at a time`,
    ...((Canary ?? 0) === 0 ? [] : [`${Canary} canar${Canary === 1 ? 'y' : 'ies'}`]),
    ...(healthy === '' ? [] : [`healthy for ${healthy}${within === '' ? '' : ` within ${within}`}`]),
    ...(progress === '' ? [] : [`progress within ${progress}`]),
    ...(update?.AutoRevert === true ? ['auto-revert'] : []),
    ...(update?.AutoPromote === true ? ['auto-promote'] : []),
  ].join(', ')
}

/** `app: 2 attempts in 30m, 15s apart, then fail`. */
export function restartPolicies(job: Job): string {
  return ofGroups(job, ({ RestartPolicy }) => {
    if (RestartPolicy === null || RestartPolicy === undefined) return []
    const { Attempts, Interval, Delay, Mode } = RestartPolicy
    return [attempts(Attempts, spanOf(Interval)), apart(spanOf(Delay)), (Mode ?? '') === '' ? '' : `then ${Mode}`]
  }).join('; ')
}

/** `app: unlimited, 30s apart, exponential up to 1h`. */
export function reschedulePolicies(job: Job): string {
  return ofGroups(job, ({ ReschedulePolicy }) => (ReschedulePolicy ? rescheduleWords(ReschedulePolicy) : [])).join('; ')
}

function rescheduleWords({ Unlimited, Attempts, ...policy }: ReschedulePolicy): string[] {
  if (Unlimited !== true && (Attempts ?? 0) === 0) return ['never']
  const most = spanOf(policy.MaxDelay)
  const grows = policy.DelayFunction ?? 'constant'
  return [
    Unlimited === true ? 'unlimited' : attempts(Attempts, spanOf(policy.Interval)),
    apart(spanOf(policy.Delay)),
    grows === 'constant' ? '' : `${grows}${most === '' ? '' : ` up to ${most}`}`,
  ]
}

function attempts(count: number | null | undefined, interval: string): string {
  return `${plural(count ?? 0, 'attempt')}${interval === '' ? '' : ` in ${interval}`}`
}

function apart(delay: string): string {
  return delay === '' ? '' : `${delay} apart`
}

/** `app: 1 to 6`: within which counts a group is scaled. */
export function scalingLimits(job: Job): string {
  return ofGroups(job, ({ Scaling }) =>
    Scaling ? [`${Scaling.Min ?? 0} to ${Scaling.Max ?? ''}${Scaling.Enabled === false ? ' (disabled)' : ''}`] : [],
  ).join('; ')
}

/** `app: http → 8080, admin = 9000`: dynamic ports with their target, and static ones. */
export function networks(job: Job): string {
  const words = ({ Networks }: { readonly Networks?: readonly Network[] | null | undefined }) =>
    (Networks ?? []).flatMap(({ Mode, DynamicPorts, ReservedPorts }) => [
      Mode ?? '',
      ...(DynamicPorts ?? []).map(({ Label, To }) => `${Label ?? ''}${Number(To ?? 0) === 0 ? '' : ` → ${To}`}`),
      ...(ReservedPorts ?? []).map(({ Label, Value }) => `${Label ?? ''} = ${Value ?? ''}`),
    ])
  return [...ofGroups(job, words), ...ofTasks(job, ({ Resources }) => words(Resources ?? {}))].join('; ')
}

/** `app: web-app on http (nomad), check http /health every 10s`. */
export function jobServices(job: Job): string {
  const words = ({ Services }: Pick<TaskGroup, 'Services'>) =>
    (Services ?? []).flatMap(({ Name, PortLabel, Provider, Checks }) => [
      `${Name ?? ''}${PortLabel ? ` on ${PortLabel}` : ''}${Provider ? ` (${Provider})` : ''}`,
      ...(Checks ?? []).map(({ Type, Path, Interval }) => {
        const every = spanOf(Interval)
        return ['check', Type, Path, every === '' ? '' : `every ${every}`].filter(Boolean).join(' ')
      }),
    ])
  return [...ofGroups(job, words), ...ofTasks(job, words)].join('; ')
}

/** `app.srv: cpu 100, memory 64 MB`. */
export function resources(job: Job): string {
  return ofTasks(job, ({ Resources }) => {
    const { CPU, Cores, MemoryMB, MemoryMaxMB, DiskMB, Devices } = Resources ?? {}
    const part = (words: string, value: { valueOf(): number } | null | undefined, unit = '') =>
      (value?.valueOf() ?? 0) > 0 ? `${words} ${String(value)}${unit}` : ''
    return [
      part('cpu', CPU),
      part('cores', Cores),
      part('memory', MemoryMB, ' MB'),
      part('memory up to', MemoryMaxMB, ' MB'),
      part('disk', DiskMB, ' MB'),
      ...(Devices ?? []).map(({ Name, Count }) => `${Count ?? 1} ${Name ?? ''}`),
    ]
  }).join('; ')
}

/** `app.srv: DB_PASSWORD=(masked), GREETING=hello`: what looks secret is masked. */
export function environment(job: Job): string {
  return ofTasks(job, ({ Env }) => maskedPairs(Env)).join('; ')
}

function maskedPairs(map: Readonly<Record<string, Json>> | null | undefined): string[] {
  return entriesOf(map ?? {}).map(([key, value]) => {
    const words = plainText(value)
    return `${key}=${looksSecret(words, key) ? '(masked)' : withoutUrlSecrets(words)}`
  })
}

/** `app.srv: local/app.conf (restart)`: where templates are written, and what a change does. */
export function templates(job: Job): string {
  return ofTasks(job, ({ Templates }) =>
    (Templates ?? []).map(({ DestPath, ChangeMode, ChangeSignal }) => {
      const change = [ChangeMode, ChangeSignal].filter(Boolean).join(' ')
      return `${DestPath ?? ''}${change === '' ? '' : ` (${change})`}`
    }),
  ).join('; ')
}

/** `app.srv: https://example.org/app.tar.gz → local/`. */
export function artifacts(job: Job): string {
  return ofTasks(job, ({ Artifacts }) =>
    (Artifacts ?? []).map(({ GetterSource, RelativeDest }) => {
      const source = withoutUrlSecrets(GetterSource ?? '')
      return RelativeDest ? `${source} → ${RelativeDest}` : source
    }),
  ).join('; ')
}

/** `app: data (host certs, read-only); app.srv: data at /data`: the volumes of groups and where tasks mount them. */
export function volumes(job: Job): string {
  return [
    ...ofGroups(job, (group) =>
      entriesOf(group.Volumes ?? {}).map(([name, { Type, Source, ReadOnly }]) => {
        const facts = [[Type, Source].filter(Boolean).join(' '), ReadOnly === true ? 'read-only' : '']
        const words = facts.filter((fact) => fact !== '').join(', ')
        return words === '' ? name : `${name} (${words})`
      }),
    ),
    ...ofTasks(job, ({ VolumeMounts }) =>
      (VolumeMounts ?? []).map(
        ({ Volume, Destination, ReadOnly }) =>
          `${Volume ?? ''} at ${Destination ?? ''}${ReadOnly === true ? ' (read-only)' : ''}`,
      ),
    ),
  ].join('; ')
}

/** `app.init: prestart; app.proxy: prestart (sidecar)`. */
export function lifecycles(job: Job): string {
  return ofTasks(job, ({ Lifecycle }) =>
    Lifecycle?.Hook ? [`${Lifecycle.Hook}${Lifecycle.Sidecar === true ? ' (sidecar)' : ''}`] : [],
  ).join('; ')
}
