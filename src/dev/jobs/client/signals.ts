import { constants } from 'node:os'

/** The number of a signal. As with real drivers an unknown one is an interrupt. */
export function signalNumber(name: string): number {
  return (constants.signals as Readonly<Record<string, number>>)[name] ?? constants.signals.SIGINT
}

const { SIGABRT, SIGINT, SIGKILL, SIGQUIT, SIGTERM } = constants.signals

/** Signals that end a simulated task. It survives all others. */
export const deadly: ReadonlySet<number> = new Set([SIGABRT, SIGINT, SIGKILL, SIGQUIT, SIGTERM])
