import { group } from '../../core/command.ts'
import { config } from './kv-config.ts'
import { copy, move } from './kv-copy.ts'
import { remove } from './kv-delete.ts'
import { destroy } from './kv-destroy.ts'
import { diff } from './kv-diff.ts'
import { edit } from './kv-edit.ts'
import { exec } from './kv-exec.ts'
import { exportCommand } from './kv-export.ts'
import { find } from './kv-find.ts'
import { get } from './kv-get.ts'
import { history } from './kv-history.ts'
import { importCommand } from './kv-import.ts'
import { list } from './kv-list.ts'
import { metadata } from './kv-metadata.ts'
import { patch } from './kv-patch.ts'
import { put } from './kv-put.ts'
import { rollback } from './kv-rollback.ts'
import { set } from './kv-set.ts'
import { subkeys } from './kv-subkeys.ts'
import { tree } from './kv-tree.ts'
import { undelete } from './kv-undelete.ts'

export const kv = group('kv', 'Read and write versioned secrets', [
  get,
  set,
  put,
  patch,
  edit,
  list,
  tree,
  find,
  subkeys,
  history,
  diff,
  rollback,
  remove,
  undelete,
  destroy,
  copy,
  move,
  exportCommand,
  importCommand,
  exec,
  metadata,
  config,
])
