import { expect, test } from 'vitest'
import { checkCustomMetadata, customMetadataFlag } from '../../../src/commands/kv/data/settings.ts'
import type { Context } from '../../../src/core/context.ts'
import { failure, tug } from '../../support/run.ts'
import { ago, serveSecretsAt } from '../../support/secrets-at.ts'
import type { Seen } from '../../support/serve.ts'
import { json, serve } from '../../support/serve.ts'

/** Settings that no line here asks for. */
const present = {
  max_versions: 99,
  delete_version_after: '77h',
  custom_metadata: null,
  current_version: 0,
  versions: {},
}

function settingsServer() {
  return serve(({ method }, response) => {
    if (method === 'GET') json(response, 200, JSON.stringify({ data: present }))
    else response.writeHead(204).end()
  })
}

const writesIn = (seen: readonly Seen[]) => seen.filter(({ method }) => method !== 'GET').map(({ body }) => body)

test.each([
  ['kv config set', '-1s', '-1s'],
  ['kv config set', '-90d', '-2160h'],
  ['kv config set', '0', '0s'],
  ['kv config set', '1.5s', '1.5s'],
  ['kv config set', '500ms', undefined],
  ['kv config set', '-500ms', undefined],
  ['kv metadata put a', '0', '0s'],
  ['kv metadata put a', '1s', '1s'],
  ['kv metadata put a', '999ms', undefined],
  ['kv metadata put a', '-1s', undefined],
  ['kv metadata patch a', '1h', '1h'],
])('%s --delete-version-after=%s sends %s', async (line, typed, sent) => {
  const { env, seen } = await settingsServer()
  expect((await tug(`${line} --delete-version-after=${typed}`, { env })).exit).toBe(sent === undefined ? 2 : 0)
  expect(writesIn(seen)).toEqual(sent === undefined ? [] : [`{"delete_version_after":"${sent}"}`])
})

test.each([
  ['--cas-required', true],
  ['--cas-required=false', false],
])('%s sends cas_required %s', async (flags, sent) => {
  const { env, seen } = await settingsServer()
  expect((await tug(`kv config set ${flags}`, { env })).exit).toBe(0)
  expect(writesIn(seen)).toEqual([`{"cas_required":${sent}}`])
})

async function config(settings: object) {
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify({ data: settings })))
  return (await tug('kv config get --color never', { env, terminals: { stdout: 80 } })).stdout
}

test.each([
  [{ max_versions: 0, cas_required: false, delete_version_after: '0s' }, '0 (the default, 10)', '0s (never)'],
  [{ max_versions: 1, cas_required: true, delete_version_after: '3h0m0s' }, '1', '3h'],
  [{ max_versions: 5, delete_version_after: '90m' }, '5', '1h 30m'],
  [{ max_versions: 5, delete_version_after: 'soon' }, '5', 'soon'],
  [{ max_versions: 5, delete_version_after: '' }, '5', ''],
  [{ max_versions: 5 }, '5', ''],
])('the settings %j are shown in words', async (settings, most, after) => {
  const lines = (await config(settings)).split('\n')
  expect(lines).toContain(`max_versions          ${most}`)
  expect(lines).toContain(`delete_version_after  ${after}`.trimEnd())
  expect(lines.some((line) => line.startsWith('metadata_cas_required'))).toBe(false)
})

test('a setting that only some servers have is shown where it is', async () => {
  expect(await config({ max_versions: 1, metadata_cas_required: false })).toMatch(/^metadata_cas_required +false$/m)
})

test.each([
  [0, 'none', []],
  [1, '1, all live', ['1  live       written 2026-11-20 07:30:01 UTC (1d)']],
  [
    10,
    '10, all live',
    ['10  live       written 2026-11-20 07:30:01 UTC (1d)', ' 1  live       written 2026-11-20 07:30:01 UTC (1d)'],
  ],
  [11, '11, all live', ['11  live       written 2026-11-20 07:30:01 UTC (1d)', 'and 1 older']],
])('of %i versions the metadata show ten', async (count, states, lines) => {
  const { env } = await serveSecretsAt({ a: Array.from({ length: count }, () => ({ written: ago(1) })) })
  const line = 'kv metadata get a --color never'
  const shown = (await tug(line, { env, now: new Date(ago(0)), terminals: { stdout: 80 } })).stdout.split('\n')
  for (const one of lines) expect(shown).toContain(`  ${one}`)
  expect(shown.filter((one) => /^ +\d+ {2}live/.test(one))).toHaveLength(Math.min(count, 10))
  expect(shown.filter((one) => one.includes('older'))).toHaveLength(count > 10 ? 1 : 0)
  expect((await tug(`${line} -o md`, { env })).stdout).toContain(`| versions | ${states} |`)
})

test('versions in the metadata say when they expire or were deleted', async () => {
  const versions = [
    { written: ago(3), destroyed: true },
    { written: ago(2), deleted: ago(1) },
    { written: ago(2), deleted: ago(-1) },
  ]
  const { env } = await serveSecretsAt({ a: { versions, created_time: ago(3), updated_time: 'unknown' } })
  const line = 'kv metadata get a --color never'
  const { stdout } = await tug(line, { env, now: new Date(ago(0)), terminals: { stdout: 80 } })
  expect(stdout).toContain(
    [
      '  3: 1 live, 1 deleted, 1 destroyed',
      '  3  live       written 2026-11-19 07:30:01 UTC (2d), expires 2026-11-22 07:30:01 UTC (in 1d)',
      '  2  deleted    written 2026-11-19 07:30:01 UTC (2d), deleted 2026-11-20 07:30:01 UTC (1d)',
      '  1  destroyed  written 2026-11-18 07:30:01 UTC (3d)',
    ].join('\n'),
  )
  expect(stdout).toMatch(/^created_time +2026-11-18 07:30:01 UTC \(3d.*\)$/m)
  expect(stdout).toMatch(/^updated_time +unknown$/m)
})

