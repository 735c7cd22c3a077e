import { test } from 'vitest'
import { story } from '../../support/story.ts'
import { json, serve } from '../../support/serve.ts'

const error = (text: string) => JSON.stringify({ errors: [text] })
const live = '{"data":{"data":{"k":"old"},"metadata":{"version":3,"deletion_time":""}}}'
const wrote = '{"data":{"version":4,"deletion_time":"2026-12-01T10:00:00Z"}}'

/** What a request, as `METHOD path` below `/v1/secret/`, is answered; 0 closes the connection. */
function answering(answers: Readonly<Record<string, readonly [status: number, body: string]>>) {
  return serve(({ method, url }, response) => {
    const name = `${method} ${url.replace(/^\/v1\/secret\//, '').replace('?list=true', '')}`
    const [status, body] = answers[name] ?? [404, '{"errors":[]}']
    if (status === 0) response.destroy()
    else json(response, status, body)
  })
}

test('what is said of writes that a server refuses, confuses or does not answer', async () => {
  const { env } = await answering({
    'POST data/strings': [400, error('request has exceeded the maximum number of strings: 1000')],
    'POST data/large': [413, error('request body too large')],
    'POST data/cas': [400, error('check-and-set parameter required for this call')],
    'POST data/stale': [400, error('check-and-set parameter did not match the current version')],
    'POST data/bare': [200, ''],
    'POST data/none': [200, '{"data":{}}'],
    'POST data/zero': [200, '{"data":{"version":0}}'],
    'POST data/literal': [204, ''],
    'POST data/cut': [0, ''],
    'POST data/expires': [200, wrote],
    'POST data/warns': [200, '{"data":{"version":1},"warnings":["the path is deprecated","and more"]}'],
    'GET data/stale': [200, live],
    'GET data/cut': [200, live],
    'GET data/literal': [200, '{"data":{"k":"old"}}'],
    'GET data/odd': [200, '{"data":"text"}'],
    'GET data/nothing': [200, '{"data":null}'],
    'GET data/null': [200, '{"data":{"data":null,"metadata":{"version":2,"deletion_time":""}}}'],
    'PATCH data/refused': [403, error('permission denied')],
    'PATCH data/unknown': [405, error('unsupported operation')],
    'PATCH data/null': [400, error('resource does not exist')],
    'PATCH data/bad': [400, error('no')],
    'PATCH data/deleted': [404, '{"data":{"version":3,"deletion_time":"2026-11-20T10:00:00Z"}}'],
    'PATCH data/deeper': [404, '{"data":{"metadata":{"version":3,"destroyed":true}}}'],
    'PATCH data/plain': [404, 'no such page'],
    'POST metadata/cas': [400, error('metadata check-and-set parameter required for this call')],
    'PATCH metadata/cas': [400, error('metadata check-and-set parameter does not match')],
    'PATCH metadata/refused': [403, error('permission denied')],
    'PATCH metadata/bad': [400, error('no')],
    'GET metadata/odd': [200, '{"data":[]}'],
    // A token that may patch, and not read.
    ...Object.fromEntries(
      ['refused', 'unknown', 'bad', 'deleted', 'deeper', 'plain', 'cas'].flatMap((name) => [
        [`GET data/${name}`, [403, error('permission denied')] as const],
        [`GET metadata/${name}`, [403, error('permission denied')] as const],
      ]),
    ),
  })
  await story(
    'kv-answers',
    [
      'kv put strings a=1',
      'kv put large a=1',
      'kv put cas a=1',
      'kv put stale a=1 --cas 2',
      'kv put bare a=1',
      'kv put none a=1',
      'kv put zero a=1',
      'kv put literal a=1',
      'kv put cut a=1',
      'kv put expires a=1',
      'kv put warns a=1',
      'kv set stale a=1',
      'kv set cut a=1',
      'kv set literal a=1',
      'kv get odd',
      'kv get nothing',
      'kv get null',
      'kv get null x',
      'kv set null a=1',
      { line: 'kv edit stale', env: { EDITOR: "printf 'a: 1\\n' >" } },
      { line: 'kv edit cut', env: { EDITOR: "printf 'a: 1\\n' >" } },
      'kv patch refused a=1',
      'kv patch unknown a=1',
      'kv patch null a=1',
      'kv patch bad a=1',
      'kv patch deleted a=1',
      'kv patch deeper a=1',
      'kv patch plain a=1',
      'kv metadata put cas --max-versions 3',
      'kv metadata patch cas --max-versions 3',
      'kv metadata patch refused --max-versions 3',
      'kv metadata patch bad --max-versions 3',
      'kv metadata get odd',
      'kv delete odd',
    ],
    { env },
  )
})

