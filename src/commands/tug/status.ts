import { list } from '../../core/command.ts'
import { tugCommand } from './context.ts'
import type { Result } from '../../core/command.ts'
import { exitCodes } from '../../core/errors.ts'
import { serviceNames } from '../../core/request.ts'
import type { Finding } from './status-finding.ts'
import { examine } from './status-finding.ts'

export const status = tugCommand({
  name: 'status',
  summary: 'Check each configured service and show how to fix what is wrong',
  description:
    'Sends one cheap request to each service that has an address, and tries a WebSocket on the scheduler. Exits with 0 if all of them answer and accept the token, else with the code of the first problem; with 2 if none is configured.',
  effect: 'reads',
  params: {},
  examples: [
    { line: 'status', note: "before the first command, and if something doesn't work" },
    { line: 'status -o json', note: 'for a health check' },
  ],
  async run(_, context): Promise<Result> {
    const { openService } = context
    const findings = await Promise.all(serviceNames.map((service) => examine(service, openService(service), context)))
    for (const { service, problem, next } of findings) {
      if (problem === null) continue
      context.io.note(`${service}: ${problem}`)
      for (const hint of next) context.io.hint(withoutItself(hint))
    }
    const first = findings.find(({ code }) => code !== null)?.code
    const none = findings.every(({ address }) => address === null)
    if (none) {
      context.io.hint(`${context.commandLine(`login <${serviceNames.join('|')}>`)}   (asks for what is missing)`)
      context.io.hint('by variables: tug help environment')
      context.io.hint('just looking? tug dev -- tug status')
    }
    return {
      data: findings.map((finding) => ({
        ...finding,
        problem: finding.problem === null ? null : context.io.withoutSecrets(finding.problem),
        next: [...finding.next],
      })),
      view,
      exitCode: none ? exitCodes.usage : first ? exitCodes[first] : 0,
    }
  },
})

/** A hint that doesn't send people to where they are. */
function withoutItself(hint: string): string {
  return hint.replace(/ \(tug status\b[^)]*\)|[;:] tug status\b.* shows[^;,]*$/, '')
}

const view = list<Finding>(
  [
    { name: 'service', value: (row) => row.service, whole: true },
    {
      name: 'address',
      value: (row) => row.address,
      whole: true,
      show: (row) => row.address ?? { text: 'not configured', tone: 'dim' },
    },
    { name: 'dialect', value: (row) => row.dialect },
    {
      name: 'token',
      value: (row) => row.token,
      show: (row, { wide }) => {
        if (row.address === null) return ''
        const source = row.token
        if (source === null) return { text: 'none', tone: 'warn' }
        return wide ? source : source.replace(/ \(profile .*\)$/, '')
      },
    },
    {
      name: 'state',
      value: (row) => stateOf(row),
      whole: true,
      show: (row) => ({
        text: stateOf(row),
        tone: stateOf(row) === 'ok' ? 'good' : stateOf(row) === '' ? 'dim' : 'bad',
      }),
    },
    {
      name: 'latency',
      value: (row) => row.latency,
      align: 'right',
      show: (row) => (row.latency === null ? '' : `${row.latency}ms`),
    },
    { name: 'certificate', value: (row) => row.certificate, wide: true },
    { name: 'websocket', value: (row) => row.websocket, wide: true },
  ],
  (row) => row.service,
)

function stateOf(row: Finding): string {
  if (row.address === null) return ''
  if (row.reachable === false) return 'unreachable'
  return row.problem === null ? 'ok' : 'problem'
}
