import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { runChild } from '../../child.ts'
import { command } from '../../core/command.ts'
import type { Result } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { shellQuote } from '../../core/curl.ts'
import { interrupted, TugError } from '../../core/errors.ts'
import { flag, passThrough } from '../../core/param.ts'
import { childEnvironment, serverVariables } from '../../dev/environment.ts'
import { faultForms, parseFault } from '../../dev/faults.ts'
import type { Dialect } from '../../api/dialect.ts'
import { worldOf } from '../../context.ts'

const forms = faultForms.map(([form, meaning]) => `  ${form.padEnd(16)}${meaning}`).join('\n')

export const dev = command({
  name: 'dev',
  summary: 'Run a local server of all three services with demo data, or a command against it',
  description: `The server listens on loopback only and keeps everything in memory. With a command after --, the command runs with the variables of the three services (TUG_…, VAULT_…, BAO_…, NOMAD_…, TFE_…) replaced by those of the server, finds this very tug first on its PATH, and its exit status is passed on. Without one, the server runs until Ctrl-C and the variables are printed for a shell to read.

--fault makes something go wrong on purpose:
${forms}`,
  endpoints: [],
  passesThrough: true,
  rawOutput: true,
  params: {
    port: flag.integer('port to listen on', { min: 0, max: 65_535, defaultText: 'any free one' }),
    fault: flag.each('something that goes wrong on purpose', parseFault, { placeholder: 'spec' }),
    words: { ...passThrough('the command to run against the server'), required: false },
  },
  examples: [
    { line: 'dev -- tug explorer query workspaces', note: 'look at demo data' },
    { line: "dev -- sh -c 'tug kv tree && tug job list'", note: 'several commands against one server' },
    { line: 'dev --fault 429:2 -- tug explorer query workspaces', note: 'see how a rate limit is waited for' },
    {
      line: 'dev --fault csv-timeout -- tug explorer export workspaces',
      note: 'see an export that falls back to pages',
    },
  ],
  async run({ port, fault, words }, context): Promise<Result | undefined> {
    const { host, session } = worldOf(context)
    const { startServer } = await import('../../dev/server.ts')
    const dialect = session.commandSettings.dialect
    const server = await startServer({ port: port ?? 0, faults: fault, dialect }).catch((error: unknown) => {
      const { code, message } = error as NodeJS.ErrnoException
      const reason = code === 'EADDRINUSE' ? 'it is taken' : code === 'EACCES' ? 'not permitted' : message
      throw new TugError('failed', `cannot listen on port ${port}: ${reason}`, {
        hints: ['leave --port out to take any free one'],
      })
    })
    try {
      if (words.length === 0) return await serveUntilInterrupted(server.origin, dialect, context)
      const folder = await selfOnPath(host.self)
      try {
        const env = childEnvironment(
          host.env,
          { origin: server.origin, dialect },
          {
            PATH: `${folder}${delimiter}${host.env['PATH'] ?? ''}`,
            TUG_CONFIG_DIR: join(folder, 'config'),
          },
        )
        return { raw: '', exitCode: await runChild(context, words, env) }
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    } finally {
      await server.close()
    }
  },
})

async function serveUntilInterrupted(origin: string, dialect: Dialect, context: Context): Promise<Result | undefined> {
  const { io, signal } = context
  const lines = Object.entries(serverVariables(origin, dialect)).map(
    ([name, value]) => `export ${name}=${shellQuote(value)}\n`,
  )
  await io.write('stdout', lines.join(''))
  io.note(`listening on ${origin}; Ctrl-C stops it. The lines above make a shell use it.`)
  await new Promise<void>((done) => {
    if (signal.aborted) done()
    signal.addEventListener('abort', () => done(), { once: true })
    worldOf(context).host.stdout.on('error', () => done())
  })
  throw interrupted()
}

/** A folder with a `tug` that starts this very program. */
async function selfOnPath(self: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tug-dev-'))
  const script = join(folder, 'tug')
  await writeFile(script, `#!/bin/sh\nexec ${self.map(shellQuote).join(' ')} "$@"\n`)
  await chmod(script, 0o755)
  return folder
}
