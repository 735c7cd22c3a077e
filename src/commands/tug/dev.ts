import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import type { TugContext } from './context.ts'
import { tugCommand } from './context.ts'
import type { Result } from '../../core/command.ts'
import { posixQuote, setVariables } from '../../core/shell.ts'
import { interrupted, TugError } from '../../core/errors.ts'
import { writeNewFile } from '../../core/new-file.ts'
import { flag, passThrough } from '../../core/param.ts'
import type { Host } from '../../process/host.ts'
import { childEnvironment, newCredentials, serverVariables } from '../../dev/credentials.ts'
import { faultForms, parseFault } from '../../dev/faults.ts'
import type { Dialect } from '../../dev/http.ts'
import type { DevServer } from '../../dev/server.ts'

const forms = faultForms.map(([form, meaning]) => `  ${form.padEnd(16)}${meaning}`).join('\n')

export const dev = tugCommand({
  name: 'dev',
  summary: 'Run a local server with demo data, or a command against it',
  description: `The server listens on loopback and keeps everything in memory. A command after -- runs with the variables of the three services (TUG_…, VAULT_…, BAO_…, NOMAD_…, TFE_…) replaced by those of the server and with this tug first on its PATH; its exit status is passed on. Without a command, the server runs until Ctrl-C and prints the variables for a shell to read. It uses the names of the API documents; with --dialect hashicorp, those of the products.

Tokens are random, because the server runs the actions of its jobs on this machine. Requests from web pages are refused.

--fault causes failures on purpose:
${forms}`,
  passesThrough: true,
  rawOutput: true,
  params: {
    port: flag.integer('port to listen on', { min: 0, max: 65_535, defaultText: 'any free one' }),
    fault: flag.each('failure to cause; may be repeated', parseFault, { placeholder: 'spec' }),
    token: flag.of('token with all permissions; other users of this machine may see it', readToken, {
      placeholder: 'text',
      defaultText: 'random ones',
    }),
    empty: flag.boolean('start without demo data'),
    words: { ...passThrough('the command to run against the server'), required: false },
  },
  examples: [
    { line: 'dev -- tug explorer query workspaces', note: 'look at demo data' },
    { line: "dev -- sh -c 'tug kv tree && tug job list'", note: 'several commands against one server' },
    { line: 'dev --fault 429:2 -- tug explorer query workspaces', note: 'watch it wait for a rate limit' },
    {
      line: 'dev --fault csv-timeout -- tug explorer export workspaces',
      note: 'watch an export fall back to pages',
    },
  ],
  async run({ port, fault, token, empty, words }, context): Promise<Result | undefined> {
    const { host, session } = context
    const { startServer } = await import('../../dev/server.ts')
    const dialect: Dialect = session.commandSettings.dialect === 'hashicorp' ? 'hashicorp' : 'neutral'
    const credentials = newCredentials(token)
    const options = { port: port ?? 0, faults: fault, dialect, empty: empty === true, credentials }
    const server = await startServer(options).catch((error: unknown) => {
      throw cannotListen(port, error as NodeJS.ErrnoException)
    })
    try {
      if (words.length === 0) return await serveUntilInterrupted(server, dialect, context)
      const { folder, variables } = selfOnPath(host)
      const remove = () => rmSync(folder, { recursive: true, force: true })
      const forgetExit = host.onExit(remove)
      try {
        if (context.signal.aborted) throw interrupted()
        const env = childEnvironment(
          host.env,
          { ...server, dialect, platform: host.platform },
          {
            PATH: `${folder}${delimiter}${host.env['PATH'] ?? ''}`,
            TUG_CONFIG_DIR: join(folder, 'config'),
            ...variables,
          },
        )
        if (isShell(words) && context.io.terminal.stderr)
          context.io.note(`a shell for the local server at ${server.origin}; exit ends both`)
        return { raw: '', exitCode: await context.runChild(commandOf(words, host), env) }
      } finally {
        forgetExit()
        remove()
      }
    } finally {
      await server.close()
    }
  },
})

function readToken(text: string): string {
  if (!/^[!-~]+$/.test(text)) throw new RangeError('a token is printable ASCII without blanks')
  return text
}

async function serveUntilInterrupted(
  server: DevServer,
  dialect: Dialect,
  context: TugContext,
): Promise<Result | undefined> {
  const { io, signal } = context
  const variables = Object.entries(serverVariables(server, dialect))
  const lines = variables.map(([name, value]) => `${setVariables({ [name]: value })}\n`)
  await io.write('stdout', lines.join(''))
  io.note(`listening on ${server.origin}; press Ctrl-C to stop. Paste the lines above into a shell to use it`)
  const { secrets, scheduler } = server.credentials
  io.note(`read-only tokens: ${secrets.limitedToken} (secrets), ${scheduler.limitedToken} (scheduler)`)
  await new Promise<void>((done) => {
    if (signal.aborted) done()
    signal.addEventListener('abort', () => done(), { once: true })
    context.host.stdout.on('error', () => done())
  })
  throw interrupted()
}

/** True for a shell without a script: only its prompt would be seen. */
function isShell(words: readonly string[]): boolean {
  const [program = '', ...options] = words
  const name = basename(program.replaceAll('\\', '/')).replace(/\.exe$/i, '')
  const isNamed = /^(?:ba|da|z|k|fi|c|tc|a)?sh$|^(?:pwsh|powershell|cmd|nu|elvish)$/i.test(name)
  return isNamed && options.every((option) => /^(?:-[il]+|--login|--norc|--noprofile)$/.test(option))
}

/** On Windows only a shell can start a `tug.cmd`, and it would expand a `%name%` in its path. */
function commandOf(words: readonly string[], { self, platform }: Host): readonly string[] {
  return platform === 'win32' && /^tug(?:\.cmd)?$/i.test(words[0] ?? '') ? [...self, ...words.slice(1)] : words
}

/**
 * A folder with a `tug` that starts this program, and a `tug.cmd` for Windows. That one takes paths from `variables`, because cmd reads
 * files in the console's code page and expands a `%name%` in them.
 */
function selfOnPath({ self, platform }: Host): { folder: string; variables: Readonly<Record<string, string>> } {
  const folder = mkdtempSync(join(tmpdir(), 'tug-dev-'))
  writeNewFile(join(folder, 'tug'), `#!/bin/sh\nexec ${self.map(posixQuote).join(' ')} "$@"\n`, 0o700)
  const variables = self.map((word, index) => [`TUG_SELF_${index}`, word] as const)
  if (platform === 'win32')
    writeNewFile(join(folder, 'tug.cmd'), `@${variables.map(([name]) => `"%${name}%"`).join(' ')} %*\r\n`)
  return { folder, variables: platform === 'win32' ? Object.fromEntries(variables) : {} }
}

function cannotListen(port: number | undefined, error: NodeJS.ErrnoException): TugError {
  const { code, message } = error
  const reason = code === 'EADDRINUSE' ? 'it is in use' : code === 'EACCES' ? 'not permitted' : message
  const hints = ['omit --port to use any free port']
  return new TugError('failed', `cannot listen on port ${port}: ${reason}`, { hints })
}
