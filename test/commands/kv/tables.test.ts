import { expect, test } from 'vitest'
import { scratchFolder } from '../../support/folder.ts'
import { tug } from '../../support/run.ts'
import { ago, serveSecretsAt } from '../../support/secrets-at.ts'

const folder = 'a-folder-with-a-long-name'
const path = `${folder}/a-secret-with-a-long-name`
const key = 'a-key-with-a-long-name-that-needs-space'
const text = 'a-long-value-that-needs-much-space'

const [good, warn, change] = [32, 33, 36].map((code) => (word: string) => `\u001b[${code}m${word}\u001b[39m`)
const bad = (word: string) => `\u001b[31m\u001b[1m${word}\u001b[22m\u001b[39m`

test.each([
  ['kv find secret', 30, [path]],
  ['kv find key --keys', 30, [path, key, `outer.${key}`]],
  [`kv history ${path}`, 80, [good?.('live'), warn?.('deleted'), bad('destroyed')]],
  ['kv audit --only placeholder', 30, [path]],
  // The detail is cut before the finding.
  ['kv audit --only placeholder', 80, [path, warn?.('placeholder'), 'a-key-with-a-…']],
  [`kv get ${path} --columns key,value`, 30, [key, `{"${key}":"${text}"}`]],
  [`kv subkeys ${path} --columns key`, 30, [key, `outer.${key}`]],
  ['kv tree --columns path', 30, [path]],
  [`kv diff ${path} 3 4`, 30, [good?.('added'), bad('removed'), change?.('changed'), key, 'outer']],
  [`kv diff ${path} 3 4 --show-values`, 30, [text, `{"${key}":"${text}"}`]],
  [`kv diff ${folder} other --recursive`, 30, ['a-secret-with-a-long-name']],
  [`kv diff ${folder} other --recursive`, 60, [change?.('differs'), 'a-secret-with-a-long-name', '…']],
  ['kv verify b new', 76, [`new/${path}`, 'missing', '…']],
])('%s on a terminal of %i columns shows %j whole', async (line, width, whole) => {
  const data = { [key]: 'changeme', outer: { [key]: text } }
  const before = { changed: text, gone: text, [key]: 'x' }
  const versions = [{ destroyed: true }, { deleted: ago(1) }, { data: before }, { data: { changed: 'x', ...data } }]
  const { env } = await serveSecretsAt({
    [path]: versions,
    'other/a-secret-with-a-long-name': [{ data: { changed: text, [key]: 'x' } }],
  })
  const cwd = scratchFolder()
  if (line.includes('verify')) expect((await tug('kv backup -O b', { env, cwd })).exit).toBe(0)
  const { stdout } = await tug(line, { env, cwd, terminals: { stdout: width, stderr: width } })
  for (const one of whole) expect(stdout).toContain(one)
})

test.each([
  ['kv list', 'no secrets'],
  ['kv find nothing', 'no secrets found'],
  ['kv audit --only placeholder', 'nothing found'],
  ['kv history f/empty', 'no versions: the secret has metadata only'],
  ['kv diff f/a f/b', 'no differences'],
  ['kv diff f/a f/b --show-values', 'no differences'],
  ['kv diff f g --recursive', 'no differences'],
  ['kv verify b', ''],
])('on a terminal, an empty table of %s says %j', async (line, words) => {
  const same = [{ written: ago(2) }]
  const { env } = await serveSecretsAt(
    line === 'kv list' ? {} : { 'f/a': same, 'f/b': same, 'f/empty': [], 'g/a': same, 'g/b': same },
  )
  const cwd = scratchFolder()
  await tug('kv backup -O b', { env, cwd })
  const { stdout, stderr } = await tug(line, { env, cwd, terminals: { stdout: 80, stderr: 80 } })
  expect(stdout).toBe('')
  const lines = stderr.trimEnd().split('\n')
  expect(lines).toEqual(words === '' ? [expect.stringContaining('identical')] : expect.arrayContaining([words]))
})

test('a history shows when each version was written, and when it was or will be deleted', async () => {
  const { env } = await serveSecretsAt({
    a: [
      { written: ago(3), deleted: ago(2) },
      { written: ago(2, 1000), destroyed: true },
      { written: ago(1), deleted: ago(-1) },
    ],
  })
  const { stdout } = await tug('kv history a', { env })
  expect(stdout).toBe(
    [
      'VERSION  STATE      WRITTEN                        DELETED',
      '      3  live       2026-11-20 07:30:01 UTC (23h)  due 2026-11-22 07:30:01 UTC (in 1d)',
      '      2  destroyed  2026-11-19 07:30:00 UTC (2d)',
      '      1  deleted    2026-11-18 07:30:01 UTC (2d)   2026-11-19 07:30:01 UTC (1d)',
      '',
    ].join('\n'),
  )
})
