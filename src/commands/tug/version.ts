import { record } from '../../core/command.ts'
import { tugCommand } from './context.ts'

interface Facts {
  readonly version: string
  readonly node: string
  readonly platform: string
}

const view = record<Facts>(
  [
    { name: 'version', value: (facts) => facts.version },
    { name: 'node', value: (facts) => facts.node },
    { name: 'platform', value: (facts) => facts.platform },
  ],
  (facts) => facts.version,
)

/** `tug version` and `--version` in a format for machines; text is printed without loading it. */
export const versionCommand = tugCommand({
  name: 'version',
  summary: 'Print the version',
  params: {},
  examples: [],
  run: (_, { host, version }) =>
    Promise.resolve({ data: { version, node: host.nodeVersion, platform: host.platform }, view }),
})
