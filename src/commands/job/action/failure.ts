import { TugError } from '../../../core/errors.ts'
import type { ErrorCode } from '../../../core/errors.ts'
import type { SocketEnd } from '../../../core/context.ts'

/** The action and its target, for messages. */
export interface Place {
  /** A command line about its job, for a hint. */
  readonly see: (words: string) => string
  readonly action: string
  readonly allocation: string
}

const neededCapability =
  'namespace:alloc-exec, and namespace:alloc-node-exec where the task driver does not isolate the file system'

/** Reasons of a close frame. The service upgrades first and reports every error this way (docs/servers.md, Actions). */
const reasons: readonly (readonly [RegExp, ErrorCode, (place: Place) => string[]])[] = [
  [
    /Permission denied|failed to parse signed token|ACL token not found/i,
    'not_allowed',
    () => [
      `needed: ${neededCapability}`,
      'a missing, unknown or too weak token gives the same answer: tug status shows which token is used',
    ],
  ],
  [/^action .* not found in task|^command is not present/i, 'not_found', ({ see }) => [`see: ${see('job actions')}`]],
  [/^task .* not found in allocation/i, 'not_found', ({ see }) => [`see: ${see('job actions')}`]],
  [
    /Unknown allocation|does not have allocation|is not running/i,
    'not_found',
    ({ see }) => [`see: ${see('job allocs')}`],
  ],
]

/**
 * The error of a session that ended before its exit frame. Before any output, a
 * reason from the service has its usual exit code; otherwise it is 125.
 */
export function endedEarly(end: SocketEnd, place: Place, started: boolean): TugError {
  const { action, allocation } = place
  const unknown = `${action} may still be running on ${allocation}; its outcome is unknown`
  if (end.kind === 'dropped') {
    const cause = end.cause === undefined ? '' : `: ${end.cause.message}`
    return failed('tug_failed', `the connection ended before the action's exit status${cause}`, [
      unknown,
      ...(started
        ? []
        : [`some errors are too long for the service to send; check the action: ${place.see('job actions')}`]),
    ])
  }
  const words = end.reason.replace(/^rpc error: (?:code = \w+ desc = )?/, '')
  const known = started ? undefined : reasons.find(([pattern]) => pattern.test(words))
  if (known !== undefined) return failed(known[1], words, known[2](place))
  const command = /^failed to start command: (.*)$/s.exec(words)?.[1]
  if (command !== undefined) return failed('tug_failed', `the action's command could not be started: ${command}`, [])
  const said = words === '' ? `close code ${end.code}` : words
  return failed('tug_failed', `the service ended the session before the action's exit status: ${said}`, [unknown])
}

function failed(code: ErrorCode, message: string, hints: readonly string[]): TugError {
  return new TugError(code, message, { service: 'scheduler', hints })
}
