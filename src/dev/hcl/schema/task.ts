/** The blocks of tasks. */

import type { JsonObject } from '../../../core/json.ts'
import { fail } from '../diagnostics.ts'
import {
  affinity,
  constraint,
  consul,
  identity,
  logs,
  resources,
  restart,
  scalingPolicy,
  typed,
  vault,
} from './common.ts'
import { withDefaults, withMembers } from './members.ts'
import { block, joined } from './schema.ts'
import type { Place } from './schema.ts'
import { service } from './service.ts'

const changeScript = block({
  'texts?': 'args',
  'text!': 'command',
  'bool!': 'fail_on_error',
  'bool?': 'run_on_first_render',
  'duration?': 'timeout',
  finish: (object) => withDefaults(object, { Args: [], Timeout: 5_000_000_000 }),
})

const template = block({
  'text?':
    'change_mode change_signal destination:DestPath data:EmbeddedTmpl left_delimiter:LeftDelim perms right_delimiter:RightDelim source:SourcePath',
  'bool?': 'env:Envvars error_on_missing_key:ErrMissingKey once',
  'integer?': 'gid uid',
  'duration?': 'splay vault_grace',
  one: { change_script: changeScript, wait: block({ 'duration!': 'max min' }) },
  defaults: {
    ChangeMode: 'restart',
    DestPath: '',
    EmbeddedTmpl: '',
    Envvars: false,
    ErrMissingKey: false,
    LeftDelim: '{{',
    Once: false,
    Perms: '0644',
    RightDelim: '}}',
    SourcePath: '',
    Splay: 5_000_000_000,
    VaultGrace: 0,
  },
  finish: (object) =>
    withDefaults(object, { ChangeMode: 'restart', ErrMissingKey: false, Perms: '0644', Splay: 5_000_000_000 }),
})

const artifact = block({
  bool: 'chown',
  'text block': 'headers:GetterHeaders options:GetterOptions',
  'bool?': 'insecure:GetterInsecure',
  'text?': 'mode:GetterMode source:GetterSource destination:RelativeDest',
  defaults: { GetterInsecure: false, GetterMode: 'any', GetterSource: '' },
})

const volumeMount = block({
  'text?': 'destination propagation_mode selinux_label:SELinuxLabel volume',
  'bool?': 'read_only',
  defaults: { PropagationMode: 'private', ReadOnly: false, SELinuxLabel: '' },
})

const csiPlugin = block({ duration: 'health_timeout', text: 'id:ID mount_dir stage_publish_base_dir type' })

const verticalTypes: Readonly<Record<string, string>> = { cpu: 'vertical_cpu', mem: 'vertical_mem' }

function verticalPolicy(object: JsonObject, place: Place): JsonObject {
  const [name] = place.labels
  const type = verticalTypes[name?.text.toLowerCase() ?? '']
  if (type !== undefined) return typed(object, type, place)
  return fail('Invalid scaling policy name', 'The name of the policy must be "cpu" or "mem".', name?.range)
}

const secret = block({ label: 'Name', 'any block': 'config', 'text block': 'env', text: 'path provider' })

export const task = block({
  label: 'Name',
  text: 'driver kill_signal kind user',
  'duration?': 'kill_timeout',
  duration: 'shutdown_delay',
  bool: 'leader',
  'any block': 'config',
  'text block': 'env= meta=',
  fixed: { Identity: null },
  defaults: { KillTimeout: 5_000_000_000 },
  one: {
    'csi_plugin:CSIPluginConfig': csiPlugin,
    consul,
    dispatch_payload: block({ text: 'file' }),
    lifecycle: block({ 'text!': 'hook', bool: 'sidecar' }),
    'logs:LogConfig': logs,
    resources,
    'restart:RestartPolicy': restart,
    schedule: block({ one: { cron: block({ text: 'end start timezone' }) } }),
    vault,
  },
  many: {
    'action:Actions': block({ label: 'Name', 'texts?': 'args', 'text!': 'command' }),
    'affinity:Affinities': affinity,
    'artifact:Artifacts': artifact,
    'constraint:Constraints': constraint,
    'identity:Identities': identity,
    'scaling:ScalingPolicies': { ...joined([scalingPolicy], { finish: verticalPolicy }), labels: 1 },
    'secret:Secrets': secret,
    'service:Services': service,
    'template:Templates': template,
    'volume_mount:VolumeMounts': volumeMount,
  },
  finish: finishTask,
})

/** The identity without a name is the default one; a driver plugin is omitted unless there is one. */
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
