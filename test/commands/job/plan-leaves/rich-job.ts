/** A job with a bit of everything, above all what the scheduler's diff leaves out. */
export const richJob = `job "rich" {
  type = "service"
  meta {
    owner = "team-a"
    empty = ""
  }
  constraint {
    attribute = "\${attr.kernel.name}"
    value     = "linux"
  }
  affinity {
    attribute = "\${node.datacenter}"
    value     = "dc1"
    weight    = 60
  }
  spread {
    attribute = "\${node.datacenter}"
    weight    = 70
    target "dc1" {
      percent = 40
    }
  }
  update {
    max_parallel     = 2
    stagger          = "20s"
    min_healthy_time = "5s"
  }
  group "app" {
    count = 1
    meta {
      tier  = "1"
      empty = ""
    }
    spread {
      attribute = "\${attr.unique.hostname}"
    }
    restart {
      attempts = 3
      interval = "10m"
      delay    = "5s"
      mode     = "delay"
    }
    reschedule {
      delay     = "20s"
      unlimited = true
    }
    ephemeral_disk {
      size = 150
    }
    network {
      mode = "host"
      port "http" {
        to = 8080
      }
    }
    service {
      name     = "web"
      port     = "http"
      provider = "nomad"
      tags     = ["a", "b"]
      meta {
        empty = ""
      }
      check {
        type     = "http"
        name     = "alive"
        path     = "/health"
        interval = "10s"
        timeout  = "2s"
        header {
          X-Probe = ["1"]
        }
      }
    }
    task "main" {
      driver       = "mock_driver"
      kill_timeout = "7s"
      user         = "nobody"
      config {
        run_for = "1h"
      }
      env {
        COLOR = "blue"
        EMPTY_ALREADY = ""
      }
      meta {
        a     = "b"
        empty = ""
      }
      restart {
        attempts = 1
        interval = "10m"
        delay    = "7s"
        mode     = "delay"
      }
      logs {
        max_files     = 2
        max_file_size = 3
      }
      template {
        data        = "a = 1"
        destination = "local/app.conf"
      }
      artifact {
        source      = "http://127.0.0.1:1/a.tgz"
        destination = "local/a"
        options {
          checksum = "md5:d41d8cd98f00b204e9800998ecf8427e"
        }
      }
      action "ping" {
        command = "/bin/echo"
        args    = ["a", "b"]
      }
      resources {
        cpu    = 50
        memory = 32
      }
    }
    task "first" {
      driver = "mock_driver"
      lifecycle {
        hook    = "prestart"
        sidecar = true
      }
      config {
        run_for = "1h"
      }
      resources {
        cpu    = 20
        memory = 16
      }
    }
  }
}
`
