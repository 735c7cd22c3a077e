import { spawn } from 'node:child_process'
import { TugError } from '../core/errors.ts'
import type { Host } from '../host.ts'

/** Runs a profile's `token_command` in the shell and gives back what it prints on stdout; its stderr is shown as it is. */
export function runTokenCommand(line: string, host: Host): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn(line, {
      shell: true,
      env: { ...host.env },
      cwd: host.cwd,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const pieces: Buffer[] = []
    child.stdout.on('data', (piece: Buffer) => pieces.push(piece))
    child.on('error', (error) => fail(new TugError('not_allowed', `token_command: ${error.message}`)))
    child.on('close', (code) => {
      if (code === 0) done(Buffer.concat(pieces).toString('utf8').trim())
      else
        fail(
          new TugError('not_allowed', `token_command ended with status ${code ?? 'none'} and gave no token`, {
            hints: ['run it by hand to see why'],
          }),
        )
    })
  })
}
