import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { createMasks, errorAnnotation } from '../../src/output/ci.ts'
import { startDevServer } from '../support/dev.ts'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'

const github = { GITHUB_ACTIONS: 'true', CI: 'true' }

/** A secret as the key-value engine answers it. */
function answer(data: object): string {
  const metadata = { created_time: '2026-11-21T07:12:00Z', deletion_time: '', destroyed: false, version: 3 }
  return JSON.stringify({ data: { data, metadata } })
}

function masked(stderr: string): string[] {
  return stderr.split('\n').flatMap((line) => /^::add-mask::(.*)$/.exec(line)?.[1] ?? [])
}

/** What is said for these secrets, however often it is asked for. */
function masksOf(...texts: string[]): string {
  const written: string[] = []
  const masks = createMasks({ env: github, stderr: { write: (text: string) => written.push(text) } as never })
  for (const text of texts) masks.add(text)
  masks.announce()
  masks.announce()
  return written.join('')
}

test.each(['app/db', 'app/db --field password', 'app/db -o json', 'app/db -o csv', 'app/db --raw'])(
  'kv get %s tells the workflow its values and leaves stdout alone',
  async (words) => {
    const { env } = await serve((_, response) =>
      json(response, 200, answer({ host: 'db.internal', password: 'correct horse', port: '5432' })),
    )
    const inWorkflow = await tug(`kv get ${words}`, { env: { ...env, ...github } })
    const elsewhere = await tug(`kv get ${words}`, { env })
    expect(masked(inWorkflow.stderr)).toEqual(['db.internal', 'correct horse'])
    expect(inWorkflow.stdout).toBe(elsewhere.stdout)
    expect(elsewhere.stderr).not.toContain('::')
    expect([inWorkflow.exit, elsewhere.exit]).toEqual([0, 0])
  },
)

test('masks come before the result', async () => {
  const order: string[] = []
  const { env } = await serve((_, response) => json(response, 200, answer({ password: 'correct horse' })))
  const outcome = await tug('kv get app/db --field password', {
    env: { ...env, ...github },
    onWrite: (stream) => order.push(stream),
  })
  expect(outcome.exit).toBe(0)
  expect(order).toEqual(['stderr', 'stdout'])
})

test('a value of several lines is a mask a line, without the frame of a key, short lines and percent signs raw', () => {
  const pem = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey
  const lines = pem.split('\n').slice(1, -2)
  expect(masksOf(`user: carol\r\n100% sure\n\nabc\n  indented-line\n`, pem)).toBe(
    ['user: carol', '100%25 sure', 'indented-line', ...lines].map((line) => `::add-mask::${line}\n`).join(''),
  )
})

test('short and common values are no masks, and none is said twice', () => {
  expect(masksOf('true', 'abc', 'localhost', '12345678', '')).toBe('')
  expect(masksOf('correct horse', 'correct horse')).toBe('::add-mask::correct horse\n')
})

test('exported secrets and the private key of a credential are masked', async () => {
  const { env } = await startDevServer()
  const exported = await tug('kv export app', { env: { ...env, ...github } })
  expect(exported.exit).toBe(0)
  expect(masked(exported.stderr).length).toBeGreaterThan(0)
  const issued = await tug('kmip cred generate storage backup -o json', { env: { ...env, ...github } })
  const { private_key: key } = JSON.parse(issued.stdout) as { private_key: string }
  expect(masked(issued.stderr)).toEqual(expect.arrayContaining(key.trim().split('\n').slice(1, -1)))
})

test('what only tug itself knows, like its token, is not put into the log', async () => {
  const { env } = await serve((_, response) => json(response, 200, '{"data":{"keys":["db"]}}'))
  const { stderr } = await tug('kv list', { env: { ...env, ...github } })
  expect(stderr).toBe('')
})

test('a failure is one annotation beside the usual lines', async () => {
  const { env } = await serve((_, response) => json(response, 404, '{"errors":[]}'))
  const { exit, stdout, stderr } = await tug('kv get app/db', { env: { ...env, ...github } })
  expect({ exit, stdout }).toEqual({ exit: 3, stdout: '' })
  const lines = stderr.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^tug: kv get app\/db: no such secret/)
  expect(lines.filter((line) => line.startsWith('::'))).toEqual([
    '::error title=tug kv get::kv get app/db: no such secret, or none of its versions has data',
  ])
  expect(lines.at(-1)).toMatch(/^::error /)
})

test.each([
  ['kv get app/db', { GITHUB_ACTIONS: 'false' }],
  ['kv get app/db -o json', github],
])('%s with %j has no annotation', async (line, variables) => {
  const { env } = await serve((_, response) => json(response, 404, '{"errors":[]}'))
  const { exit, stderr } = await tug(line, { env: { ...env, ...variables } })
  expect(exit).toBe(3)
  expect(stderr).not.toContain('::error')
})

test('a mistake in the line is annotated too, a finding is not', async () => {
  expect((await tug('kv gte app/db', { env: github })).stderr).toMatch(/^::error title=tug::/m)
  const { env } = await serve((_, response, count) => json(response, 200, answer({ password: `word ${count}` })))
  const differing = await tug('kv diff app/db --from 1 --to 2 --exit-code', { env: { ...env, ...github } })
  expect(differing.exit).toBe(9)
  expect(differing.stderr).not.toContain('::error')
})

test('an annotation is one line whatever the message holds', () => {
  expect(errorAnnotation('tug kv get', '50% of\r\nit: a, b')).toBe('::error title=tug kv get::50%25 of%0D%0Ait: a, b\n')
  expect(errorAnnotation('a:b,c', 'x')).toBe('::error title=a%3Ab%2Cc::x\n')
})