test('what is said of bulk work that fails in the middle', async () => {
  const keys = (...names: string[]) => JSON.stringify({ data: { keys: names } })
  const data = (k: string) => JSON.stringify({ data: { data: { k }, metadata: { version: 1, deletion_time: '' } } })
  const current =
    '{"data":{"current_version":1,"versions":{"1":{"created_time":"2026-11-20T10:00:00Z","deletion_time":"","destroyed":false}}}}'
  const { env } = await answering({
    'GET metadata/app': [200, keys('a', 'b', 'c')],
    'GET data/app/a': [200, data('a')],
    'GET data/app/b': [403, error('permission denied')],
    'GET data/app/c': [200, data('c')],
    'POST data/new/a': [200, wrote],
    'POST data/new/c': [200, wrote],
    'GET metadata/app/a': [200, current],
    'GET metadata/app/b': [200, current],
    'GET metadata/app/c': [200, current],
    'GET metadata/cut/a': [200, current],
    'DELETE metadata/app/a': [403, error('permission denied')],
    'DELETE metadata/app/c': [204, ''],
    'POST delete/app/a': [204, ''],
    'POST delete/app/b': [403, error('permission denied')],
    'DELETE data/app/b': [403, error('permission denied')],
    'POST delete/app/c': [204, ''],
    'GET metadata/one': [200, keys('a')],
    'GET data/one/a': [403, error('permission denied')],
    'GET metadata/cut': [200, keys('a')],
    'GET data/cut/a': [200, data('a')],
    'POST data/new/cut': [200, wrote],
    'DELETE metadata/cut/a': [0, ''],
    'GET metadata/tree': [200, keys('x', 'in/', 'shut/', 'gone/', '..', 'a/b', '')],
    'GET metadata/tree/in': [200, keys('y', 'deeper/')],
    'GET metadata/tree/in/deeper': [200, keys('z')],
    'GET metadata/tree/shut': [403, error('permission denied')],
    'GET data/tree/x': [200, data('x')],
    'GET data/tree/in/y': [200, data('y')],
    'GET data/tree/in/deeper/z': [200, '{"data":{"k":"literal"}}'],
    'GET metadata/refused': [403, error('permission denied')],
    'GET metadata/empty': [200, '{"data":{}}'],
    'GET metadata/v1': [200, keys('a', 'b')],
    'GET data/v1/a': [200, '{"data":{"k":"literal"}}'],
    'GET data/v1/b': [200, '{"data":{"k":"literal"}}'],
    'GET data/up/a': [200, data('a')],
    'GET data/up/b': [403, error('permission denied')],
    'POST data/up/a': [200, wrote],
    'GET metadata/up': [200, keys('a', 'old')],
    'GET data/up/old': [200, data('old')],
    'GET metadata/up/a': [200, current],
    'GET metadata/up/b': [403, error('permission denied')],
    'GET metadata/up/old': [200, current],
    'POST delete/up/old': [403, error('permission denied')],
    'DELETE data/up/old': [403, error('permission denied')],
    'POST data/up/b': [403, error('permission denied')],
  })
  await story(
    'kv-bulk-answers',
    [
      'kv copy app new --recursive',
      'kv move app new --recursive --yes --versions current',
      'kv move cut/a new/cut --yes --versions current',
      'kv move app/a new/a --yes --versions current',
      'kv delete app --recursive --yes',
      'kv export app',
      'kv export app -o json',
      'kv export one',
      'kv export one/a',
      'kv export tree',
      'kv export v1',
      'kv copy v1 new --recursive',
      'kv tree tree --depth 1',
      'kv tree tree -o json',
      { line: 'kv tree tree', terminals: { stdout: 80, stderr: 80 } },
      'kv tree refused',
      'kv tree empty',
      'kv find y tree',
      'kv find k tree --keys',
      'kv diff tree app --recursive',
      'kv diff tree nowhere --recursive',
      'kv diff tree refused --recursive',
      { line: 'kv import - up --update', stdin: '{"a":{"k":"new"},"b":{"k":"1"}}' },
      { line: 'kv import - up --plan', stdin: '{"a":{"k":"new"},"b":{"k":"1"}}' },
      { line: 'kv import - up --plan --exit-code', stdin: '{"b":{"k":"1"}}' },
      { line: 'kv import - up --update --prune --yes', stdin: '{"a":{"k":"new"}}' },
      { line: 'kv import - up', stdin: '{"a":{"k":"new"},"b":{"k":"1"}}' },
      { line: 'kv import - tree --prune --plan', stdin: '{"x":{"k":"new"}}' },
      { line: 'kv import - refused --prune --plan', stdin: '{"x":{"k":"new"}}' },
    ],
    { env: { ...env, TUG_LIST_METHOD: 'get' } },
  )
})

test('what a mount of version 1 gets and gives', () =>
  story('kv-version-1', [
    'kv put app/x a=1 --mount kv1',
    'kv get app/x --mount kv1',
    'kv get app/x --mount kv1 -o json',
    'kv set app/x a=1 --mount kv1',
    'kv patch app/x a=1 --mount kv1',
    'kv subkeys app/x --mount kv1',
    'kv export app/x --mount kv1',
    'kv delete app/x --mount kv1',
    'kv delete app/x --versions 1,2 --mount kv1',
    'kv undelete app/x --mount kv1',
    'kv undelete app/x --versions 1,2 --mount kv1',
    'kv destroy app/x --versions 1 --yes --mount kv1',
    'kv metadata put app/x --max-versions 3 --mount kv1',
    'kv metadata delete app/x --yes --mount kv1',
    'kv config set --max-versions 3 --mount kv1',
    'kv config get --mount kv1',
    'kv list --mount kv1',
    'kv list nowhere --mount kv1',
    'kv tree --mount kv1',
    'kv delete / --recursive --yes --mount kv1',
    { line: 'kv import - app --mount kv1', stdin: '{"a":{"x":"1"},"b":{"x":"1"}}' },
  ]))
