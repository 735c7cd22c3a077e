/** The blocks of tasks. */

import { affinity, constraint, logs, resources, restart, service, vault } from './common.ts'
import { allOf } from '../../jobs/state/documents.ts'
import { block, withDefaults } from './schema.ts'

const template = block({
  'text?':
    'change_mode change_signal destination:DestPath data:EmbeddedTmpl left_delimiter:LeftDelim perms right_delimiter:RightDelim source:SourcePath',
  'bool?': 'env:Envvars error_on_missing_key:ErrMissingKey once',
  'integer?': 'gid uid',
  'duration?': 'splay vault_grace',
  fixed: { ChangeScript: null, Wait: null },
  defaults: {
    ChangeMode: 'restart',
    ChangeSignal: '',
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
  defaults: { GetterInsecure: false, GetterMode: 'any', GetterSource: '', RelativeDest: 'local/' },
})

export const task = block({
  label: 'Name',
  text: 'driver kill_signal kind user',
  'duration?': 'kill_timeout',
  duration: 'shutdown_delay',
  bool: 'leader',
  'any block': 'config',
  'text block': 'env= meta=',
  fixed: allOf('Consul Identities Identity ScalingPolicies Schedule Secrets VolumeMounts', null),
  defaults: { KillTimeout: 5_000_000_000 },
  one: {
    dispatch_payload: block({ text: 'file' }),
    lifecycle: block({ 'text!': 'hook', bool: 'sidecar' }),
    'logs:LogConfig': logs,
    resources,
    'restart:RestartPolicy': restart,
    vault,
  },
  many: {
    'action:Actions': block({ label: 'Name', 'texts?': 'args', 'text!': 'command' }),
    'affinity:Affinities': affinity,
    'artifact:Artifacts': artifact,
    'constraint:Constraints': constraint,
    'service:Services': service,
    'template:Templates': template,
  },
})
