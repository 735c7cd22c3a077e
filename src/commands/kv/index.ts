import { group } from '../../core/command.ts'
import { audit } from './audit/audit.ts'
import { backup } from './backup/backup.ts'
import { config } from './config/index.ts'
import { copy } from './bulk/copy.ts'
import { move } from './bulk/move.ts'
import { remove } from './delete.ts'
import { destroy } from './destroy.ts'
import { diff } from './diff/diff.ts'
import { edit } from './edit.ts'
import { exec } from './exec.ts'
import { exportCommand } from './bulk/export.ts'
import { find } from './find/find.ts'
import { get } from './get.ts'
import { history } from './history.ts'
import { importCommand } from './bulk/import.ts'
import { list } from './list.ts'
import { metadata } from './metadata/index.ts'
import { patch } from './patch.ts'
import { put } from './put.ts'
import { restore } from './restore/restore.ts'
import { rollback } from './rollback.ts'
import { set } from './set.ts'
import { subkeys } from './subkeys.ts'
import { tree } from './tree.ts'
import { undelete } from './undelete.ts'
import { users } from './users/users.ts'
import { verify } from './restore/verify.ts'

export const kv = group('kv', 'Read and write versioned secrets of Vault or OpenBao', [
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
  audit,
  users,
  backup,
  restore,
  verify,
  exec,
  metadata,
  config,
])
