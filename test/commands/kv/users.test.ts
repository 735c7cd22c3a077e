import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pathIn, referencesOf } from '../../../src/commands/kv/users/references.ts'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { json, serve } from '../../support/serve.ts'
import { tug } from '../../support/run.ts'
import { story } from '../../support/story.ts'
import { says } from '../../support/told.ts'

const job = (templates: readonly string[], more: object = {}) => ({
  ID: 'api',
  Name: 'api',
  Type: 'service',
  Datacenters: ['dc1'],
  TaskGroups: [
    {
      Name: 'web',
      Count: 1,
      Tasks: [
        {
          Name: 'server',
          Driver: 'docker',
          Config: { image: 'x' },
          Templates: templates.map((EmbeddedTmpl) => ({ EmbeddedTmpl, DestPath: 'local/x' })),
          ...more,
        },
      ],
    },
  ],
})

test('which jobs read a secret, which references are broken, which secrets nobody names', () =>
  story(
    'kv-users',
    [
      'job run api.json -q',
      'kv users app/db',
      'kv users app/ -o name',
      'kv users app/api -o json',
      'kv users --dangling --exit-code',
      'kv users --orphans team/',
      'kv users --orphans --dangling',
      'kv users',
      'kv users app/db --exit-code',
    ],
    {
      files: {
        'api.json': JSON.stringify(
          job([
            '{{ with secret "secret/data/app/db" }}PASSWORD={{ .Data.data.password }}{{ end }}',
            'TOKEN={{ (secret "secret/app/api").Data.token }} {{ secret "secret/data/none/such" }}',
            '{{ secret (printf "secret/data/%s" (env "X")) }}',
          ]),
        ),
      },
    },
  ))

test.each<[string, readonly (string | undefined)[]]>([
  ['{{ with secret "secret/data/a" }}{{ .Data.data.x }}{{ end }}', ['secret/data/a']],
  ['{{- with secret `kv/a b/c` -}}{{ end }}', ['kv/a b/c']],
  ['{{ "secret/data/a" | secret }}', ['secret/data/a']],
  ['{{ range secrets "secret/metadata/a/" }}{{ . }}{{ end }}', ['secret/metadata/a/']],
  ['{{ $path := "x" }}{{ secret $path }}', [undefined]],
  ['{{ secret (print "a" .B) }}', [undefined]],
  ['{{ secret "secret/${NOMAD_META_env}" }}', [undefined]],
  ['{{/* secret "secret/a" */}} secret "secret/b" {{ .secret }} {{ $secret }}', []],
  ['{{ (secret "secret/a").Data.x }}{{ (secret "secret/b" "k=v").Data.x }}', ['secret/a', 'secret/b']],
])('%s reads %j', (template, places) => {
  expect(referencesOf(job([template]) as never).map(({ place }) => place)).toEqual(places)
})

test('vault blocks, secret blocks and templates in files', () => {
  const of = (more: object) => referencesOf(job([], more) as never).map(({ place, why }) => place ?? why)
  expect(of({ Vault: { Namespace: 'team' } })).toEqual([says('… vault block: …')])
  expect(of({ Secrets: [{ Provider: 'vault', Path: 'secret/data/a' }, { Provider: 'nomad' }] })).toEqual([
    'secret/data/a',
  ])
  expect(of({ Templates: [{ SourcePath: 'local/x.tpl' }] })).toEqual([says('… file …')])
})

test.each([
  ['secret/data/app/db', 'app/db'],
  ['secret/app/db', 'app/db'],
  ['/v1/secret/data/app/db?version=2', 'app/db'],
  ['other/data/app/db', undefined],
  ['secretive/app', undefined],
])('%s is %s of the mount', (place, path) => {
  expect(pathIn('secret', place)).toBe(path)
})

test('a job that cannot be read is named, orphans are only probable, and other namespaces do not count', async () => {
  const { env } = await serve(({ url }, response) => {
    const answer = (value: unknown) => json(response, 200, JSON.stringify(value))
    if (url.startsWith('/v1/jobs')) return answer([{ ID: 'api' }, { ID: 'locked' }, { ID: 'api/x', ParentID: 'api' }])
    if (url.includes('/job/locked')) return json(response, 403, 'Permission denied')
    if (url.includes('/job/api')) return answer(job(['{{ secret "secret/a" }}'], { Vault: { Namespace: 'elsewhere' } }))
    return answer({ data: { keys: ['a'] } })
  })
  const { exit, stdout, stderr } = await tug('kv users --orphans -o json', { env })
  expect(exit).toBe(10)
  expect(JSON.parse(stdout)).toMatchObject([{ path: 'a', use: 'probably orphan' }])
  expect(stderr).toContain('locked')
  expect(JSON.parse((await tug('kv users a -o json -n elsewhere', { env })).stdout)).toMatchObject([
    { path: 'a', job: 'api' },
  ])
})

test('a secret that a job reads, or whose folder it lists, is no orphan', async () => {
  const { env } = await serve(({ url }, response) => {
    const answer = (value: unknown) => json(response, 200, JSON.stringify(value))
    if (url.startsWith('/v1/jobs')) return answer([{ ID: 'api' }])
    if (url.includes('/job/api'))
      return answer(job(['{{ secret "secret/data/a" }}', '{{ range secrets "secret/metadata/b/" }}{{ . }}{{ end }}']))
    return answer({ data: { keys: url.includes('/metadata/b') ? ['x'] : ['a', 'b/', 'c'] } })
  })
  expect(JSON.parse((await tug('kv users --orphans -o json', { env })).stdout)).toMatchObject([
    { path: 'c', use: 'orphan' },
  ])
})

test.each(['app', 'app/'])('the folder %s of --orphans and --dangling may end with a slash', async (folder) => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  const templates = ['{{ secret "secret/data/app/db" }}', '{{ secret "secret/data/app/none" }}']
  writeFileSync(join(cwd, 'api.json'), JSON.stringify(job(templates)))
  await tug('job run api.json -q', { env, cwd })
  const pathsOf = async (flag: string) =>
    JSON.parse((await tug(`kv users ${flag} ${folder} -o json --query [].path`, { env })).stdout) as unknown
  expect(await pathsOf('--orphans')).toEqual(['app/api', 'app/cache', 'app/features'])
  expect(await pathsOf('--dangling')).toEqual(['app/none'])
})

test('a secret whose folder above --orphans a job lists is no orphan', async () => {
  const { env } = await serve(({ url }, response) => {
    const answer = (value: unknown) => json(response, 200, JSON.stringify(value))
    if (url.startsWith('/v1/jobs')) return answer([{ ID: 'api' }])
    if (url.includes('/job/api')) return answer(job(['{{ range secrets "secret/metadata/a/" }}{{ . }}{{ end }}']))
    return answer({ data: { keys: ['x'] } })
  })
  expect(JSON.parse((await tug('kv users --orphans a/b -o json', { env })).stdout)).toEqual([])
  expect(JSON.parse((await tug('kv users --orphans c -o json', { env })).stdout)).toMatchObject([{ path: 'c/x' }])
})
