// The process that runs vitest in the scratch copy: it stays for many mutants, since starting vitest takes longer than most tests.
// Takes `{ record: files, setup }` or `{ changed, tests: [{ file, ids }] }` from its parent, says when the next file
// begins, and answers with what failed.
import { createVitest } from 'vitest/node'

let vitest
/** Of the test file that is running. */
let failed
let ran
let cancelling = []
const failure = (name) => {
  failed ??= name
  cancelling.push(vitest.cancelCurrentRun('test-failure').catch(() => undefined))
}
const reporter = {
  onTestCaseResult(test) {
    const { state } = test.result()
    if (state !== 'skipped') ran += 1
    if (state === 'failed') failure(test.fullName)
  },
  onTestModuleEnd(module) {
    if (module.errors().length > 0) failure('(the file itself)')
  },
}

/** A loaded machine must not look like a test that noticed. */
const open = (options) => createVitest('test', { watch: false, cache: false, testTimeout: 180_000, ...options })

async function record({ record: files, setup }) {
  vitest ??= await open({ setupFiles: [setup], reporters: [{}] })
  await vitest.runTestSpecifications(files.map((file) => vitest.getRootProject().createSpecification(file)))
  return {}
}

async function attempt({ changed, tests }) {
  vitest ??= await open({ maxWorkers: 1, reporters: [reporter] })
  for (const source of changed) vitest.invalidateFile(source)
  process.send({ isNext: true })
  for (const { file, ids } of tests) {
    failed = undefined
    ran = 0
    cancelling = []
    const { unhandledErrors } = await vitest.runTestSpecifications([
      vitest.getRootProject().createSpecification(file, { testIds: ids }),
    ])
    // The next run must not be cancelled in its place.
    await Promise.all(cancelling)
    if (unhandledErrors.length > 0) failed ??= '(an unhandled error)'
    if (failed !== undefined) return { file, failed }
    if (ran === 0) throw new Error(`none of ${ids.length} tests of ${file} ran`)
    process.send({ isNext: true })
  }
  return {}
}

process.on('message', (message) => {
  const asked = message.record === undefined ? attempt(message) : record(message)
  asked.then(
    (answer) => process.send(answer),
    (error) => process.send({ error: String(error?.stack ?? error) }),
  )
})
