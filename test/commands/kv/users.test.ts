import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pathIn, referencesOf } from '../../../src/commands/kv/users/references.ts'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import type { SecretsAt } from '../../support/secrets-at.ts'
import { ago, serveSecretsAt } from '../../support/secrets-at.ts'
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

test.each<[string, object, readonly object[]]>([
  ['no groups', { TaskGroups: null }, []],
  ['no tasks', { TaskGroups: [{ Name: 'g', Tasks: null }] }, []],
  ['no templates', job([], { Templates: null }), []],
  ['neither a text nor a file', job([''], {}), []],
  ['an empty file name', job([], { Templates: [{ EmbeddedTmpl: '', SourcePath: '' }] }), []],
  ['a file beside a text', job([], { Templates: [{ EmbeddedTmpl: '{{ .x }}', SourcePath: 'x' }] }), []],
  ['a block of another provider', job([], { Secrets: [{ Provider: 'nomad', Path: 'secret/a' }] }), []],
  ['a block without a path', job([], { Secrets: [{ Provider: 'vault' }] }), [{ place: undefined }]],
  ['an empty vault block', job([], { Vault: {} }), [{ place: undefined, secretsNamespace: '' }]],
  ['a block by its other name', job([], { Secrets: { Namespace: 'a/b/' } }), [{ secretsNamespace: 'a/b' }]],
  ['both blocks', job([], { Vault: { Namespace: 'a' }, Secrets: { Namespace: 'b' } }), [{ secretsNamespace: 'a' }]],
  ['a vault block and a template', job(['{{ secret "s/a" }}'], { Vault: {} }), [{ place: 's/a' }]],
  ['where it is', job(['{{ secret "s/a" }}']), [{ namespace: 'default', job: 'api', group: 'web', task: 'server' }]],
])('what a job with %s reads', (_, of, expected) => {
  expect(referencesOf({ ID: 'api', ...of })).toMatchObject(expected)
})

test.each<[string, readonly (string | undefined)[]]>([
  ['secret "s/a" {{ .x }} secret "s/b"', []],
  ['{{- /* secret "s/a" */ -}}{{ /* secret "s/b" */ }}{{ secret "s/c" }}', ['s/c']],
  ['{{ secret }}', [undefined]],
  ['{{ "s/a" | secret | toJSON }}', ['s/a']],
  ['{{ secret "s/100%" }}{{ secret "s/%s" }}{{ secret "s/%A" }}', ['s/100%', undefined, 's/%A']],
  ['{{ secret "s/{a" }}{{ secret "s/a}" }}{{ secret "s/$a" }}', [undefined, undefined, undefined]],
  [String.raw`{{ secret "s\u002fa" }}{{ secret "s/\"q" }}{{ secret "s\q" }}`, ['s/a', 's/"q', undefined]],
  ['{{ secrets "s/a" }}{{ secretary "s/b" }}{{ $secret "s/c" }}', ['s/a']],
  ['{{ secret (print "s/a") }}', [undefined]],
  ['{{ if (secret "s/a") }}{{ else with secret `s/b` }}{{ end }}', ['s/a', 's/b']],
])('a template %s reads %j', (template, places) => {
  expect(referencesOf(job([template]) as never).map(({ place }) => place)).toEqual(places)
})

test.each([
  [{ LeftDelim: '[[', RightDelim: ']]' }, ['s/b']],
  [{ LeftDelim: '', RightDelim: '' }, ['s/a']],
  [{ LeftDelim: '[[' }, ['s/b', 's/y']],
  [{ RightDelim: ']]' }, ['s/a', 's/x', 's/b']],
])('a template with the delimiters %j reads %j', (delimiters, places) => {
  const template = { EmbeddedTmpl: '{{ secret "s/a" }} secret "s/x" [[ secret "s/b" ]] secret "s/y"', ...delimiters }
  const found = referencesOf(job([], { Templates: [template] }))
  expect(found.map(({ place }) => place)).toEqual(places)
})

