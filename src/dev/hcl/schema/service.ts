/** The blocks of services: checks, and the mesh. */

import { identity, logs, resources } from './common.ts'
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

const transparentProxy = block({
  'texts?':
    'exclude_inbound_ports exclude_outbound_cidrs:ExcludeOutboundCIDRs exclude_outbound_ports exclude_uids:ExcludeUIDs',
  bool: 'no_dns:NoDNS',
  integer: 'outbound_port',
  text: 'uid:UID',
})

const exposedPath = block({ text: 'listener_port path protocol', integer: 'local_path_port' })

const proxy = block({
  'any block': 'config',
  text: 'local_service_address',
  integer: 'local_service_port',
  one: { expose: block({ many: { 'path:Paths': exposedPath } }), transparent_proxy: transparentProxy },
  many: { upstreams: upstream },
})

const sidecarTask = block({
  'any block': 'config',
  'text block': 'env meta',
  text: 'driver kill_signal name user',
  'duration?': 'kill_timeout shutdown_delay',
  one: { 'logs:LogConfig': logs, resources },
})

const sidecarService = block({
  bool: 'disable_default_tcp_check:DisableDefaultTCPCheck',
  'text block': 'meta',
  text: 'port',
  'texts?': 'tags',
  one: { proxy },
})

const tls = block({
  'texts?': 'cipher_suites',
  bool: 'enabled',
  text: 'tls_max_version:TLSMaxVersion tls_min_version:TLSMinVersion',
})

const listener = block({
  integer: 'port',
  text: 'protocol',
  many: { 'service:Services': block({ 'texts?': 'hosts', text: 'name' }) },
})

const gatewayProxy = block({
  'any block': 'config',
  'duration?': 'connect_timeout',
  text: 'envoy_dns_discovery_type:EnvoyDNSDiscoveryType',
  bool: 'envoy_gateway_bind_tagged_addresses envoy_gateway_no_default_bind',
  keyed: { envoy_gateway_bind_addresses: block({ label: 'Name', text: 'address', integer: 'port' }) },
})

const linked = block({ text: 'ca_file:CAFile cert_file key_file name sni:SNI' })

const gateway = block({
  one: {
    ingress: block({ many: { 'listener:Listeners': listener }, one: { 'tls:TLS': tls } }),
    mesh: block({}),
    proxy: gatewayProxy,
    terminating: block({ many: { 'service:Services': linked } }),
  },
})

const connect = block({
  bool: 'native',
  one: { gateway, sidecar_service: sidecarService, sidecar_task: sidecarTask },
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
