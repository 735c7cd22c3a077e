import { spawn } from 'node:child_process'
import { interrupted, TugError } from '../core/errors.ts'
import { formatSpan } from '../core/duration.ts'
import type { Host } from '../process/host.ts'

/**
 * Runs a profile's `token_command` in the shell and returns its stdout; its stderr is shown unchanged. The command and its children end
 * with the program, or after `timeout` milliseconds.
 */
export function runTokenCommand(
  line: string,
  host: Host,
  { signal, timeout }: { signal: AbortSignal; timeout: number },
): Promise<string> {
  return new Promise((done, fail) => {
    const failed = (message: string) =>
      fail(new TugError('not_allowed', `token_command ${message}`, { hints: ['run it by hand to see why'] }))
    // Without a terminal it gets its own process group, so a pipeline or script ends as a whole. Node also starts a new session for it,
    // in which nothing can ask for a password; so with a terminal there is no group: Ctrl-C and SIGHUP reach all processes there.
    const hasGroup = host.platform !== 'win32' && host.stdin.isTTY !== true
    const child = spawn(line, {
      shell: true,
      detached: hasGroup,
      env: { ...host.env },
      cwd: host.cwd,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const pieces: Buffer[] = []
    const end = () => {
      // On Windows the shell's children are found by parent ID.
      if ((hasGroup || host.platform === 'win32') && child.pid !== undefined) host.endGroup(child.pid)
      // On Windows, if the program that ends groups could not.
      if (!hasGroup) child.kill()
      // A child of the shell may keep the pipe open.
      child.stdout.destroy()
    }
    const cancelExit = host.onExit(end)
    const timer = setTimeout(() => {
      finish()
      end()
      failed(`did not end within ${formatSpan(timeout)} (--timeout)`)
    }, timeout)
    const stop = () => {
      finish()
      end()
      fail(interrupted())
    }
    const finish = () => {
      clearTimeout(timer)
      cancelExit()
      signal.removeEventListener('abort', stop)
    }
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    child.stdout.on('data', (piece: Buffer) => pieces.push(piece))
    child.on('error', ({ message }) => {
      finish()
      failed(`cannot be run: ${message}`)
    })
    child.on('close', (code, killedBy) => {
      finish()
      const token = Buffer.concat(pieces).toString('utf8').trim()
      if (code !== 0) failed(code === null ? `was ended by ${killedBy}` : `exited with status ${code}`)
      else if (token === '') failed('printed no token')
      else done(token)
    })
    return undefined
  })
}
