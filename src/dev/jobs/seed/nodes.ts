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

/** The demo cluster: two nodes in `dc1`, one (without docker) in `dc2`. */
export const demoNodes: readonly DemoNode[] = [
  {
    id: 'a1fa0000-0000-4000-8000-000000000001',
    name: 'alpha',
    datacenter: 'dc1',
    address: '127.0.0.1',
    cpu: 8000,
    memory: 16_384,
    disk: 100_000,
    drivers,
    attributes: { ...attributes, 'meta.rack': 'r1' },
  },
  {
    id: 'be7a0000-0000-4000-8000-000000000002',
    name: 'beta',
    datacenter: 'dc1',
    address: '127.0.0.1',
    cpu: 8000,
    memory: 16_384,
    disk: 100_000,
    drivers,
    attributes: { ...attributes, 'meta.rack': 'r2' },
  },
  {
    id: '9a3a0000-0000-4000-8000-000000000003',
    name: 'gamma',
    datacenter: 'dc2',
    address: '127.0.0.1',
    cpu: 4000,
    memory: 8192,
    disk: 50_000,
    drivers: drivers.filter((driver) => driver !== 'docker'),
    attributes: { ...attributes, 'meta.rack': 'r3' },
  },
]
