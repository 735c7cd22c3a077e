/** The blocks of services: checks, and the mesh. */

import { identity } from './common.ts'
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

const upstream = block({
  text: 'datacenter destination_name destination_namespace destination_partition destination_peer destination_type local_bind_address local_bind_socket_mode local_bind_socket_path',
  integer: 'local_bind_port',
  'any block': 'config',
  one: { mesh_gateway: block({ text: 'mode' }) },
})

const proxy = block({
  'any block': 'config',
  text: 'local_service_address',
  integer: 'local_service_port',
  many: { upstreams: upstream },
})

const sidecarService = block({
  bool: 'disable_default_tcp_check:DisableDefaultTCPCheck',
  'text block': 'meta',
  text: 'port',
  'texts?': 'tags',
  one: { proxy },
})

const connect = block({
  bool: 'native',
  one: { sidecar_service: sidecarService },
})

export const service = block({
  text: 'address address_mode cluster kind name on_update port:PortLabel provider task:TaskName',
  'text block': 'canary_meta meta tagged_addresses',
  'texts?': 'canary_tags tags',
  bool: 'enable_tag_override',
  defaults: { AddressMode: 'auto', Cluster: 'default', OnUpdate: 'require_healthy', Provider: 'consul' },
  one: { check_restart: checkRestart, connect, identity, weights: block({ integer: 'passing warning' }) },
  many: { 'check:Checks': check },
})
