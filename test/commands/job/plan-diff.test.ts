import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { DocumentView } from '../../../src/core/command.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { isObject } from '../../../src/core/json.ts'
import { parseJson } from '../../../src/core/json.ts'
import { changedLines } from '../../../src/commands/job/plan/fields.ts'
import { isUnchanged } from '../../../src/commands/job/plan/changes.ts'
import { planDocument } from '../../../src/commands/job/plan/view.ts'
import { says, told } from '../../support/told.ts'

const recorded = parseJson(
  readFileSync(new URL('../../contract/recordings/nomad/05-plan.json', import.meta.url), 'utf8'),
) as unknown as { name: string; request: { body: JsonObject }; response: { body: JsonObject } }[]

function recordedPlan(name: string, showValues = false): DocumentView {
  const entry = recorded.find((one) => one.name.startsWith(name))
  if (entry === undefined) throw new Error(`no recording named ${name}`)
  return document(entry.response.body, (entry.request.body['Job'] ?? {}) as JsonObject, showValues)
}

function document(answer: JsonObject, job: JsonObject = {}, showValues = false): DocumentView {
  const applyLine = 'tug job run --check-index 77 web.hcl'
  return planDocument({
    answer,
    job,
    isChanged: isObject(answer.Diff) && !isUnchanged(answer.Diff),
    showValues,
    applyLine,
  })
}

function textOf(view: DocumentView): string {
  const now = new Date('2026-11-21T07:30:00Z')
  const showing = { now, wide: false, absoluteTimes: false, draws: false, width: undefined }
  return view.text((_, text) => text, showing, null)
}

function plan(group: JsonObject, updates: JsonObject = {}): JsonObject {
  return {
    Annotations: { DesiredTGUpdates: { app: updates } },
    Diff: { ID: 'web', Type: 'Edited', TaskGroups: [{ Name: 'app', Type: 'Edited', ...group }] },
  }
}

function edited(Name: string, Old: string, New: string): JsonObject {
  return { Name, Old, New, Type: 'Edited', Annotations: null }
}

test('names are those of the job file, only changes are shown, set members once, renamed groups are linked', () => {
  expect(textOf(recordedPlan('plan many edits'))).toMatch(
    told(`~ job web
  + meta.added   1
  - meta.owner   team-a
  ~ meta.tier    front → back
  ~ priority     60 → 70
  ~ datacenters  +dc2  (1 kept)
  + constraint   \${attr.kernel.name} = linux
  ~ group app: 3 replaced, …
    ~ service web-app
      ~ tags  -v1 +v2  (1 kept)
    ~ task main  forces create/destroy update
      ~ config.args[0]    3600 → 7200
      ~ resources.memory  32 → 48
      + template local/x
        + change_mode      restart
        + data             2 lines
          + | line1
          + | line2
        + left_delimiter   {{
        + perms            0644
        + right_delimiter  }}
        + splay            5s
  ~ group side → sidecar: 1 destroy, 1 create  …

warning: group "app" defines services, but neither the group nor any of its tasks have shutdown_delay set`),
  )
})

test('a source of an artifact whose texts differ only in what is masked says that it differs', () => {
  const source = edited('GetterSource', 'https://x/a.tgz?token=one', 'https://x/a.tgz?token=two')
  const task = { Name: 'srv', Type: 'Edited', Objects: [{ Name: 'Artifact', Type: 'Edited', Fields: [source] }] }
  const text = textOf(document(plan({ Tasks: [task] })))
  expect(text).toContain('https://x/a.tgz?token=<redacted> (differs)')
  expect(text).not.toMatch(/one|two/)
})

test('values of env, meta, templates and tokens are masked, but differences stay visible', () => {
  const template = {
    Name: 'Template',
    Type: 'Edited',
    Fields: [
      { Name: 'DestPath', Old: 'local/app.conf', New: 'local/app.conf', Type: 'None' },
      edited('EmbeddedTmpl', 'a\nb = 1\nc\n', 'a\nb = 2\nc\n'),
    ],
  }
  const config = { Name: 'Config', Type: 'Edited', Fields: [edited('auth_token', 'one-secret', 'other-secret')] }
  const task = {
    Name: 'srv',
    Type: 'Edited',
    Fields: [edited('Env[DB_PASSWORD]', 'correct-horse', 'battery-staple')],
    Objects: [config, template],
  }
  const answer = plan({ Tasks: [task] })
  expect(textOf(document(answer))).toBe(`~ job web
  ~ group app
    ~ task srv
      ~ env.DB_PASSWORD    (masked, differs)
      ~ config.auth_token  (masked, differs)
      ~ template local/app.conf
        ~ data  1 removed, 1 added of 3 lines
            | a
          - | b = 1
          + | b = 2
            | c`)
  expect(textOf(document(answer, {}, true))).toBe(`~ job web
  ~ group app
    ~ task srv
      ~ env.DB_PASSWORD    correct-horse → battery-staple
      ~ config.auth_token  one-secret → other-secret
      ~ template local/app.conf
        ~ data  1 removed, 1 added of 3 lines
            | a
          - | b = 1
          + | b = 2
            | c`)
})