test.each([
  ['secret', 'v1/secret/data/a', 'a'],
  ['secret', '/secret/metadata/a/', 'a/'],
  ['secret', 'secret/data/data/a', 'data/a'],
  ['secret', 'secret/a/data/b', 'a/data/b'],
  ['secret', 'secret/data/a?version=1\n&x=?', 'a'],
  ['secret', 'secret/', ''],
  ['secret', 'secret', undefined],
  ['secret', 'xv1/secret/a', undefined],
  ['team/kv', 'team/kv/data/a', 'a'],
])('in the mount %s, %s is %s', (mount, place, path) => {
  expect(pathIn(mount, place)).toBe(path)
})

/** A scheduler with these jobs, of which `locked` cannot be read, and the secrets beside it. */
async function services(jobs: readonly object[], secrets: SecretsAt = {}) {
  const { env } = await serveSecretsAt(secrets)
  const scheduler = await serve(({ url }, response) => {
    if (url.startsWith('/v1/jobs')) return json(response, 200, JSON.stringify(jobs))
    const id = /^\/v1\/job\/(\w+)/.exec(url)?.[1]
    const found = jobs.find((one) => 'ID' in one && one.ID === id)
    if (found === undefined || id === 'locked') return json(response, 403, 'Permission denied')
    return json(response, 200, JSON.stringify({ ...found, Namespace: 'unused' }))
  })
  return { env: { ...env, TUG_SCHEDULER_ADDR: scheduler.origin }, seen: scheduler.seen }
}

const reading = (...places: string[]) => job(places.map((place) => `{{ secret "secret/data/${place}" }}`))
const undecidable = { ...job(['{{ secret .x }}']), ID: 'open' }

test.each<[string, readonly object[], readonly (string | null)[]]>([
  ['a', [reading('a', 'a/b', 'ab', '')], ['a']],
  ['a/', [reading('a', 'a/b', 'ab', '')], ['a/b']],
  ['a', [reading('b')], []],
  ['a', [reading('a'), undecidable], ['a', null]],
  ['a', [job(['{{ secret "other/data/a" }}'])], []],
])('kv users %s of %j', async (path, jobs, paths) => {
  const { env } = await services(jobs)
  const { exit, stdout } = await tug(`kv users ${path} -o json`, { env })
  const rows = JSON.parse(stdout) as { path: string | null }[]
  expect([exit, rows.map((row) => row.path)]).toEqual([0, paths])
})

test('a reference is a row with its place; the last line counts jobs and what is undecidable', async () => {
  const row = { job: 'api', namespace: 'default', group: 'web', task: 'server' }
  const { env } = await services([reading('a')])
  const one = await tug('kv users a -o json', { env })
  expect(JSON.parse(one.stdout)).toEqual([{ path: 'a', use: 'reads', ...row, detail: 'secret/data/a' }])
  expect(one.stderr).toBe('read 1 job\n')
  const blocks = job([], { Secrets: [{ Provider: 'vault' }] })
  const two = await tug('kv users a -o json', { env: (await services([undecidable, blocks])).env })
  expect(JSON.parse(two.stdout)).toMatchObject([
    { path: null, use: 'undecidable', job: 'open', detail: says('…') },
    { path: null, use: 'undecidable', ...row, detail: '' },
  ])
  expect(two.stderr).toBe('read 2 jobs; 2 references undecidable\n')
})

test.each([
  ['', 'team', ['a', 'b']],
  ['', 'team/', ['a', 'b']],
  ['-n team', 'team', ['a', 'b']],
  ['-n team/', 'team', ['a', 'b']],
  ['-n other', 'team', ['a']],
])('kv users in the namespace %j, of a task in %s', async (flag, namespace, paths) => {
  const { env } = await services([
    reading('a'),
    { ...job(['{{ secret "secret/b" }}'], { Vault: { Namespace: namespace } }), ID: 'other' },
  ])
  const { stdout } = await tug(`kv users --dangling ${flag} -o json --query [].path`, { env })
  expect(JSON.parse(stdout)).toEqual(flag === '' ? ['a'] : paths)
})

const stored: SecretsAt = {
  'f/deleted': [{ deleted: ago(1) }],
  'f/empty': [],
  'f/live': [{}],
  'f/older': [{ deleted: ago(1) }, {}],
  'g/x': [{}],
}

