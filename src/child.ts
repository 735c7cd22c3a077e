import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Context } from './core/context.ts'
import { usageError } from './core/errors.ts'
import { fileReason } from './output/io.ts'
import { worldOf } from './context.ts'

/**
 * Runs a command on our own streams and gives back its exit status (128 + n for a signal). Signals are forwarded once: a
 * Ctrl-C at a terminal has reached the child already. From its start on, failures of `tug` itself are 125. What it may print
 * of our secrets is masked in a GitHub workflow's log first.
 */
export function runChild(
  context: Context,
  [command, ...words]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const { host, interrupts, masks, started } = worldOf(context)
  masks.announce()
  return new Promise((done, fail) => {
    const child = spawn(command as string, words, { stdio: 'inherit', env, cwd: host.cwd })
    interrupts.pass = (signal) => {
      if (signal === 'SIGTERM' || host.stdin.isTTY !== true) child.kill(signal)
    }
    child.on('spawn', () => started?.())
    child.on('error', (error) => {
      interrupts.pass = undefined
      fail(usageError(`cannot run '${command}': ${fileReason(error)}`))
    })
    child.on('exit', (code, signal) => {
      interrupts.pass = undefined
      done(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })
}
