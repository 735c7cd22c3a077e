/** The blocks of tasks. */

import type { JsonObject } from '../../core/json.ts'
import { withDefaults, withMembers } from './members.ts'
import { affinity, constraint, logs, resources, restart } from './resource-blocks.ts'
import { block, fixed, label, many, maybe, one, openMap, plain, required, textMap } from './schema.ts'
import type { Place } from './schema.ts'
import { identity, scalingMembers, service } from './service-blocks.ts'

const changeScript = block(
  {
    Args: maybe('args', 'texts'),
    Command: required('command', 'text'),
    FailOnError: required('fail_on_error', 'bool'),
    RunOnFirstRender: maybe('run_on_first_render', 'bool'),
    Timeout: maybe('timeout', 'duration'),
  },
  { finish: (object) => withDefaults(object, { Args: [], Timeout: 5_000_000_000 }) },
)

const template = block(
  {
    ChangeMode: maybe('change_mode', 'text'),
    ChangeScript: one('change_script', changeScript),
    ChangeSignal: maybe('change_signal', 'text'),
    DestPath: maybe('destination', 'text'),
    EmbeddedTmpl: maybe('data', 'text'),
    Envvars: maybe('env', 'bool'),
    ErrMissingKey: maybe('error_on_missing_key', 'bool'),
    Gid: maybe('gid', 'integer'),
    LeftDelim: maybe('left_delimiter', 'text'),
    Once: maybe('once', 'bool'),
    Perms: maybe('perms', 'text'),
    RightDelim: maybe('right_delimiter', 'text'),
    SourcePath: maybe('source', 'text'),
    Splay: maybe('splay', 'duration'),
    Uid: maybe('uid', 'integer'),
    VaultGrace: maybe('vault_grace', 'duration'),
    Wait: one('wait', block({ Max: required('max', 'duration'), Min: required('min', 'duration') })),
  },
  {
    finish: (object) =>
      withDefaults(object, { ChangeMode: 'restart', ErrMissingKey: false, Perms: '0644', Splay: 5_000_000_000 }),
  },
)

export const vault = block(
  {
    AllowTokenExpiration: maybe('allow_token_expiration', 'bool'),
    ChangeMode: maybe('change_mode', 'text'),
    ChangeSignal: maybe('change_signal', 'text'),
    Cluster: plain('cluster', 'text'),
    DisableFile: maybe('disable_file', 'bool'),
    Env: maybe('env', 'bool'),
    Namespace: maybe('namespace', 'text'),
    Policies: maybe('policies', 'texts'),
    Role: plain('role', 'text'),
  },
  { finish: (object) => withDefaults(object, { ChangeMode: 'restart', Env: true }) },
)

export const consul = block({
  Cluster: plain('cluster', 'text'),
  Namespace: plain('namespace', 'text'),
  Partition: plain('partition', 'text'),
})

const artifact = block({
  Chown: plain('chown', 'bool'),
  GetterHeaders: textMap('headers'),
  GetterInsecure: maybe('insecure', 'bool'),
  GetterMode: maybe('mode', 'text'),
  GetterOptions: textMap('options'),
  GetterSource: maybe('source', 'text'),
  RelativeDest: maybe('destination', 'text'),
})

const volumeMount = block({
  Destination: maybe('destination', 'text'),
  PropagationMode: maybe('propagation_mode', 'text'),
  ReadOnly: maybe('read_only', 'bool'),
  SELinuxLabel: maybe('selinux_label', 'text'),
  Volume: maybe('volume', 'text'),
})

const scheduleCron = block({
  End: plain('end', 'text'),
  Start: plain('start', 'text'),
  Timezone: plain('timezone', 'text'),
})

const secret = block({
  Config: openMap('config'),
  Env: textMap('env'),
  Name: label,
  Path: plain('path', 'text'),
  Provider: plain('provider', 'text'),
})

const csiPlugin = block({
  HealthTimeout: plain('health_timeout', 'duration'),
  ID: plain('id', 'text'),
  MountDir: plain('mount_dir', 'text'),
  StagePublishBaseDir: plain('stage_publish_base_dir', 'text'),
  Type: plain('type', 'text'),
})

const verticalScaling = block(scalingMembers, { finish: verticalPolicy })
const labelledScaling = { ...verticalScaling, labels: 1 }

export const task = block(
  {
    Actions: many('action', block({ Args: maybe('args', 'texts'), Command: required('command', 'text'), Name: label })),
    Affinities: many('affinity', affinity),
    Artifacts: many('artifact', artifact),
    CSIPluginConfig: one('csi_plugin', csiPlugin),
    Config: openMap('config'),
    Constraints: many('constraint', constraint),
    Consul: one('consul', consul),
    DispatchPayload: one('dispatch_payload', block({ File: plain('file', 'text') })),
    Driver: plain('driver', 'text'),
    Env: textMap('env', true),
    Identities: many('identity', identity),
    Identity: fixed(null),
    KillSignal: plain('kill_signal', 'text'),
    KillTimeout: maybe('kill_timeout', 'duration'),
    Kind: plain('kind', 'text'),
    Leader: plain('leader', 'bool'),
    Lifecycle: one('lifecycle', block({ Hook: required('hook', 'text'), Sidecar: plain('sidecar', 'bool') })),
    LogConfig: one('logs', logs),
    Meta: textMap('meta', true),
    Name: label,
    Resources: one('resources', resources),
    RestartPolicy: one('restart', restart),
    ScalingPolicies: many('scaling', labelledScaling),
    Schedule: one('schedule', block({ Cron: one('cron', scheduleCron) })),
    Secrets: many('secret', secret),
    Services: many('service', service),
    ShutdownDelay: plain('shutdown_delay', 'duration'),
    Templates: many('template', template),
    User: plain('user', 'text'),
    Vault: one('vault', vault),
    VolumeMounts: many('volume_mount', volumeMount),
  },
  { finish: finishTask },
)

/** The identity without a name is the default one; a driver plugin is left out unless there is one. */
function finishTask(object: JsonObject): JsonObject {
  const isDefault = (each: JsonObject): boolean => each.Name === '' || each.Name === 'default'
  const identities = (object.Identities ?? []) as JsonObject[]
  const named = identities.filter((each) => !isDefault(each))
  return withMembers(object, {
    Identity: identities.findLast(isDefault) ?? null,
    Identities: named.length > 0 ? named : null,
    ...(object.CSIPluginConfig === null && { CSIPluginConfig: undefined }),
  })
}

const verticalTypes: Readonly<Record<string, string>> = { cpu: 'vertical_cpu', mem: 'vertical_mem' }

function verticalPolicy(object: JsonObject, { labels, body, context }: Place): JsonObject {
  const [name] = labels
  const type = verticalTypes[name?.text.toLowerCase() ?? '']
  const range = name?.range ?? body.start
  if (type === undefined) {
    const detail = 'scaling policy name must be "cpu" or "mem"'
    context.diagnostics.push({ summary: 'Invalid scaling policy name', detail, range })
  } else if (object.Type !== '' && object.Type !== type) {
    const detail = `Invalid policy type, expected "${String(object.Type)}" but found "${type}"`
    context.diagnostics.push({ summary: 'Invalid scaling policy type', detail, range })
  }
  return withMembers(object, { Type: object.Type === '' ? (type ?? '') : (object.Type ?? '') })
}
