import type { JsonObject } from '../../../core/json.ts'
import { number, object, strings, text } from '../state/documents.ts'
import { durationMilliseconds } from '../../go.ts'

/** What a task would do, judged by its config (docs/servers.md has the table). Nothing is executed. */
export interface TaskPlan {
  /** Milliseconds until it exits; Infinity for a task that runs until it is stopped. */
  readonly runs: number
  readonly exitCode: number
  readonly signal: number
  readonly startError: string
}

/** The plan for one task of a job of this type. */
export function planTask(task: JsonObject, jobType: string): TaskPlan {
  const config = object(task, 'Config') ?? {}
  const hinted = 'run_for' in config || 'exit_code' in config || 'exit_signal' in config || config['fail'] === true
  const guess = hinted ? { runs: atOnce, exitCode: 0 } : (commandPlan(config) ?? usual(jobType))
  return {
    runs: durationMilliseconds(text(config, 'run_for')) ?? guess.runs,
    exitCode: number(config, 'exit_code', config['fail'] === true ? 1 : guess.exitCode),
    signal: number(config, 'exit_signal'),
    startError: text(config, 'start_error'),
  }
}

/** Milliseconds that the shortest task takes. */
const atOnce = 20

type Guess = Pick<TaskPlan, 'runs' | 'exitCode'>

function usual(jobType: string): Guess {
  return { runs: jobType === 'batch' || jobType === 'sysbatch' ? 500 : Infinity, exitCode: 0 }
}

function commandPlan(config: JsonObject): Guess | undefined {
  const command = text(config, 'command').split('/').at(-1) ?? ''
  const args = strings(config, 'args')
  if (command === 'true') return { runs: atOnce, exitCode: 0 }
  if (command === 'false') return { runs: atOnce, exitCode: 1 }
  if (command === 'sleep' && args.length === 0) return { runs: atOnce, exitCode: 1 }
  if (command === 'sleep') return { runs: seconds(args[0] ?? ''), exitCode: 0 }
  if (/^(?:ba|da|z)?sh$/.test(command) && args[0] === '-c') return scriptPlan(args[1] ?? '')
  return undefined
}

function scriptPlan(script: string): Guess | undefined {
  if (/\b(?:while|until|exec)\b/.test(script)) return { runs: Infinity, exitCode: 0 }
  const sleeps = [...script.matchAll(/\bsleep\s+([\d.]+[smh]?|infinity)/g)].map((match) => seconds(match[1] as string))
  const exit = [...script.matchAll(/\bexit\s+(\d+)/g)].at(-1)
  if (sleeps.length === 0 && exit === undefined) return undefined
  const runs = sleeps.reduce((sum, sleep) => sum + sleep, atOnce)
  return { runs, exitCode: exit === undefined ? 0 : Number(exit[1]) % 256 }
}

function seconds(argument: string): number {
  if (argument === 'infinity') return Infinity
  return durationMilliseconds(/[smh]$/.test(argument) ? argument : `${argument}s`) ?? 0
}
