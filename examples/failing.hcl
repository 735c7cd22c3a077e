# A service whose task starts, runs for a second and fails with exit code 7.

job "failing" {
  datacenters = ["dc1"]
  type        = "service"

  update {
    max_parallel      = 1
    min_healthy_time  = "5s"
    healthy_deadline  = "10s"
    progress_deadline = "15s"
    health_check      = "task_states"
  }

  group "app" {
    count = 1

    restart {
      attempts = 1
      interval = "1m"
      delay    = "1s"
      mode     = "fail"
    }

    reschedule {
      attempts  = 0
      unlimited = false
    }

    task "srv" {
      driver = "mock"

      config {
        exit_code = 7
        run_for   = "1s"
      }

      resources {
        cpu    = 50
        memory = 32
      }
    }
  }
}