test.each([400, 403, 404, 405, 501])(
  'settings and mounts that may not be looked up (%i) hinder no write',
  async (status) => {
    const { env, seen } = await serve(({ method }, response) =>
      json(
        response,
        method === 'GET' ? status : 200,
        method === 'GET' ? '{"errors":["no"]}' : '{"data":{"version":1}}',
      ),
    )
    expect((await tug('kv config set --max-versions 3 --retries 0', { env })).exit).toBe(0)
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST'])
  },
)

test('a put in a script is a look at the mount and one request, whatever the server shows', async () => {
  const { env, seen } = await serve((_, response) => json(response, 200, '{"data":{"version":1}}'))
  expect((await tug('kv put a k=v', { env })).exit).toBe(0)
  expect((await tug('kv put a k=v --no-verify', { env })).exit).toBe(0)
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /v1/sys/internal/ui/mounts/secret',
    'POST /v1/secret/data/a',
    'POST /v1/secret/data/a',
  ])
})

test('a write of several settings names each of them', async () => {
  const { env } = await settingsServer()
  const flags = '--max-versions 3 --cas-required --delete-version-after 1h'
  const names = 'max_versions, cas_required, delete_version_after'
  expect((await tug(`kv config set ${flags}`, { env })).stderr).toBe(`secret/: set ${names}\n`)
  for (const line of ['kv metadata put a', 'kv metadata patch a']) {
    expect((await tug(`${line} ${flags} --custom-metadata k=v`, { env })).stderr).toBe(
      `a: wrote ${names}, custom_metadata\n`,
    )
    const { stdout } = await tug(`${line} ${flags} -o json`, { env })
    const sent = { max_versions: 3, cas_required: true, delete_version_after: '1h' }
    expect(JSON.parse(stdout)).toEqual({ action: 'set', planned: false, path: 'a', changed: true, ...sent })
  }
})

test.each([
  'kv put a',
  'kv set a',
  'kv patch a',
  'kv metadata put a',
  'kv metadata patch a',
  'kv config set',
  'kv find',
])('%s alone is refused, with what to give it', async (line) => {
  expect(await failure(line)).toMatchObject({ exit: 2, code: 'usage', hint: expect.stringContaining(' or ') as string })
})

const many = (count: number) => Array.from({ length: count }, (_, index) => `k${index}=v`)

test.each<[string, readonly string[], boolean]>([
  ['the longest key', [`${'k'.repeat(128)}=v`], true],
  ['a longer key', [`${'k'.repeat(129)}=v`], false],
  ['a longer key in bytes', [`${'ü'.repeat(65)}=v`], false],
  ['the longest value', [`k=${'v'.repeat(512)}`], true],
  ['a longer value', [`k=${'v'.repeat(513)}`], false],
  ['the most keys', many(64), true],
  ['more keys', many(65), false],
  ['a value with an equals sign', ['k=a=b'], true],
  ['a key of one letter', ['k=v'], true],
  ['no key', ['=v'], false],
  ['no value', ['k='], false],
  ['no equals sign', ['k'], false],
  ['a key twice', ['a=1', 'b=1', 'a=2'], false],
  ['a control character', ['k=a\u0007'], false],
])('custom metadata with %s', (_, texts, isAccepted) => {
  const settings = { dialect: 'auto' } as Context['settings']
  const read = () => {
    const pairs = customMetadataFlag('x').read(texts, '--custom-metadata')
    checkCustomMetadata({ settings } as Context, pairs)
    return pairs
  }
  if (isAccepted) expect(read()).toEqual(texts.map((text) => [text.split('=')[0], text.replace(/^[^=]*=/, '')]))
  else expect(read).toThrow()
})

test.each([
  ['kv metadata patch a --delete-version-after 0', 2],
  [`kv metadata put a --custom-metadata k=${'v'.repeat(513)}`, 2],
  [`kv metadata patch a --custom-metadata ${'k'.repeat(129)}=v`, 2],
  [`kv metadata put a ${Array.from({ length: 65 }, (_, index) => `--custom-metadata k${index}=v`).join(' ')}`, 2],
])('a limit of products is none of the neutral dialect: %s', async (line, exit) => {
  expect((await tug(`${line} --dry-run`)).exit).toBe(exit)
  const { env, seen } = await settingsServer()
  await tug(`${line} --dialect neutral`, { env })
  expect(seen.some(({ method }) => method !== 'GET')).toBe(true)
})

test.each([
  ['inside data', '{"data":{"subkeys":{"a":null,"b":{"c":null}},"metadata":{"version":3}}}'],
  ['at the top', '{"subkeys":{"a":null,"b":{"c":null}},"metadata":{"version":3}}'],
])('subkeys are read %s', async (_, body) => {
  const { env } = await serve((__, response) => json(response, 200, body))
  const { exit, stdout } = await tug('kv subkeys s -o name', { env })
  expect([exit, stdout]).toEqual([0, 'a\nb.c\n'])
})
