import type { Result } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import { argument, flag } from '../../core/param.ts'
import { shellQuote } from '../../core/shell.ts'

/** The file it writes unless another is named; the example's comments name it too. */
const defaultFile = 'example.nomad.hcl'

export const init = command({
  name: 'init',
  summary: 'Write an example job file to start from',
  description: 'A file that exists is not replaced (exit 2).',
  params: {
    file: argument.text(`the file to write; - is standard output`, {
      placeholder: 'file',
      complete: 'file',
      defaultText: defaultFile,
    }),
    short: flag.boolean('without comments'),
  },
  rawOutput: true,
  examples: [
    { line: 'job init', note: `writes ${defaultFile}; then: tug job apply ${defaultFile}` },
    { line: 'job init cache.hcl --short', note: 'another name, without comments' },
    { line: 'job init - | less', note: 'only look at it' },
  ],
  run: async ({ file = defaultFile, short }, context): Promise<Result> => {
    const named = file === '-' ? example : example.replaceAll(defaultFile, shellQuote(file))
    const lines = named.split('\n').filter((line) => short !== true || !/^\s*#/.test(line))
    // No blank line at the start, and none after another.
    const raw = lines.filter((line, index) => line !== '' || (index > 0 && lines[index - 1] !== '')).join('\n')
    if (file === '-') return { raw }
    return {
      raw,
      file: { path: file, replace: false, remedy: `name another file: ${context.commandLine('job init')} <file>` },
      finish: () => {
        context.io.note(`wrote ${file}`)
        context.io.hint(`see its plan, confirm, and wait until it runs: ${context.commandLine('job apply', file)}`)
      },
    }
  },
})

/** The file that it writes. */
const example = `# A job: what runs, how many times, and where. See what it would do, then run
# it and wait for the outcome:
#
#   tug job plan example.nomad.hcl
#   tug job apply example.nomad.hcl

# Values that change from deployment to deployment: --var image=redis:8,
# --var-file prod.hcl or NOMAD_VAR_image.
variable "image" {
  type    = string
  default = "redis:7"
}

job "example" {
  # A service runs until it is stopped; a batch job runs to its end; a system
  # job runs once on every node.
  type = "service"

  # Where it may run. All datacenters match "*".
  datacenters = ["*"]

  # Free text for people and filters:
  # tug job list --filter 'Meta.owner == "team-a"'
  meta {
    owner = "team-a"
  }

  # How a new version replaces the old one: one allocation at a time, each
  # healthy for ten seconds before the next. A rollout that makes no progress
  # for five minutes fails, and the last stable version comes back.
  update {
    max_parallel      = 1
    min_healthy_time  = "10s"
    healthy_deadline  = "3m"
    progress_deadline = "5m"
    auto_revert       = true
  }

  # Tasks of a group run together on one node. The count is how many of the
  # group run: tug job scale example cache 3
  group "cache" {
    count = 1

    # Clients have this long to notice that a service is gone before it stops.
    shutdown_delay = "2s"

    # A dynamic port on the node that leads to port 6379 of the task.
    network {
      port "db" {
        to = 6379
      }
    }

    # Registers every instance with the scheduler: tug job services example
    service {
      name     = "redis"
      port     = "db"
      provider = "nomad"

      check {
        type     = "tcp"
        interval = "10s"
        timeout  = "2s"
      }
    }

    # A task that ends is restarted twice in half an hour; then its allocation
    # has failed and another one replaces it.
    restart {
      attempts = 2
      interval = "30m"
      delay    = "15s"
      mode     = "fail"
    }

    task "redis" {
      driver = "docker"

      config {
        image = var.image
        ports = ["db"]
      }

      # A command that people may run in a running task:
      # tug job action example ping
      action "ping" {
        command = "redis-cli"
        args    = ["ping"]
      }

      # What the task needs: CPU in MHz, memory in MB.
      resources {
        cpu    = 500
        memory = 256
      }
    }
  }
}
`
