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
