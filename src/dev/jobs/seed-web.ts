/** A service with two groups and three actions; `greeting` and `image` tell its versions apart. */
export function webSource(image: string, greeting: string): string {
  return `job "web" {
  datacenters = ["dc1", "dc2"]
  type        = "service"
  priority    = 60

  meta {
    owner = "team-a"
    tier  = "front"
  }

  update {
    max_parallel     = 1
    min_healthy_time = "5s"
    healthy_deadline = "2m"
    auto_revert      = true
  }

  group "frontend" {
    count = 3

    network {
      port "http" {}
    }

    scaling {
      enabled = true
      min     = 1
      max     = 6
    }

    service {
      name     = "web"
      port     = "http"
      provider = "nomad"
      tags     = ["front", "${greeting}"]
    }

    task "server" {
      driver         = "docker"
      shutdown_delay = "1s"

      config {
        image = "${image}"
        ports = ["http"]
      }

      env {
        GREETING = "${greeting}"
      }

      resources {
        cpu    = 200
        memory = 256
      }

      action "hello" {
        command = "/bin/sh"
        args    = ["-c", "echo ${greeting} from the web server"]
      }

      action "migrate" {
        command = "/bin/sh"
        args    = ["-c", "for step in 1 2 3; do echo \\"migration $step of 3\\"; sleep 0.2; done; echo done"]
      }

      action "flush" {
        command = "/bin/sh"
        args    = ["-c", "echo flushing >&2; echo 42 keys flushed"]
      }
    }
  }

  group "worker" {
    count = 1

    task "queue" {
      driver = "exec"

      config {
        command = "/usr/local/bin/worker"
      }

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
}