test('very long texts are compared within a limit', () => {
  const old = Array.from({ length: 5000 }, (_, line) => `old ${line}`).join('\n')
  const next = Array.from({ length: 5000 }, (_, line) => `new ${line}`).join('\n')
  expect(changedLines(old, next)).toMatchObject({ removed: 5000, added: 5000, total: 5000 })
  const far = changedLines('1\n2\n3\n4\n5\n6\n7\n8\n9', '1\n2\n3\n4\nfive\n6\n7\n8\n9')
  expect(far.lines.map(({ mark, text }) => mark + text)).toEqual([' …', ' 3', ' 4', '-5', '+five', ' 6', ' 7', ' …'])
})

test('a placement failure is explained', () => {
  const lines = textOf(recordedPlan('plan infeasible')).split('\n').slice(-3)
  expect(lines.toSorted()).toEqual([
    says(
      'NOT PLACED group bad-constraint: 1 allocation …: 1 node does not match ${attr.kernel.name} = windows; 1 of 1 node in pool default evaluated (dc1: 1)',
    ),
    says(
      'NOT PLACED group no-driver: 1 allocation …: 1 node lacks the driver; 1 of 1 node in pool default evaluated (dc1: 1)',
    ),
    says('NOT PLACED group too-big: 3 allocations …: 1 node has …; 1 of 1 node in pool default evaluated (dc1: 1)'),
  ])
})

test("a plan without changes says so and shows a periodic job's next launch", () => {
  expect(textOf(recordedPlan('plan with no change'))).toMatch(/^.* web\n/)
  const periodic = document(
    (recorded.find((one) => one.name.startsWith('plan periodic')) as never)['response']['body'],
    {
      ID: 'cleanup',
      Periodic: { Enabled: true },
    },
  )
  expect(textOf(periodic)).toMatch(
    told('… cleanup (1 create in 1 group …)\n\nnext launch: 2026-11-22 03:15 UTC (in 19h)'),
  )
})

test('control characters of a server never reach the terminal raw', () => {
  const text = textOf(document(plan({ Fields: [edited('NodePool', 'a\u001b[31m', 'b\u202e')] })))
  expect(text).not.toMatch(/[\u001b\u202e]/)
  expect(text).toContain(String.raw`~ node_pool  a\x1b[31m → b\u202e`)
})

test('a renamed group stays linked if something around its tasks differs too', () => {
  const group = (Name: string, Type: 'Added' | 'Deleted', parallel: string): JsonObject => {
    const field = (name: string, value: string): JsonObject =>
      Type === 'Added' ? { Name: name, Type, Old: '', New: value } : { Name: name, Type, Old: value, New: '' }
    return {
      Name,
      Type,
      Fields: [field('Count', '1')],
      Objects: [{ Name: 'Update', Type, Fields: [field('MaxParallel', parallel)] }],
      Tasks: [{ Name: 'srv', Type, Fields: [field('Driver', 'mock')] }],
    }
  }
  const groups = [group('old', 'Deleted', '2'), group('new', 'Added', '3')]
  expect(textOf(document({ Diff: { ID: 'web', Type: 'Edited', TaskGroups: groups } }))).toMatch(
    told(`~ job web
  ~ group old → new  renamed: …
    - update  max_parallel 2
    + update  max_parallel 3`),
  )
})

test('-o wide adds what the scheduler leaves alone and the evaluations that registering would make', () => {
  const answer = {
    ...plan({ Name: 'app', Type: 'None' }, { Ignore: 2 }),
    CreatedEvals: [{ Status: 'pending', TriggeredBy: 'job-register' }],
  }
  const showing = { now: new Date(0), absoluteTimes: false, draws: false, width: undefined }
  const lines = (wide: boolean) =>
    document(answer)
      .text((_, text) => text, { ...showing, wide }, null)
      .split('\n')
  expect(lines(true)).toEqual(
    expect.arrayContaining(['group app: 2 allocations unchanged', 'evaluation: pending, job-register']),
  )
  expect(lines(false).join()).not.toMatch(/unchanged|job-register/)
})
