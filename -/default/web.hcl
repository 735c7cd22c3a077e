variable "greeting" {
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
    count = 3

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
        image = "web:1f2"
      }

      env {
        GREETING    = var.greeting
        LISTEN      = "0.0.0.0:${NOMAD_PORT_http}"
        DB_PASSWORD = "correct-horse"
        DB_POOL     = "5"
      }

      template {
        destination = "local/app.conf"
        change_mode = "restart"
        data        = <<-EOF
          name      = {{ env "NOMAD_TASK_NAME" }}
          workers   = 3
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
