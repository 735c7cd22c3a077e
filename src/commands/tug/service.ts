import { argument } from '../../core/param.ts'
import type { ServiceName } from '../../core/request.ts'
import { serviceNames } from '../../core/request.ts'

/** What people may type for a service: the names of products. */
const products: Readonly<Record<string, ServiceName>> = {
  vault: 'secrets',
  bao: 'secrets',
  openbao: 'secrets',
  kv: 'secrets',
  kmip: 'secrets',
  nomad: 'scheduler',
  job: 'scheduler',
  jobs: 'scheduler',
  terraform: 'explorer',
  tfe: 'explorer',
  hcp: 'explorer',
}

/** An argument that names a service. */
export const serviceArgument = argument.choice('the service', serviceNames, { required: true, meant: products })

/** The same where it may be omitted. */
export const optionalService = argument.choice('the service; all of them by default', serviceNames, { meant: products })
