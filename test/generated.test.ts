import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { generated, referencePage } from '../src/commands/tug/generate.ts'
import { summary, tree } from '../src/commands/index.ts'
import { root } from './support/process.ts'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const files = await generated(readFileSync(join(root, referencePage), 'utf8'), { tree, summary, version })

test.each(files.map(({ file, text }) => [file, text]))('%s is what `npm run generate` writes', (file, text) => {
  expect(readFileSync(join(root, file), 'utf8')).toBe(text)
})

test.each(['man', 'completions'])('%s/ contains nothing else', (folder) => {
  const expected = files.map(({ file }) => file).filter((file) => file.startsWith(`${folder}/`))
  expect(
    readdirSync(join(root, folder))
      .map((name) => `${folder}/${name}`)
      .toSorted(),
  ).toEqual(expected.toSorted())
})