test.each([
  ['', ['f/deleted deleted', 'f/empty deleted', 'f/none missing', 'x missing', 'f/deleted deleted']],
  ['f', ['f/deleted deleted', 'f/empty deleted', 'f/none missing', 'f/deleted deleted']],
  ['f/', ['f/deleted deleted', 'f/empty deleted', 'f/none missing', 'f/deleted deleted']],
  ['x', ['x missing']],
  ['none', []],
])('dangling references below %j', async (folder, rows) => {
  const jobs = [
    reading('f/deleted', 'f/empty', 'f/live', 'f/none', 'f/older', 'f/', 'x', 'locked'),
    { ...reading('f/deleted'), ID: 'two' },
  ]
  const { env } = await services(folder === '' ? jobs : [...jobs, undecidable], stored)
  const { exit, stdout, stderr } = await tug(`kv users --dangling ${folder} --exit-code -o json`, { env })
  const found = (JSON.parse(stdout) as { path: string; use: string }[]).filter(({ path }) => path !== null)
  expect(found.map(({ path, use }) => `${path} ${use}`)).toEqual(rows)
  expect(exit).toBe(folder === '' ? 10 : rows.length === 0 ? 0 : 9)
  expect(stderr.includes('warning: locked: permission denied')).toBe(folder === '')
})

test.each([
  ['', [reading('f/deleted', 'f/live')], ['f/empty', 'f/older', 'g/x'], 'orphan'],
  ['f', [reading('f/deleted', 'f/live')], ['f/empty', 'f/older'], 'orphan'],
  ['f', [reading('f/')], [], 'orphan'],
  ['', [reading('f/')], ['g/x'], 'orphan'],
  ['g', [undecidable], ['g/x'], 'probably orphan'],
  ['g', [{ ...reading('x'), ID: 'locked' }], ['g/x'], 'probably orphan'],
])('orphans below %j', async (folder, jobs, paths, use) => {
  const { env } = await services(jobs, stored)
  const { exit, stdout } = await tug(`kv users --orphans ${folder} --exit-code -o json`, { env })
  const place = { job: null, namespace: null, group: null, task: null, detail: '' }
  expect(JSON.parse(stdout)).toEqual(paths.map((path) => ({ path, use, ...place })))
  expect(exit).toBe(JSON.stringify(jobs).includes('locked') ? 10 : paths.length === 0 ? 0 : 9)
})

test.each([
  ['kv users --dangling', 0],
  ['kv users --orphans', 0],
  ['kv users x --dangling --exit-code', 0],
  ['kv users', 2],
  ['kv users /', 2],
  ['kv users a --exit-code', 2],
])('%s ends with %i', async (line, exit) => {
  const { env } = await services([reading('none'), undecidable], stored)
  expect((await tug(line, { env })).exit).toBe(exit)
})

test('the jobs of every namespace are read, but for those that others made, four at a time', async () => {
  const jobs = Array.from({ length: 12 }, (_, index) => ({ ...job([]), ID: `j${index}` }))
  const made = [
    { ...job([]), ID: 'made', ParentID: 'j0' },
    { ...job([]), ID: 'own', ParentID: '', Namespace: 'team' },
  ]
  const held: (() => void)[] = []
  let most = 0
  const scheduler = await serve(({ url }, response) => {
    if (url.startsWith('/v1/jobs')) return json(response, 200, JSON.stringify([...jobs, ...made]))
    held.push(() => json(response, 200, JSON.stringify(jobs[0])))
    most = Math.max(most, held.length)
    if (held.length === 4 || scheduler.seen.length === 14) for (const answer of held.splice(0)) setImmediate(answer)
    return undefined
  })
  const { exit, stderr } = await tug('kv users --dangling', { env: scheduler.env })
  expect([exit, stderr, most]).toEqual([0, 'read 13 jobs\n', 4])
  const [list, ...reads] = scheduler.seen.map(({ url }) => url)
  expect(list).toBe('/v1/jobs?namespace=*')
  expect(reads).toContain('/v1/job/own?namespace=team')
  expect(reads).toContain('/v1/job/j0?namespace=default')
  expect(reads.join(' ')).not.toContain('made')
})
