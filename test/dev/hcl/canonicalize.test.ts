import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  isObject,
  keysOf,
  parseJson,
  stringifyJson,
  withEntries,
  type Json,
  type JsonObject,
} from '../../../src/core/json.ts'
import { canonicalizeJob, applyDefaults } from '../../../src/dev/hcl/canonicalize.ts'
import { parseJobHcl } from '../../../src/dev/hcl/parse-job.ts'

interface Registered {
  readonly name: string
  readonly given: JsonObject
  readonly shown: JsonObject
}

const file = new URL('../../contract/recordings/nomad-parse/registered.json', import.meta.url)
const recorded = parseJson(readFileSync(file, 'utf8')) as unknown as Registered[]

/** What the server alone decides when it registers a job. */
const decided = { CreateIndex: 0, JobModifyIndex: 0, ModifyIndex: 0, Stable: false, Status: '', SubmitTime: 0 }

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    keysOf(value)
      .toSorted()
      .map((key) => [key, sorted(value[key] as Json)]),
  )
}

function parse(source: string): JsonObject {
  return parseJobHcl(source, { variables: '', variableFlags: {}, canonicalize: false })
}

function firstOf(job: JsonObject, ...path: string[]): JsonObject {
  return path.reduce((object, name) => (object[name] as JsonObject[])[0] as JsonObject, job)
}

describe('a registered job', () => {
  test.each(recorded)('$name', ({ given, shown }) => {
    const got = withEntries(canonicalizeJob(given), decided)
    expect(stringifyJson(sorted(got), 1)).toBe(stringifyJson(sorted(withEntries(shown, decided)), 1))
  })

  test.each(recorded)('$name: what is shown can be registered again unchanged', ({ shown }) => {
    expect(stringifyJson(sorted(canonicalizeJob(shown)))).toBe(stringifyJson(sorted(shown)))
  })

  test('a job of almost nothing gets everything', () => {
    const job = canonicalizeJob({
      id: 'x',
      taskgroups: [{ Name: 'g', Tasks: [{ Name: 't', Driver: 'mock' }] }],
      Bogus: 1,
    })
    expect(job).toMatchObject({
      ID: 'x',
      Name: 'x',
      Type: 'service',
      Datacenters: ['*'],
      NodePool: 'default',
      Priority: 50,
    })
    expect(job).not.toHaveProperty('Bogus')
    expect(job).not.toHaveProperty('Reschedule')
    expect(firstOf(job, 'TaskGroups')).toMatchObject({ Count: 1, Update: { MaxParallel: 1 }, Constraints: null })
    expect(firstOf(job, 'TaskGroups', 'Tasks')).toMatchObject({
      Resources: { CPU: 100, MemoryMB: 300, Cores: 0, DiskMB: 0 },
      Identity: { Name: 'default', Audience: ['nomadproject.io'] },
      LogConfig: { MaxFiles: 10, MaxFileSizeMB: 10, Disabled: false },
    })
  })
})

describe('defaults', () => {
  test('a group takes the policies of its job and overrides single members', () => {
    const job = applyDefaults(
      parse(`job "j" {
        update { max_parallel = 3 }
        reschedule { attempts = 7 }
        migrate { max_parallel = 2 }
        group "g" {
          update { canary = 1 }
          migrate { health_check = "task_states" }
          restart { attempts = 9 }
          task "t" {
            restart { mode = "delay" }
          }
        }
      }`),
    )
    const group = firstOf(job, 'TaskGroups')
    expect(group.Update).toMatchObject({ MaxParallel: 3, Canary: 1, HealthCheck: 'checks' })
    expect(group.ReschedulePolicy).toMatchObject({ Attempts: 7, DelayFunction: 'exponential' })
    expect(group.Migrate).toMatchObject({ MaxParallel: 2, HealthCheck: 'task_states' })
    expect(firstOf(group, 'Tasks').RestartPolicy).toMatchObject({ Attempts: 9, Mode: 'delay' })
  })

  test.each([
    ['system', null, { Attempts: 2 }, { MaxParallel: 1 }],
    ['sysbatch', { DelayFunction: '', Unlimited: false }, { Attempts: 3 }, null],
    ['batch', { DelayFunction: 'constant' }, { Attempts: 3 }, null],
  ])('the defaults of a %s job', (type, reschedule, restart, update) => {
    const job = canonicalizeJob(parse(`job "j" {\n type = "${type}"\n group "g" {}\n}`))
    const group = firstOf(job, 'TaskGroups')
    expect(group).toMatchObject({ Update: update, Migrate: null, RestartPolicy: restart })
    if (reschedule === null) expect(group.ReschedulePolicy).toBeNull()
    else expect(group.ReschedulePolicy).toMatchObject(reschedule)
    expect(job.Update).toMatchObject({ MaxParallel: update === null ? 0 : 1 })
  })

  test('templates, artifacts, mounts, vaults and checks', () => {
    const job = canonicalizeJob(
      parse(`job "j" {
        group "g" {
          count = 2
          scaling { max = 5 }
          spread { attribute = "x" }
          network {
            port "http" { static = 80 }
          }
          service {
            provider = "nomad"
            check_restart { limit = 3 }
            check { type = "http" }
          }
          task "t" {
            template { data = "x" }
            artifact { source = "https://example.org/a/b.zip" }
            vault {}
          }
        }
      }`),
    )
    const group = firstOf(job, 'TaskGroups')
    expect(group.Scaling).toMatchObject({ Min: 2, Max: 5, Enabled: true, Target: { Group: 'g', Job: 'j' } })
    expect(group.Spreads).toMatchObject([{ Weight: 50 }])
    expect(group.Networks).toEqual([{ ReservedPorts: [{ HostNetwork: 'default', Label: 'http', Value: 80 }] }])
    expect(group.Services).toMatchObject([
      {
        Name: 'j-g',
        Checks: [{ Name: 'service: "j-g" check', OnUpdate: 'require_healthy', CheckRestart: { Limit: 3, Grace: 1e9 } }],
      },
    ])
    expect(group.Constraints).toMatchObject([{ LTarget: '${attr.nomad.service_discovery}' }])
    const task = firstOf(group, 'Tasks')
    expect(task.Templates).toMatchObject([{ ChangeSignal: '', Perms: '0644' }])
    expect(task.Artifacts).toMatchObject([{ RelativeDest: 'local/' }])
    expect(task.Vault).toMatchObject({ Cluster: 'default', ChangeSignal: 'SIGHUP' })
  })

  test('a periodic job is enabled and runs in UTC', () => {
    const job = canonicalizeJob(
      parse('job "j" {\n type = "batch"\n periodic {\n cron = "@daily"\n time_zone = "" \n}\n}'),
    )
    expect(job.Periodic).toEqual({
      Enabled: true,
      ProhibitOverlap: false,
      Spec: '@daily',
      SpecType: 'cron',
      Specs: [],
      TimeZone: 'UTC',
    })
  })
})
