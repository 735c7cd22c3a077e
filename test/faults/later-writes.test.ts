import { describe, expect, test } from 'vitest'
import { serveBetween } from '../support/between.ts'
import { startDevServer } from '../support/dev.ts'
import { scratchFolder } from '../support/folder.ts'
import { tug } from '../support/run.ts'
import type { Fault } from './kinds.ts'
import { mainFaults } from './kinds.ts'
import { writeFiles } from './lines.ts'
import { countsAsSuccess, isWriteOf, problemsOf } from './rules.ts'

/** Commands that read before they write. */
const lines: readonly (readonly [path: string, line: string])[] = [
  ['explorer views update', "explorer views update 'Drifted in production' --name Other"],
  ['explorer views delete', "explorer views delete 'Drifted in production' --yes"],
  ['kv set', 'kv set app/db host=other.internal'],
  ['kv rollback', 'kv rollback app/db --to 3'],
  ['kv delete', 'kv delete app/db'],
  ['kv undelete', 'kv undelete app/db --versions 2'],
  ['kv destroy', 'kv destroy app/db --versions 2 --yes'],
  ['kv config set', 'kv config set --max-versions 3'],
  ['kv metadata put', 'kv metadata put app/db --max-versions 3'],
  ['kv metadata patch', 'kv metadata patch app/db --max-versions 3'],
  ['kv metadata delete', 'kv metadata delete app/db --yes'],
  ['kv copy', 'kv copy app/db app/other'],
  ['kv move', 'kv move app/db app/other --without-deleted --yes'],
  ['job start', 'job start legacy'],
]

/** Those that a write can meet after reads; the time limits would meet the reads too. */
const sent = mainFaults.filter(({ origin, timeout }) => origin === undefined && timeout === undefined)

describe(`${lines.length * sent.length} cases: the reads are answered, the write meets one of ${sent.length} faults`, () => {
  test.each(lines)('tug %s', async (path, line) => {
    const folder = scratchFolder()
    writeFiles(folder)
    let fault = sent[0] as Fault
    let writes = 0
    const between = await serveBetween((await startDevServer()).env, {
      answers: (request, response) => {
        if (!isWriteOf(path, request) && request.url !== '/moved') return false
        writes += 1
        fault.answer?.(response, request)
        return true
      },
    })
    const env = { ...between, GITHUB_ACTIONS: 'true' }
    const problems: string[] = []
    for (fault of sent) {
      writes = 0
      const outcome = await tug(`${line} --retries 0`, { env, cwd: folder })
      if (writes === 0) problems.push(`${fault.name}: nothing was written`)
      const found = problemsOf(
        fault,
        outcome,
        countsAsSuccess(path, fault)
          ? { path, writes: false, exit: 0 }
          : { path, writes: true, exit: fault.exitOfWrite ?? fault.exit },
      )
      problems.push(...found.map((problem) => `${fault.name}: ${problem}: ${outcome.exit} ${outcome.stderr}`))
    }
    expect(problems.join('\n')).toBe('')
  })
})
