/** The nodes of the demo cluster, and the job files of its jobs, which `submission` returns. */

import type { DemoNode } from '../state/model.ts'

const drivers = ['docker', 'exec', 'mock', 'mock_driver', 'raw_exec']

const attributes = {
  'kernel.name': 'linux',
  'cpu.arch': 'amd64',
  'os.name': 'debian',
  'os.version': '12',
  'kernel.version': '6.12.9',
  'nomad.version': '2.0.6',
  'nomad.service_discovery': 'true',
  'plugins.secrets.nomad.version': '1.0.0',
}

const large = { address: '127.0.0.1', cpu: 8000, memory: 16_384, drivers }
const small = { ...large, cpu: 4000, memory: 8192, drivers: drivers.slice(1) }

function node(id: string, name: string, datacenter: string, rack: string, size: typeof large): DemoNode {
  return { ...size, id, name, datacenter, attributes: { ...attributes, 'meta.rack': rack } }
}

/** The demo cluster: two nodes in `dc1`, one (smaller and without docker) in `dc2`. */
export const demoNodes: readonly DemoNode[] = [
  node('a1fa0000-0000-4000-8000-000000000001', 'alpha', 'dc1', 'r1', large),
  node('be7a0000-0000-4000-8000-000000000002', 'beta', 'dc1', 'r2', large),
  node('9a3a0000-0000-4000-8000-000000000003', 'gamma', 'dc2', 'r3', small),
]

/** A service of two groups, with canaries that promote themselves. */
export const apiSource = `job "api" {
  datacenters = ["dc1"]
  type        = "service"
  meta { owner = "team-b" }
  update {
    max_parallel     = 1
    canary           = 1
    auto_promote     = true
    auto_revert      = true
    min_healthy_time = "5s"
  }

  group "api" {
    count = 2

    network {
      port "rpc" {}
    }

    service {
      name     = "api"
      port     = "rpc"
      provider = "nomad"
    }

    task "server" {
      driver         = "docker"
      shutdown_delay = "1s"
      config { image = "registry.example/api:2.4.0" }
      resources {
        cpu    = 250
        memory = 512
      }
    }
  }

  group "worker" {
    task "queue" {
      driver = "exec"
      config { command = "/usr/local/bin/worker" }
      resources {
        cpu    = 100
        memory = 128
      }

      action "drain" {
        command = "/bin/sh"
        args    = ["-c", "echo cannot drain: 3 items left >&2; exit 3"]
      }
    }
  }
}
`

/** A parameterized job: dispatch it with \`source\`, and \`rows\` or \`day\` if you like. */
export const nightlySource = `job "nightly" {
  datacenters = ["dc1"]
  type        = "batch"
  meta { quality = "80" }
  parameterized {
    payload       = "optional"
    meta_required = ["source"]
    meta_optional = ["rows", "day"]
  }

  group "import" {
    task "load" {
      driver = "mock"
      config { run_for = "2s" }
      dispatch_payload { file = "input.txt" }
    }
  }
}
`

export const cleanupSource = `job "cleanup" {
  datacenters = ["dc1"]
  type        = "batch"

  periodic {
    crons            = ["15 3 * * *"]
    prohibit_overlap = true
    time_zone        = "UTC"
  }

  group "sweep" {
    task "sweep" {
      driver = "mock"
      config { run_for = "2s" }
    }
  }
}
`

/** Never placed: it wants more memory than any node has, and a Windows node. */
export const stuckSource = `job "stuck" {
  datacenters = ["dc1"]
  type        = "service"

  group "huge" {
    count = 2

    task "cache" {
      driver = "docker"
      config { image = "registry.example/cache:7" }
      resources {
        cpu    = 500
        memory = 900000
      }
    }
  }

  group "windows" {
    constraint {
      attribute = "\${attr.kernel.name}"
      value     = "windows"
    }

    task "agent" {
      driver = "exec"
      config { command = "agent.exe" }
    }
  }
}
`

/** A batch job of one task that ends by itself. With an exit code other than 0 it fails and is rescheduled. */
export function batchSource(id: string, exitCode: number): string {
  return `job "${id}" {
  datacenters = ["*"]
  type        = "batch"

  group "run" {
    restart {
      attempts = 1
      delay    = "10s"
      interval = "1h"
      mode     = "fail"
    }

    task "report" {
      driver = "mock"

      config {
        run_for   = "1s"
        exit_code = ${exitCode}
      }
    }
  }
}
`
}

/** A small service of one allocation. */
export function smallSource(id: string): string {
  return `job "${id}" {
  datacenters = ["dc2"]
  type        = "service"

  group "app" {
    task "main" {
      driver = "raw_exec"

      config {
        command = "/bin/sleep"
        args    = ["infinity"]
      }

      action "hello" {
        command = "/bin/sh"
        args    = ["-c", "echo hello"]
      }
    }
  }
}
`
}

/** What differs between the versions of `web` in the demo's past, oldest first. `pool` is of connections to the database. */
export const webVersions = [
  { image: '1f0', count: 2, pool: 2, workers: 2 },
  { image: '1f1', count: 2, pool: 5, workers: 2 },
  { image: '1f1', count: 3, pool: 5, workers: 2 },
  { image: '1f2', count: 3, pool: 5, workers: 3 },
] as const

type WebVersion = (typeof webVersions)[number]

/** The job file of a version of `web`. examples/web.hcl is the version that comes next. */
export function webSource({ image, count, pool, workers }: WebVersion): string {
  return `variable "greeting" {
  type    = string
  default = "hello"
}

job "web" {
  datacenters = ["dc1"]
  type        = "service"

  meta {
    owner = "team-a"
  }

  update {
    max_parallel      = 1
    min_healthy_time  = "1s"
    healthy_deadline  = "20s"
    progress_deadline = "40s"
    health_check      = "task_states"
    auto_revert       = true
  }

  group "app" {
    count = ${count}

    scaling {
      enabled = true
      min     = 1
      max     = 6
    }

    network {
      port "http" {
        to = 8080
      }
    }

    service {
      name     = "web-app"
      port     = "http"
      provider = "nomad"
      tags     = ["v1", "front"]

      check {
        type     = "http"
        path     = "/health"
        interval = "10s"
        timeout  = "2s"
      }
    }

    task "srv" {
      driver         = "mock"
      shutdown_delay = "1s"

      config {
        image = "web:${image}"
      }

      env {
        GREETING    = var.greeting
        LISTEN      = "0.0.0.0:\${NOMAD_PORT_http}"
        DB_PASSWORD = "correct-horse"
        DB_POOL     = "${pool}"
      }

      template {
        destination = "local/app.conf"
        change_mode = "restart"
        data        = <<-EOF
          name      = {{ env "NOMAD_TASK_NAME" }}
          workers   = ${workers}
          log_level = info
        EOF
      }

      action "hello" {
        command = "/bin/sh"
        args    = ["-c", "echo hello from $NOMAD_TASK_NAME"]
      }

      action "migrate" {
        command = "/bin/sh"
        args    = ["-c", "for step in 0041_index 0042_users; do printf 'applying %s ... ' $step; sleep 0.3; echo ok; done"]
      }

      action "flush" {
        command = "/bin/sh"
        args    = ["-c", "echo flushed $((1204 - 17 * NOMAD_ALLOC_INDEX)) keys"]
      }

      action "check" {
        command = "/bin/sh"
        args    = ["-c", "if [ $NOMAD_ALLOC_INDEX = 1 ]; then echo error: redis timeout >&2; exit 3; fi; echo ok"]
      }

      resources {
        cpu    = 100
        memory = 64
      }
    }
  }
}
`
}
