import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { mentions, says } from '../../support/told.ts'

const yaml = [
  'name: Drifted',
  'query_type: workspaces',
  'query:',
  '  filter: [drifted is true, {field: project_name, operator: is_not_empty}]',
  '  sort: -resources_drifted',
  '---',
  '- {name: Providers, query_type: providers, query: {fields: [name, version]}}',
  '- {name: Modules, type: modules}',
  '',
].join('\n')

async function given(files: Record<string, string>) {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  for (const [name, content] of Object.entries(files)) await writeFile(join(cwd, name), content)
  const run = (line: string, stdin?: string) =>
    tug(`explorer views ${line}`, { env, cwd, ...(stdin === undefined ? {} : { stdin }) })
  return { run, actions: async (line: string) => actionsOf((await run(`${line} -o json`)).stdout) }
}

interface Item {
  readonly item: string
  readonly action: string
  readonly outcome?: string
}

function actionsOf(printed: string): string[] {
  const { items } = JSON.parse(printed) as { items: Item[] }
  return items.map(({ item, action, outcome }) =>
    [outcome === 'done' ? [] : outcome, action, item].flat().filter(Boolean).join(' '),
  )
}

/** A service that answers a list, and each of these views by its ID. */
function answerReads(url: string, views: readonly { readonly id: string }[]): string {
  const id = /\/views\/([^?]+)/.exec(url)?.[1]
  return JSON.stringify({ data: id === undefined ? views : views.find((view) => view.id === id) })
}

test('views are created, then left alone, then updated by what a file says', async () => {
  const { run, actions } = await given({
    'views.yaml': yaml,
    'new.yaml': yaml.replace('drifted is true', 'drifted is false'),
  })
  const first = await run('apply views.yaml')
  expect(first.stdout).toMatch(/^\+ Drifted .*\n\+ Modules .*\n\+ Providers .*\n$/)
  expect(first).toMatchObject({ exit: 0, stderr: '3 created\n' })
  expect(await actions('apply views.yaml')).toEqual(['unchanged Drifted', 'unchanged Providers', 'unchanged Modules'])
  expect(await actions('apply new.yaml')).toEqual(['change Drifted', 'unchanged Providers', 'unchanged Modules'])
  const { query } = JSON.parse((await run('get Drifted -o json')).stdout) as {
    query: { filter: unknown; sort: unknown }
  }
  expect(query.filter).toMatchObject([{ field: 'drifted', value: ['false'] }, { operator: 'is_not_empty' }])
  expect(query.sort).toEqual(['-resources_drifted'])
})

test('a filter can be a single expression', async () => {
  const { run } = await given({})
  const view = 'name: One\nquery_type: workspaces\nquery: {filter: drifted is true}'
  expect((await run('apply -', view)).exit).toBe(0)
  const { stdout } = await run('get One -o json --query query.filter')
  expect(JSON.parse(stdout)).toEqual([{ field: 'drifted', operator: 'is', value: ['true'] }])
})

test.each(['json', 'ndjson', 'yaml'])('what views list prints as %s changes nothing', async (format) => {
  const { run } = await given({})
  const listed = (await run(`list -o ${format}`)).stdout
  const applied = await run('apply - --prune', listed)
  expect(applied).toMatchObject({ exit: 0, stderr: '3 unchanged\n' })
})

test('--prune asks, and deletes the views that no file has', async () => {
  const { run } = await given({ 'views.yaml': yaml })
  const refused = await run('apply views.yaml --prune')
  expect(refused.exit).toBe(2)
  expect((await run('list -o name')).stdout.split('\n')).toHaveLength(4)
  const pruned = await run('apply views.yaml --prune --yes')
  expect(pruned).toMatchObject({ exit: 0, stderr: '3 created, 3 deleted\n' })
  const names = JSON.parse((await run('list --query [].name -o json')).stdout) as string[]
  expect(names).toEqual(['Drifted', 'Providers', 'Modules'])
})

