import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSocketServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from '@lydell/node-pty'
import { completionScripts } from '../../../src/commands/tug/completion.ts'
import type * as completion from '../../../src/commands/tug/completion.ts'
import { tug } from '../../support/run.ts'

/** The shells that are tried; PowerShell is in no registry that the tests may use. */
export type Shell = Exclude<completion.Shell, 'powershell'>

/** Asks the test's own process for completions, which is much faster than a new one; records the words of every other call. */
const stub = (port: number) => `#!/usr/bin/env bash
if [ "$1" = __complete ]; then
  exec 3<>/dev/tcp/127.0.0.1/${port}
  printf '%s\\0' "$#" "$@" >&3
  exec cat <&3
fi
printf '%s|' "$@" >> "$TUG_STUB_LOG"; echo >> "$TUG_STUB_LOG"
`

/** Runs each line that a {@link stub} sends, and answers with its output. */
function serveCompletions(env: () => Readonly<Record<string, string>>) {
  return createSocketServer((socket) => {
    let text = ''
    socket.on('error', () => undefined).setEncoding('utf8')
    socket.on('data', (piece: string) => {
      text += piece
      const [count = '', ...words] = text.split('\0')
      if (words.length > Number(count))
        void tug(words.slice(0, -1), { env: env() }).then(({ stdout }) => socket.end(stdout))
    })
  })
}

/** A folder with the script, a `tug` on its own PATH, some files to complete, and services with these answers by path. */
export async function shellWorld(shell: Shell, answerOf: (path: string) => string | undefined) {
  const server = createServer(({ url = '' }, response) => {
    const body = answerOf(url.replace(/\?.*/, ''))
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(body ?? '{"errors":[]}')
  })
  const completions = serveCompletions(() => env)
  const [port, stubPort] = await Promise.all(
    [server, completions].map(async (each) => {
      await new Promise<void>((done) => each.listen(0, '127.0.0.1', done))
      return (each.address() as AddressInfo).port
    }),
  )
  const origin = `http://127.0.0.1:${port}`
  const folder = mkdtempSync(join(tmpdir(), 'tug-complete-'))
  const log = join(folder, 'log')
  const script = join(folder, `script.${shell}`)
  mkdirSync(join(folder, 'bin'))
  mkdirSync(join(folder, 'files', 'some jobs'), { recursive: true })
  writeFileSync(join(folder, 'files', 'web.hcl'), '')
  writeFileSync(join(folder, 'bin', 'tug'), stub(stubPort as number))
  chmodSync(join(folder, 'bin', 'tug'), 0o755)
  writeFileSync(script, completionScripts[shell])
  writeFileSync(log, '')
  const env = {
    TUG_SCHEDULER_ADDR: origin,
    TUG_SECRETS_ADDR: origin,
    TUG_SECRETS_TOKEN: 'x',
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    HOME: folder,
    // No folder: nothing is cached.
    XDG_CACHE_HOME: script,
    TERM: 'dumb',
    PS1: '> ',
    INPUTRC: '/dev/null',
    LC_ALL: 'C.UTF-8',
    TUG_STUB_LOG: log,
  }
  // Loads what completes names: the first answer must be in time, too.
  await tug(['__complete', 'bash', 'tug job get ', ' '], { env })
  return {
    folder,
    script,
    cwd: join(folder, 'files'),
    env,
    /** The recorded calls since the last time. */
    calls: () => {
      const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean)
      writeFileSync(log, '')
      return lines
    },
    remove: () => {
      completions.close()
      server.close()
      server.closeAllConnections()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type ShellWorld = Awaited<ReturnType<typeof shellWorld>>

const setups: Readonly<Record<Shell, (script: string) => string>> = {
  bash: (script) => `bind 'set enable-bracketed-paste off'
source ${script}; source ${script}
bind -x '"\\C-g": printf "\\n[%s]\\n" "$READLINE_LINE"; READLINE_LINE=; READLINE_POINT=0'
echo "rea""dy"
`,
  zsh: (script) => `autoload -Uz compinit; compinit -D -u
zstyle '*' insert-tab false
source ${script}; source ${script}
dump() { zle -I; print -r -- "[$BUFFER]"; BUFFER=; }; zle -N dump; bindkey '^G' dump
bindkey '^I' complete-word; zle -C all-matches complete-word _generic; bindkey '^X*' all-matches
zstyle ':completion:all-matches::::' completer _all_matches _complete
zstyle ':completion:all-matches:*' insert true
echo "rea""dy"
`,
  fish: (script) => `function fish_prompt; echo '> '; end; function fish_greeting; end
source ${script}
bind \\cg 'printf "\\n[%s]\\n" (commandline | string collect); commandline ""; commandline -f repaint'
echo "rea""dy"
`,
}

/** What each shell is started with: nothing of the user's. */
const startFlags: Readonly<Record<Shell, readonly string[]>> = {
  bash: ['--norc', '--noprofile', '-i'],
  zsh: ['-f', '-i'],
  fish: ['--no-config', '-i'],
}

/** A real shell on a terminal. `complete` types a line with `<TAB>` and `<ALL>` (every candidate) in it, and returns the resulting line. */
export async function openShell(shell: Shell, world: ShellWorld) {
  const { env, cwd } = world
  const terminal = spawn(shell, [...startFlags[shell]], { cols: 250, rows: 50, cwd, env })
  let seen = ''
  let changed = () => {}
  terminal.onData((piece) => {
    seen += piece
    changed()
  })

  const until = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(seen)
      if (found !== null) return found
      await new Promise<void>((done) => {
        changed = done
      })
    }
  }

  terminal.write(setups[shell](world.script).replaceAll('\n', '\r'))
  await until(/\nready\r?\n/)
  return {
    async complete(line: string): Promise<string> {
      seen = ''
      const all = shell === 'bash' ? '\x1b*' : '\x18*'
      terminal.write(`${line.replaceAll('<TAB>', '\t').replaceAll('<ALL>', all)}\x07`)
      // The shell reads keys again after the next prompt.
      const [, text = ''] = await until(/\r?\n\[(.*)\]\r?\n[^]*> /)
      return text
    },
    /** Waits for the end: its event would abort the process if the listening thread were already exiting. */
    close: () =>
      new Promise<void>((done) => {
        terminal.onExit(() => done())
        terminal.kill('SIGKILL')
      }),
  }
}

/** True where a shell is installed. */
export function isInstalled(shell: Shell): boolean {
  return spawnSync(shell, ['-c', 'exit 0']).status === 0
}
