import { fork } from 'node:child_process'
import { join } from 'node:path'

/** The runner as a process that is replaced when a mutant doesn't end. */
export function vitestIn(cwd) {
  let child
  let restored = []
  const start = (env = {}) => {
    child ??= fork(join(import.meta.dirname, 'runner.mjs'), {
      cwd,
      detached: true,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    return child
  }
  const stop = () => {
    if (child?.pid !== undefined) {
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {}
    }
    child = undefined
  }
  /** `limits`: how many milliseconds each test file may take. */
  const ask = (message, limits, env) =>
    new Promise((done) => {
      const current = start(env)
      let timer
      const awaitFile = (limit) => {
        clearTimeout(timer)
        timer = limit === undefined ? undefined : setTimeout(() => finish({ late: true }), limit)
      }
      const finish = (answer) => {
        clearTimeout(timer)
        current.removeAllListeners('message').removeAllListeners('exit')
        if (answer.late) stop()
        done(answer)
      }
      // A mutant that ends vitest itself is noticed, too.
      current.once('exit', () => {
        child = undefined
        finish({ failed: '(vitest ended)', file: '' })
      })
      current.on('message', (answer) => (answer.isNext === true ? awaitFile(limits.shift()) : finish(answer)))
      current.send(message)
    })
  return {
    stop,
    /** The next attempt reads this file again. */
    forget: (path) => restored.push(path),
    async record(files, folder) {
      const setup = join(import.meta.dirname, 'hits.mjs')
      const record = files.map((file) => join(cwd, file))
      const { error } = await ask({ record, setup }, [], { MUTATE_HITS: folder })
      if (error !== undefined) throw new Error(error)
    },
    async attempt(path, tests) {
      const changed = [...restored, path]
      restored = []
      // A loaded machine must not look like a mutant that doesn't end.
      const limits = tests.map(({ milliseconds }) => 60_000 + 8 * milliseconds)
      return ask({ changed, tests: tests.map(({ file, ids }) => ({ file: join(cwd, file), ids })) }, limits)
    },
  }
}
