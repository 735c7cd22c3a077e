/** The job files of the demo jobs, which `submission` returns. */

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

/** A periodic job. */
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