test('an empty file is refused: [] stands for no views', async () => {
  const { run } = await given({ 'empty.yaml': '# nothing\n', 'none.json': '[]' })
  expect((await run('apply empty.yaml --prune --yes')).exit).toBe(2)
  expect((await run('list -o name')).stdout.split('\n')).toHaveLength(4)
  expect((await run('apply empty.yaml')).exit).toBe(2)
  expect((await run('apply none.json')).exit).toBe(0)
  expect(await run('apply none.json --prune --yes')).toMatchObject({ exit: 0, stderr: '3 deleted\n' })
})

test('a failure is reported, the others are written, and nothing is deleted', async () => {
  const stored = { id: 'sq-9', attributes: { name: 'Old', query: { filter: [] }, 'query-type': 'workspaces' } }
  const { env, seen } = await serve(({ method, url, body }, response) => {
    if (method === 'GET') json(response, 200, answerReads(url, [stored]))
    else if (body.includes('Bad')) json(response, 422, '{"errors":[{"status":"422","title":"no such thing"}]}')
    else json(response, 201, '{"data":{"id":"sq-1","query":{}}}')
  })
  const stdin = '[{"name":"Bad","query_type":"modules"},{"name":"Good","query_type":"modules"}]'
  const run = await tug('explorer views apply - --prune -y -o json', { env, stdin })
  expect(run.exit).toBe(10)
  expect(actionsOf(run.stdout)).toEqual(['failed create Bad', 'create Good', 'not_sent delete Old'])
  expect(run.stdout).toContain('no such thing')
  // What is refused is sent once more in each other form.
  expect(seen.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST', 'POST', 'POST', 'POST', 'GET'])
})

test('members of a stored query that a file does not know are kept', async () => {
  const query = { filter: [], limit: 10 }
  const stored = { id: 'sq-1', attributes: { name: 'A', query, 'query-type': 'modules' } }
  const { env, seen } = await serve(({ method, url }, response) =>
    method === 'GET' ? json(response, 200, answerReads(url, [stored])) : response.writeHead(204).end(),
  )
  await tug('explorer views apply -', { env, stdin: '{"name":"A","query_type":"modules","query":{"sort":["name"]}}' })
  expect(JSON.parse(seen.at(-2)?.body ?? '')).toEqual({
    data: { name: 'A', query: { limit: 10, filter: [], fields: [], sort: ['name'] } },
  })
})

test.each([
  ['query_type: modules', 'a.yaml: …'],
  ['name: A', "a.yaml: … 'A' … query_type"],
  ['- {name: A, type: modules}\n- {name: A, type: modules}', "'A' … a.yaml … a.yaml"],
  ['{name: A, type: modules, query: {filter: [sauce is x]}}', "modules … 'sauce'"],
  ['name: [', ' a.yaml: '],
  ['name: A\nquery_type: modules\nname: B', 'a.yaml: … line 4, column 1'],
  ['name: A\nquery: {sort: name, sort: name}', 'a.yaml: … line 3, column 21'],
  ["{name: 'Modules by use', type: workspaces}", "'Modules by use' …"],
])('a file that cannot be applied is refused before anything is written: %s', async (content, words) => {
  const { run } = await given({ 'a.yaml': `# views\n${content}\n` })
  const before = (await run('list -o json')).stdout
  const refused = await run('apply a.yaml')
  expect([refused.exit, refused.stdout]).toEqual([2, ''])
  expect(refused.stderr).toMatch(mentions(words))
  expect((await run('list -o json')).stdout).toBe(before)
})

test('a file that is nested too deeply is refused', async () => {
  const { run } = await given({ 'a.yaml': `name: ${'['.repeat(20_000)}\n` })
  expect(await run('apply a.yaml')).toMatchObject({ exit: 2, stderr: says('tug: … a.yaml: …\n') })
})

test('a token that the service repeats in an error is not a part of the result', async () => {
  const { env } = await serve(({ method, headers }, response) => {
    if (method === 'GET') json(response, 200, '{"data":[]}')
    else json(response, 422, JSON.stringify({ errors: [`bad: ${JSON.stringify(headers)}`] }))
  })
  const cwd = scratchFolder()
  await writeFile(join(cwd, 'views.yaml'), yaml)
  const planted = { ...env, TUG_EXPLORER_TOKEN: 'planted-Zx81Qw' }
  const { exit, stdout, stderr } = await tug('explorer views apply views.yaml -o json', { env: planted, cwd })
  expect(exit).toBe(6)
  expect(stdout).toContain('bad: ')
  expect(stdout + stderr).not.toContain('planted')
})

/** A service with these views, where writing a view whose name begins with a status has that status. */
async function answering(...views: { readonly id: string }[]) {
  return serve(({ method, url, body }, response) => {
    const status = /(?:"name":"|\/views\/)(\d+|cut)/.exec(body + url)?.[1]
    if (method === 'GET') json(response, 200, answerReads(url, views))
    else if (status === 'cut') response.socket?.destroy()
    else if (status !== undefined) json(response, Number(status), '{"errors":["no"]}')
    else if (method === 'DELETE') response.writeHead(204).end()
    else json(response, 200, '{"data":{"id":"sq-9","query":{}}}')
  })
}

const namedFile = (...names: string[]) => JSON.stringify(names.map((name) => ({ name, query_type: 'modules' })))
const old = { id: 'sq-1', name: 'Old', query_type: 'modules', query: { filter: [] } }

test.each([
  ['422', 6, ['failed create 422']],
  ['422 422b', 6, ['failed create 422', 'failed create 422b']],
  ['422 403', 10, ['failed create 422', 'failed create 403']],
  ['422 A', 10, ['failed create 422', 'create A']],
  ['A 422', 10, ['create A', 'failed create 422']],
  ['503 A', 10, ['unknown create 503', 'create A']],
  ['cut A', 10, ['unknown create cut', 'create A']],
  ['A B', 0, ['create A', 'create B']],
])('applying %s exits with %i', async (names, exit, actions) => {
  const { env } = await answering()
  const stdin = namedFile(...names.split(' '))
  const run = await tug('explorer views apply - -o json --retries 0', { env, stdin })
  expect([run.exit, actionsOf(run.stdout)]).toEqual([exit, actions])
})

test('a refused deletion is a failure, and a row has the ID that the service gave', async () => {
  const gone = { ...old, id: '422', name: 'Gone' }
  const { env } = await answering(gone, old)
  const run = await tug('explorer views apply - --prune --yes -o csv --columns item,action,id,outcome', {
    env,
    stdin: namedFile('New'),
  })
  expect(run.exit).toBe(10)
  expect(run.stdout).toBe(
    'item,action,id,outcome\nNew,create,sq-9,done\nGone,delete,422,failed\nOld,delete,sq-1,done\n',
  )
})

test('a view that has changed since the question is kept', async () => {
  let reads = 0
  const { env, seen } = await serve(({ method, url }, response) => {
    const isRead = method === 'GET' && url.includes('/views/')
    const sort = isRead && (reads += 1) > 1 ? ['name'] : []
    if (method === 'GET') json(response, 200, answerReads(url, [{ ...old, query: { filter: [], sort } } as typeof old]))
    else response.writeHead(204).end()
  })
  for (const line of ['explorer views apply none.json --prune', 'explorer views delete sq-1']) {
    reads = 0
    const cwd = scratchFolder()
    await writeFile(join(cwd, 'none.json'), '[]')
    const terminals = { stdin: true, stdout: 100, stderr: 100 }
    expect((await tug(line, { env, cwd, terminals, stdin: 'y\r' })).exit, line).toBe(5)
  }
  expect(seen.every(({ method }) => method === 'GET')).toBe(true)
})

test('an update that the service answers without a view has the ID of the stored one', async () => {
  const { env, seen } = await serve(({ method, url }, response) =>
    method === 'GET' ? json(response, 200, answerReads(url, [old])) : response.writeHead(204).end(),
  )
  const stdin = '{"name":"Old","query_type":"modules","query":{"sort":"name"}}'
  const run = await tug('explorer views apply - -o csv --columns item,action,type,id', { env, stdin })
  expect(run).toMatchObject({ exit: 0, stdout: 'item,action,type,id\nOld,change,modules,sq-1\n' })
  expect(seen.map(({ method, url }) => `${method} ${url.replace(/.*explorer/, '')}`)).toEqual([
    'GET /views',
    'GET /views/sq-1',
    'PATCH /views/sq-1',
    // It shows nothing: what is stored is read.
    'GET /views/sq-1',
  ])
})
