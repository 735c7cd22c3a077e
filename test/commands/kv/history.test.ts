import { expect, test } from 'vitest'
import { tug } from '../../support/run.ts'
import type { SecretsAt } from '../../support/secrets-at.ts'
import { ago, serveSecretsAt } from '../../support/secrets-at.ts'
import { mentions, says } from '../../support/told.ts'

async function history(secrets: SecretsAt, line: string) {
  const { env } = await serveSecretsAt(secrets)
  const { exit, stdout, stderr } = await tug(`kv history ${line} -o json`, { env })
  return { exit, stderr, rows: JSON.parse(stdout) as { path: string; version: number; what: string }[] }
}

test('--since means versions that were written or deleted at that moment or later, and not those that will be', async () => {
  const since = '2026-11-19T00:00:00Z'
  const [exactly, before] = ['2026-11-19T00:00:00.000Z', '2026-11-18T23:59:59.999Z']
  const versions = [
    { written: before },
    { written: exactly },
    { written: before, deleted: exactly },
    { written: before, deleted: before },
    { written: before, deleted: ago(0) },
    { written: before, deleted: ago(0, -1) },
    { written: before, destroyed: true },
  ]
  const { rows } = await history({ a: versions }, `a --since ${since}`)
  expect(rows.map(({ version }) => version)).toEqual([5, 3, 2])
  const folder = await history({ 'f/a': versions }, `f/ --since ${since}`)
  expect(folder.rows.map(({ version, what }) => `${version} ${what}`)).toEqual(['5 deleted', '3 deleted', '2 written'])
  expect(folder.stderr).toEqual(says('1 version destroyed …\n'))
})

test('what happened in a folder is sorted by time, then path, then version; what has no time comes last', async () => {
  const secrets = {
    'f/a': [{ written: ago(3) }, { written: ago(2) }, { written: ago(2), destroyed: true }],
    'f/b': [{ written: ago(2), deleted: ago(1) }],
    'f/c': [{ written: ago(4), destroyed: true, deleted: ago(2) }],
    'f/gone': null,
  }
  const { exit, stderr, rows } = await history(secrets, 'f/')
  expect([exit, stderr]).toEqual([0, ''])
  expect(rows.map(({ path, version, what }) => `${path} ${version} ${what}`)).toEqual([
    'f/b 1 deleted',
    'f/a 3 written',
    'f/a 2 written',
    'f/b 1 written',
    'f/c 1 deleted',
    'f/a 1 written',
    'f/c 1 written',
    'f/a 3 destroyed',
    'f/c 1 destroyed',
  ])
  expect(rows.at(-1)).toEqual({ moment: null, path: 'f/c', version: 1, what: 'destroyed' })
})

test('a history of thousands of events is whole', async () => {
  const versions = Array.from({ length: 2001 }, (_, index) => ({ written: ago(3000 - index) }))
  const { rows } = await history({ 'f/a': versions }, 'f/')
  expect(rows.map(({ version }) => version)).toEqual(versions.map((_, index) => 2001 - index))
})

test('what cannot be read is named, and the rest is listed', async () => {
  const { exit, stderr, rows } = await history({ 'f/a': [{}], 'f/locked': [{}], 'f/locked/b': [{}] }, 'f/')
  expect([exit, rows.length]).toEqual([10, 1])
  expect(stderr).toMatch(mentions('warning: f/locked: permission denied'))
  expect(stderr).toMatch(mentions('warning: f/locked/: permission denied'))
})

test('the table of a history has moments to the second, and says when a version is due', async () => {
  const secrets = {
    'f/a': [
      { written: ago(2, 1000), destroyed: true },
      { written: ago(1), deleted: ago(-1) },
    ],
  }
  const { env } = await serveSecretsAt(secrets)
  expect((await tug('kv history f/', { env })).stdout).toBe(
    [
      'MOMENT                   PATH  VERSION  WHAT',
      '2026-11-20 07:30:00 UTC  f/a         2  written',
      '2026-11-19 07:29:59 UTC  f/a         1  written',
      'unknown                  f/a         1  destroyed',
      '',
    ].join('\n'),
  )
  expect((await tug('kv history f/a', { env })).stdout).toBe(
    [
      'VERSION  STATE      WRITTEN               DELETED',
      '      2  live       2026-11-20 07:30 UTC  due 2026-11-22 07:30 UTC',
      '      1  destroyed  2026-11-19 07:29 UTC',
      '',
    ].join('\n'),
  )
})
