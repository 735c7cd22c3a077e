import type { Context } from '../../../core/context.ts'
import { usageError } from '../../../core/errors.ts'
import type { Target, Wanted } from './target.ts'

/** The first part of an ID. */
export function shortId({ allocation }: Target): string {
  return allocation.slice(0, 8)
}

/** How many lines of a list are shown if nobody can choose. */
const longestList = 20

/** Chooses among several targets: asks on a terminal; elsewhere a usage error that lists them. `tty`: only one may be chosen. */
export async function chooseTargets(
  context: Context,
  wanted: Wanted,
  targets: readonly Target[],
  tty: boolean,
): Promise<Target[]> {
  const { io } = context
  const lineFor = ({ allocation, task }: Target) =>
    context.commandLine('job action', wanted.job, wanted.action, '--alloc', allocation, '--task', task)
  const several = `${targets.length} running allocations have this action`
  if (!io.interactive) {
    const lines = targets.map((target) => `${lineFor(target)}   (${placeOf(target)})`)
    const more = lines.length - longestList
    throw usageError(
      `${several}; choose one with --alloc${tty ? '' : ', or pass --all'}`,
      ...lines.slice(0, longestList),
      ...(more > 0 ? [`and ${more} more: ${context.commandLine('job allocs', wanted.job)}`] : []),
    )
  }
  const width = String(targets.length).length
  const lines = targets.map((target, index) => {
    const number = String(index + 1).padStart(width)
    return `  ${number}  ${shortId(target)}  ${placeOf(target)}`
  })
  io.note([`${several}:`, ...lines].join('\n'))
  const orAll = tty ? '' : ', a for all'
  const question = `Which? [1-${targets.length}${orAll}] `
  const answer = (await io.ask(question, { otherwise: 'choose with --alloc <id>' })).trim().toLowerCase()
  if (answer === 'a' && !tty) return [...targets]
  const chosen = /^\d+$/.test(answer) ? targets[Number(answer) - 1] : undefined
  if (answer === '') throw usageError('no choice made; nothing was run')
  if (chosen === undefined)
    throw usageError(`'${answer}' is not a number from 1 to ${targets.length}${tty ? '' : ' or a'}; nothing was run`)
  return [chosen]
}

/** `frontend/server on node-3`. */
export function placeOf({ group, task, node }: Target): string {
  const place = group === undefined ? task : `${group}/${task}`
  return node === undefined ? place : `${place} on ${node}`
}
