import * as jobs from '../../api/jobs.ts'
import type { Service } from '../../api/job-shapes.ts'
import { list } from '../../core/command.ts'
import { query } from '../../core/param.ts'
import { countColumn, idColumn, idOf, newestFirst, plainColumn } from './cells.ts'
import { jobArgument } from './jobs.ts'
import { read } from '../../read/read.ts'

export const services = read({
  name: 'services',
  summary: "List the addresses of a job's services",
  endpoint: jobs.services,
  params: {
    job: jobArgument,
    consistent: query.boolean('have the leader confirm that it still leads before it responds', {
      excludes: ['stale'],
    }),
  },
  view: list<Service>(
    [
      plainColumn('service', 'ServiceName', { whole: true }),
      {
        name: 'address',
        value: ({ Address, Port }) => `${Address ?? ''}:${Port ?? ''}`,
        whole: true,
      },
      plainColumn('tags', 'Tags'),
      plainColumn('datacenter', 'Datacenter'),
      idColumn('alloc', 'AllocID'),
      idColumn('node', 'NodeID', { wide: true }),
      plainColumn('id', 'ID', { whole: true, wide: true }),
      countColumn('create_index', 'CreateIndex', { wide: true }),
      countColumn('modify_index', 'ModifyIndex', { wide: true }),
    ],
    idOf,
    {
      empty: "no services (only the scheduler's own service discovery is shown)",
      order: (one, other) => {
        const [left, right] = [one.ServiceName ?? '', other.ServiceName ?? '']
        return left === right ? newestFirst(other, one) : left < right ? -1 : 1
      },
    },
  ),
  examples: [
    { line: 'job services web', note: 'address and port of every instance' },
    { line: 'job services web --query "[].{address: Address, port: Port}" -o csv', note: 'for a load balancer' },
  ],
})
