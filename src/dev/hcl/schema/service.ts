/** The blocks of services. */

import { block } from './schema.ts'

const checkRestart = block({ 'duration?': 'grace', bool: 'ignore_warnings', integer: 'limit' })

const check = block({
  text: 'address_mode advertise body command grpc_service:GRPCService initial_status method name notes on_update path port:PortLabel protocol tls_server_name:TLSServerName task:TaskName type',
  bool: 'expose grpc_use_tls:GRPCUseTLS tls_skip_verify:TLSSkipVerify',
  integer: 'failures_before_critical failures_before_warning success_before_passing',
  duration: 'interval timeout',
  'texts?': 'args',
  'texts block': 'header',
  one: { check_restart: checkRestart },
})

export const service = block({
  text: 'address address_mode cluster kind name on_update port:PortLabel provider task:TaskName',
  'text block': 'canary_meta meta tagged_addresses',
  'texts?': 'canary_tags tags',
  bool: 'enable_tag_override',
  defaults: { AddressMode: 'auto', Cluster: 'default', OnUpdate: 'require_healthy', Provider: 'consul' },
  fixed: { Connect: null, Identity: null },
  one: { check_restart: checkRestart, weights: block({ integer: 'passing warning' }) },
  many: { 'check:Checks': check },
})
