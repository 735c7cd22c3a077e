# A batch job: it runs for two seconds and is done.

job "report" {
  datacenters = ["dc1"]
  type        = "batch"

  group "run" {
    task "report" {
      driver = "mock"

      config {
        exit_code = 0
        run_for   = "2s"
      }

      resources {
        cpu    = 50
        memory = 32
      }
    }
  }
}
