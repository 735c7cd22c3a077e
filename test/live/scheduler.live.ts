import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { liveServer, runSteps, testThatAllRan, type Live } from './live.ts'

const live = liveServer('scheduler')

describe.skipIf(live === undefined)('scheduler', () => {
  if (live !== undefined) testScheduler(live)
})

const task = `
    task "main" {
      driver = "raw_exec"
      config {
        command = "/bin/sleep"
        args    = ["600"]
      }
      resources {
        cpu    = 20
        memory = 16
      }
      action "hello" {
        command = "/bin/echo"
        args    = ["hello"]
      }
      action "fail" {
        command = "/bin/sh"
        args    = ["-c", "exit 3"]
      }
    }`

const service = (id: string, owner: string): string => `job "${id}" {
  datacenters = ["*"]
  meta = { owner = "${owner}" }
  update {
    min_healthy_time = "100ms"
    healthy_deadline = "30s"
    progress_deadline = "60s"
  }
  group "app" {
    network {
      port "http" {}
    }
    service {
      name     = "${id}"
      port     = "http"
      provider = "nomad"
    }${task}
  }
}
`

const batch = (id: string, block: string): string => `job "${id}" {
  datacenters = ["*"]
  type = "batch"
  ${block}
  group "app" {${task.replace('/bin/sleep', '/bin/true').replace('"600"', '')}
  }
}
`

/** All jobs have IDs that begin with the prefix of the run. */
function testScheduler(server: Live): void {
  const { tug, folder, prefix } = server
  const [web, nightly, import_] = [`${prefix}-web`, `${prefix}-nightly`, `${prefix}-import`]

  beforeAll(() => {
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
    write('web.nomad.hcl', service(web, 'one'))
    write('web-2.nomad.hcl', service(web, 'two'))
    write('nightly.nomad.hcl', batch(nightly, 'periodic {\n    crons = ["0 3 * * *"]\n  }'))
    write('import.nomad.hcl', batch(import_, 'parameterized {\n    meta_required = ["source"]\n  }'))
  })

  afterAll(async () => {
    const list = async () => {
      const { stdout } = await tug(`api scheduler GET jobs?prefix=${prefix} --query '[].ID' -o json`)
      return JSON.parse(stdout) as string[]
    }
    for (const id of await list()) await tug(`api scheduler DELETE job/${encodeURIComponent(id)}?purge=true --yes`)
    expect(await list()).toEqual([])
  })

  runSteps(server, [
    ['job init new.nomad.hcl --short', 0],
    ['job parse web.nomad.hcl --query ID', 0, new RegExp(web)],
    ['job plan web.nomad.hcl --exit-code', 9],
    ['job run web.nomad.hcl --wait', 0],
    ['job plan web.nomad.hcl --exit-code', 0],
    [`job list --prefix ${prefix} -o name`, 0, web],
    [`job get ${web} --query Meta.owner`, 0, /one/],
    [`job get ${prefix}-none`, 3],
    [`job status ${web} --exit-code`, 0],
    [`job summary ${web} -o json`, 0, /"Running": *1/],
    [`job allocs ${web} --query [0].ClientStatus`, 0, /running/],
    [`job evals ${web} --query [0].Status`, 0, /complete/],
    [`job deployments ${web} --query [0].Status`, 0, /successful/],
    [`job deployment ${web} --query Status`, 0, /successful/],
    [`job services ${web} --query [0].ServiceName`, 0, new RegExp(web)],
    [`job actions ${web} -o name`, 0, /hello/],
    [`job action ${web} hello`, 0, 'hello'],
    [`job action ${web} fail`, 3],
    [`job update ${web} web-2.nomad.hcl --wait`, 0],
    [`job versions ${web} --query Versions[0].Version -o json`, 0, '1'],
    [`job submission ${web} --version 0 --source`, 0, /owner = "one"/],
    [`job run web.nomad.hcl --check-index 1`, 5],
    [`job scale ${web} app 2 --message tested --wait`, 0],
    [`job scale-status ${web} --query TaskGroups.app.Desired -o json`, 0, '2'],
    [`job revert ${web} 0 --wait --yes`, 0],
    [`job get ${web} --query Meta.owner`, 0, /one/],
    [`job stable ${web} 3 --yes`, 0],
    [`job evaluate ${web} --wait`, 0],
    [`job restart ${web} --allow-downtime --yes`, 0],
    [`job stop ${web} --wait --yes`, 0],
    [`job start ${web} --wait --yes`, 0],
    ['job apply web-2.nomad.hcl --yes', 0],
    ['job plan web-2.nomad.hcl --exit-code', 0],
    [`job wait ${web}`, 0],
    [`job diff ${web}`, 0],
    ['job run nightly.nomad.hcl', 0],
    [`job periodic force ${nightly} --wait`, 0],
    ['job run import.nomad.hcl', 0],
    [`job dispatch ${import_} --meta source=a --wait`, 0],
    [`job dispatch ${import_}`, 6],
    [`job export ${web} --output-dir out`, 0],
    ['job apply out --plan --exit-code', 0],
  ])

  testThatAllRan(server, 'job')
}
