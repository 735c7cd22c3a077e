import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { destinationOf } from '../../src/output/destination.ts'
import { scratchFolder } from '../support/folder.ts'
import { says } from '../support/told.ts'

test('a document goes to standard output, or to a file that may be written', async () => {
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'old'), '')
  const destination = (outputFile?: string, force?: boolean, options?: { private: boolean }) =>
    destinationOf({ io: { cwd } } as never, { outputFile, force }, options)
  expect(await destination()).toBeUndefined()
  expect(await destination('-')).toBeUndefined()
  expect(await destination('new')).toEqual({ path: 'new', replace: false })
  expect(await destination('new', false, { private: true })).toEqual({ path: 'new', replace: false, private: true })
  expect(await destination('old', true)).toEqual({ path: 'old', replace: true })
  for (const force of [undefined, false])
    await expect(destination('old', force)).rejects.toMatchObject({
      code: 'usage',
      message: says(`${join(cwd, 'old')} …`),
    })
  await expect(destination('absent/new')).rejects.toMatchObject({ code: 'failed' })
})
