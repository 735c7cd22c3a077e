/** The blocks of services: checks, identities, and the mesh. */

import { block, fixed, keyed, label, many, maybe, one, openMap, plain, textMap, textsMap } from './schema.ts'
import { logs, resources } from './resource-blocks.ts'

export const identity = block({
  Audience: maybe('aud', 'texts'),
  ChangeMode: plain('change_mode', 'text'),
  ChangeSignal: plain('change_signal', 'text'),
  Env: plain('env', 'bool'),
  ExtraClaims: maybe('extra_claims', 'texts'),
  File: plain('file', 'bool'),
  Filepath: plain('filepath', 'text'),
  Name: plain('name', 'text'),
  ServiceName: plain('service_name', 'text'),
  TTL: plain('ttl', 'duration'),
})

const checkRestart = block({
  Grace: maybe('grace', 'duration'),
  IgnoreWarnings: plain('ignore_warnings', 'bool'),
  Limit: plain('limit', 'integer'),
})

const check = block({
  AddressMode: plain('address_mode', 'text'),
  Advertise: plain('advertise', 'text'),
  Args: maybe('args', 'texts'),
  Body: plain('body', 'text'),
  CheckRestart: one('check_restart', checkRestart),
  Command: plain('command', 'text'),
  Expose: plain('expose', 'bool'),
  FailuresBeforeCritical: plain('failures_before_critical', 'integer'),
  FailuresBeforeWarning: plain('failures_before_warning', 'integer'),
  GRPCService: plain('grpc_service', 'text'),
  GRPCUseTLS: plain('grpc_use_tls', 'bool'),
  Header: textsMap('header'),
  InitialStatus: plain('initial_status', 'text'),
  Interval: plain('interval', 'duration'),
  Method: plain('method', 'text'),
  Name: plain('name', 'text'),
  Notes: plain('notes', 'text'),
  OnUpdate: plain('on_update', 'text'),
  Path: plain('path', 'text'),
  PortLabel: plain('port', 'text'),
  Protocol: plain('protocol', 'text'),
  SuccessBeforePassing: plain('success_before_passing', 'integer'),
  TLSServerName: plain('tls_server_name', 'text'),
  TLSSkipVerify: plain('tls_skip_verify', 'bool'),
  TaskName: plain('task', 'text'),
  Timeout: plain('timeout', 'duration'),
  Type: plain('type', 'text'),
})

const upstream = block({
  Config: openMap('config'),
  Datacenter: plain('datacenter', 'text'),
  DestinationName: plain('destination_name', 'text'),
  DestinationNamespace: plain('destination_namespace', 'text'),
  DestinationPartition: plain('destination_partition', 'text'),
  DestinationPeer: plain('destination_peer', 'text'),
  DestinationType: plain('destination_type', 'text'),
  LocalBindAddress: plain('local_bind_address', 'text'),
  LocalBindPort: plain('local_bind_port', 'integer'),
  LocalBindSocketMode: plain('local_bind_socket_mode', 'text'),
  LocalBindSocketPath: plain('local_bind_socket_path', 'text'),
  MeshGateway: one('mesh_gateway', block({ Mode: plain('mode', 'text') })),
})

const exposedPath = block({
  ListenerPort: plain('listener_port', 'text'),
  LocalPathPort: plain('local_path_port', 'integer'),
  Path: plain('path', 'text'),
  Protocol: plain('protocol', 'text'),
})

const proxy = block({
  Config: openMap('config'),
  Expose: one('expose', block({ Paths: many('path', exposedPath) })),
  LocalServiceAddress: plain('local_service_address', 'text'),
  LocalServicePort: plain('local_service_port', 'integer'),
  TransparentProxy: one(
    'transparent_proxy',
    block({
      ExcludeInboundPorts: maybe('exclude_inbound_ports', 'texts'),
      ExcludeOutboundCIDRs: maybe('exclude_outbound_cidrs', 'texts'),
      ExcludeOutboundPorts: maybe('exclude_outbound_ports', 'texts'),
      ExcludeUIDs: maybe('exclude_uids', 'texts'),
      NoDNS: plain('no_dns', 'bool'),
      OutboundPort: plain('outbound_port', 'integer'),
      UID: plain('uid', 'text'),
    }),
  ),
  Upstreams: many('upstreams', upstream),
})

