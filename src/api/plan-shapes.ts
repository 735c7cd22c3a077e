import type { Infer, Shape } from '../core/shape.ts'
import { array, count, map, object, string } from '../core/shape.ts'
import { unplaced } from './allocation-shapes.ts'
import { index } from './job-shapes.ts'

// Shapes of a plan and of the diffs between versions of a job.

/** A field of a diff, or of a block in it. */
const fieldDiff = object({
  'Type?': string,
  'Name?': string,
  'Old?': string,
  'New?': string,
  'Annotations?': array(string),
})
export type FieldDiff = Infer<typeof fieldDiff>

/** A job, group, task or block of a diff. */
export interface Diff {
  readonly ID?: string | null | undefined
  readonly Type?: string | null | undefined
  readonly Name?: string | null | undefined
  readonly Fields?: readonly FieldDiff[] | null | undefined
  readonly Objects?: readonly Diff[] | null | undefined
  readonly TaskGroups?: readonly Diff[] | null | undefined
  readonly Tasks?: readonly Diff[] | null | undefined
  readonly Annotations?: readonly string[] | null | undefined
}

/** Recursive, so it has a getter for each list of diffs. */
export const diff: Shape<Diff> = object({
  'ID?': string,
  'Type?': string,
  'Name?': string,
  'Fields?': array(fieldDiff),
  get 'Objects?'() {
    return array(diff)
  },
  get 'TaskGroups?'() {
    return array(diff)
  },
  get 'Tasks?'() {
    return array(diff)
  },
  'Annotations?': array(string),
})

/** How many allocations of a group a plan would place, stop, update, and so on. */
const groupUpdates = map(count())
export type GroupUpdates = Infer<typeof groupUpdates>

export const plan = object({
  JobModifyIndex: index,
  'Diff?': diff,
  'Annotations?': object({
    'DesiredTGUpdates?': map(groupUpdates),
    'PreemptedAllocs?': array(object({ 'ID?': string, 'JobID?': string })),
  }),
  'FailedTGAllocs?': unplaced,
  'CreatedEvals?': array(object({ 'ID?': string, 'Status?': string, 'TriggeredBy?': string })),
  'NextPeriodicLaunch?': string,
  'Warnings?': string,
})
export type Plan = Partial<Infer<typeof plan>>
