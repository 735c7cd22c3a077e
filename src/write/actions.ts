import type { Tone } from '../core/output.ts'

/** An action in the last line of a plan and of a run, and the mark of its rows. */
interface ActionWords {
  readonly planned: string
  readonly done: string
  readonly mark: string
  readonly tone?: Tone
}

const good = { mark: '+', tone: 'good' } as const
const change = { mark: '~', tone: 'change' } as const
const bad = { mark: '-', tone: 'bad' } as const
const blocked = { mark: '!', tone: 'bad' } as const

/** Everything that can happen to a target, in the order of the last line. */
export const actions = {
  create: { planned: 'to create', done: 'created', ...good },
  restore: { planned: 'to restore', done: 'restored', ...good },
  register: { planned: 'to register', done: 'registered', ...change },
  change: { planned: 'to change', done: 'changed', ...change },
  continue: { planned: 'to continue', done: 'continued', ...change },
  set: { planned: 'to set', done: 'set', ...change },
  write: { planned: 'to write', done: 'written', ...change },
  undelete: { planned: 'to undelete', done: 'undeleted', ...good },
  move: { planned: 'to move', done: 'moved', ...change },
  remove: { planned: 'to remove', done: 'removed', ...bad },
  delete: { planned: 'to delete', done: 'deleted', ...bad },
  destroy: { planned: 'to destroy', done: 'destroyed', ...bad },
  start: { planned: 'to start', done: 'started', ...good },
  rerun: { planned: 'to run again', done: 'run again', ...change },
  restart: { planned: 'to restart', done: 'restarted', ...change },
  revert: { planned: 'to revert', done: 'reverted', ...change },
  scale: { planned: 'to scale', done: 'scaled', ...change },
  evaluate: { planned: 'to evaluate', done: 'evaluated', ...change },
  dispatch: { planned: 'to dispatch', done: 'dispatched', ...good },
  force: { planned: 'to launch', done: 'launched', ...good },
  stop: { planned: 'to stop', done: 'stopped', ...bad },
  purge: { planned: 'to purge', done: 'purged', ...bad },
  issue: { planned: 'to issue', done: 'issued', ...good },
  sign: { planned: 'to sign', done: 'signed', ...good },
  renew: { planned: 'to renew', done: 'renewed', ...change },
  revoke: { planned: 'to revoke', done: 'revoked', ...bad },
  unchanged: { planned: 'unchanged', done: 'unchanged', mark: '=' },
  skipped: { planned: 'skipped', done: 'skipped', mark: '=' },
  conflict: { planned: 'in conflict', done: 'in conflict', ...blocked },
  refused: { planned: 'refused', done: 'refused', ...blocked },
  not_found: { planned: 'not found', done: 'not found', ...blocked },
  unknown: { planned: 'with an unknown state', done: 'with an unknown state', ...blocked },
  unreadable: { planned: 'could not be read', done: 'could not be read', ...blocked },
} as const satisfies Readonly<Record<string, ActionWords>>

export type Action = keyof typeof actions