const sidecarTask = block({
  Config: openMap('config'),
  Driver: plain('driver', 'text'),
  Env: textMap('env'),
  KillSignal: plain('kill_signal', 'text'),
  KillTimeout: maybe('kill_timeout', 'duration'),
  LogConfig: one('logs', logs),
  Meta: textMap('meta'),
  Name: plain('name', 'text'),
  Resources: one('resources', resources),
  ShutdownDelay: maybe('shutdown_delay', 'duration'),
  User: plain('user', 'text'),
})

const tls = block({
  CipherSuites: maybe('cipher_suites', 'texts'),
  Enabled: plain('enabled', 'bool'),
  TLSMaxVersion: plain('tls_max_version', 'text'),
  TLSMinVersion: plain('tls_min_version', 'text'),
})

const listener = block({
  Port: plain('port', 'integer'),
  Protocol: plain('protocol', 'text'),
  Services: many('service', block({ Hosts: maybe('hosts', 'texts'), Name: plain('name', 'text') })),
})

const linked = block({
  CAFile: plain('ca_file', 'text'),
  CertFile: plain('cert_file', 'text'),
  KeyFile: plain('key_file', 'text'),
  Name: plain('name', 'text'),
  SNI: plain('sni', 'text'),
})

const gatewayProxy = block({
  Config: openMap('config'),
  ConnectTimeout: maybe('connect_timeout', 'duration'),
  EnvoyDNSDiscoveryType: plain('envoy_dns_discovery_type', 'text'),
  EnvoyGatewayBindAddresses: keyed(
    'envoy_gateway_bind_addresses',
    block({ Address: plain('address', 'text'), Name: label, Port: plain('port', 'integer') }),
  ),
  EnvoyGatewayBindTaggedAddresses: plain('envoy_gateway_bind_tagged_addresses', 'bool'),
  EnvoyGatewayNoDefaultBind: plain('envoy_gateway_no_default_bind', 'bool'),
})

const gateway = block({
  Ingress: one('ingress', block({ Listeners: many('listener', listener), TLS: one('tls', tls) })),
  Mesh: one('mesh', block({})),
  Proxy: one('proxy', gatewayProxy),
  Terminating: one('terminating', block({ Services: many('service', linked) })),
})

const sidecarService = block({
  DisableDefaultTCPCheck: plain('disable_default_tcp_check', 'bool'),
  Meta: textMap('meta'),
  Port: plain('port', 'text'),
  Proxy: one('proxy', proxy),
  Tags: maybe('tags', 'texts'),
})

const connect = block({
  Gateway: one('gateway', gateway),
  Native: plain('native', 'bool'),
  SidecarService: one('sidecar_service', sidecarService),
  SidecarTask: one('sidecar_task', sidecarTask),
})

export const service = block({
  Address: plain('address', 'text'),
  AddressMode: plain('address_mode', 'text'),
  CanaryMeta: textMap('canary_meta'),
  CanaryTags: maybe('canary_tags', 'texts'),
  CheckRestart: one('check_restart', checkRestart),
  Checks: many('check', check),
  Cluster: plain('cluster', 'text'),
  Connect: one('connect', connect),
  EnableTagOverride: plain('enable_tag_override', 'bool'),
  Identity: one('identity', identity),
  Kind: plain('kind', 'text'),
  Meta: textMap('meta'),
  Name: plain('name', 'text'),
  OnUpdate: plain('on_update', 'text'),
  PortLabel: plain('port', 'text'),
  Provider: plain('provider', 'text'),
  TaggedAddresses: textMap('tagged_addresses'),
  Tags: maybe('tags', 'texts'),
  TaskName: plain('task', 'text'),
  Weights: one('weights', block({ Passing: plain('passing', 'integer'), Warning: plain('warning', 'integer') })),
})

/** A scaling policy; its index, target and namespace are the server's. */
export const scalingMembers = {
  CreateIndex: fixed(0),
  Enabled: maybe('enabled', 'bool'),
  ID: fixed(''),
  Max: maybe('max', 'integer'),
  Min: maybe('min', 'integer'),
  ModifyIndex: fixed(0),
  Namespace: fixed(''),
  Policy: openMap('policy'),
  Target: fixed(null),
  Type: plain('type', 'text'),
} as const
