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
  const ask = (message, limit, env) =>
    new Promise((done) => {
      const current = start(env)
      const timer = limit === undefined ? undefined : setTimeout(() => finish({ late: true }), limit)
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
      current.once('message', finish)
      current.send(message)
    })
  return {
    stop,
    /** The next attempt reads this file again. */
    forget: (path) => restored.push(path),
    async record(files, folder) {
      const setup = join(import.meta.dirname, 'hits.mjs')
      const record = files.map((file) => join(cwd, file))
      const { error } = await ask({ record, setup }, undefined, { MUTATE_HITS: folder })
      if (error !== undefined) throw new Error(error)
    },
    async attempt(path, tests, limit) {
      const changed = [...restored, path]
      restored = []
      return ask({ changed, tests: tests.map(({ file, ids }) => ({ file: join(cwd, file), ids })) }, limit)
    },
  }
}
