import { expect, test } from 'vitest'
import { tug } from '../../support/run.ts'
import type { SecretsAt } from '../../support/secrets-at.ts'
import { serveSecretsAt } from '../../support/secrets-at.ts'

const secrets: SecretsAt = { a: [{}], 'b/c': [{}], 'b/d/e': [{}], 'locked/x': [{}], 'z/y/x': [{}] }

test('a tree shows what is open, what is not, and what may not be listed', async () => {
  const { env } = await serveSecretsAt(secrets)
  const tree = async (flags: string, terminals = {}) => tug(`kv tree ${flags}`, { env, terminals })
  expect(await tree('')).toMatchObject({
    exit: 10,
    stdout: `secret/
├── a
├── b/
│   ├── c
│   └── d/
│       └── e
├── locked/  (not allowed)
└── z/
    └── y/
        └── x
`,
    stderr: expect.stringContaining('warning: locked/: permission denied') as string,
  })
  expect(await tree('b --depth 1')).toMatchObject({ exit: 0, stdout: 'secret/b/\n├── c\n└── d/ …\n', stderr: '' })
  expect((await tree('b --depth 1 -o name')).stdout).toBe('b/c\nb/d/\n')
  expect((await tree('-o name')).stdout).toBe('a\nb/c\nb/d/e\nlocked/\nz/y/x\n')
  expect((await tree('b', { stderr: 80 })).stderr).toBe('\u001b[2m2 secrets in 2 folders\u001b[22m\n')
  expect((await tree('z/y', { stderr: 80 })).stderr).toBe('\u001b[2m1 secret in 1 folder\u001b[22m\n')
  const coloured = (await tree('', { stdout: 80 })).stdout
  expect(coloured).toContain('\u001b[1msecret/\u001b[22m\n')
  expect(coloured).toContain('\u001b[2m├── \u001b[22ma\n')
  expect(coloured).toContain('\u001b[1mb/\u001b[22m\n')
  expect(coloured).toContain('locked/  \u001b[33m(not allowed)\u001b[39m\n')
  expect((await tree('b --depth 1', { stdout: 80 })).stdout).toContain('\u001b[1md/\u001b[22m …\n')
})

test('where nothing can be listed, that is the failure', async () => {
  const { env } = await serveSecretsAt({ 'locked/x': [{}] })
  expect((await tug('kv tree', { env })).exit).toBe(4)
  expect((await tug('kv tree -o name', { env: (await serveSecretsAt({})).env })).exit).toBe(0)
})
