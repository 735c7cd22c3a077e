import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { generate, printTexts } from '../src/commands/tug/generate.ts'
import { tree } from '../src/commands/index.ts'
import type { Host } from '../src/process/host.ts'
import { picture, terminalOutput } from './support/picture.ts'
import { root } from './support/process.ts'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

/** Where the files are made. */
const made = mkdtempSync(join(tmpdir(), 'tug-generated-'))
afterAll(() => rmSync(made, { recursive: true, force: true }))
for (const name of ['man', 'docs']) mkdirSync(join(made, name))
writeFileSync(join(made, 'man/tug-gone.1'), '')
writeFileSync(join(made, 'docs/reference.md'), readFileSync(join(root, 'docs/reference.md')))
writeFileSync(join(made, 'package.json'), '{"name":"x","man":["man/tug-gone.1"],"type":"module"}')
await generate([made], tree, version)
const files = readdirSync(made, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name !== 'package.json' && statSync(join(made, name)).isFile())

test.each(files)('%s is what `npm run generate` writes', (file) => {
  expect(readFileSync(join(root, file), 'utf8')).toBe(readFileSync(join(made, file), 'utf8'))
})

test.each(['man', 'completions'])('%s/ contains nothing else', (folder) => {
  const expected = files.filter((file) => file.startsWith(`${folder}/`))
  expect(
    readdirSync(join(root, folder))
      .map((name) => `${folder}/${name}`)
      .toSorted(),
  ).toEqual(expected.toSorted())
})

test('the manifest of the checkout lists the pages; old pages go', () => {
  expect(files).not.toContain('man/tug-gone.1')
  const { man } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { man: string[] }
  expect(readFileSync(join(made, 'package.json'), 'utf8')).toBe(
    `${JSON.stringify({ name: 'x', man, type: 'module' }, null, 2)}\n`,
  )
})

test('the prepared texts are those of every command and group, the version and the completions', async () => {
  const written: string[] = []
  const stdout = { write: (text: string, done: () => void) => (written.push(text), done()) }
  expect(await printTexts({ stdout } as unknown as Host, tree, version)).toBe(0)
  const texts = JSON.parse(written.join('')) as Record<string, string>
  expect(texts['--version']).toBe(`${version}\n`)
  for (const shell of ['bash', 'zsh', 'fish'])
    expect(texts[`completion ${shell}`]).toBe(readFileSync(join(root, `completions/tug.${shell}`), 'utf8'))
  for (const line of ['--help', 'kv --help', 'kv get --help', 'kmip cred --help', 'job periodic force --help'])
    expect(texts[line]).toContain('\n')
  expect(texts['profile --help']).toBe(readFileSync(join(root, 'test/cli/help/profile.txt'), 'utf8'))
})

test.each([
  ['apply', ['job apply examples/web-2.hcl --yes']],
  ['status', ['job status', 'job status web']],
  [
    'secrets',
    [
      'kv set app/db --generate password',
      'kv diff app/db',
      "explorer query workspaces --filter 'drifted is true' --limit 4",
      "explorer usage providers hashicorp/aws --below 5.10 --by project --query '[:3]'",
    ],
  ],
])('the picture docs/pictures/%s is what the program prints', async (name, lines) => {
  const output = await terminalOutput(lines)
  for (const theme of ['light', 'dark'] as const)
    await expect(picture(output, theme)).toMatchFileSnapshot(join(root, `docs/pictures/${name}-${theme}.svg`))
})
