import { group } from '../../core/command.ts'
import { ca, config } from './config.ts'
import { cred } from './cred/cred.ts'
import { role } from './role.ts'
import { scope } from './scope.ts'

export const kmip = group('kmip', 'Manage the KMIP engine of Vault: scopes, roles, certificates', [
  config,
  ca,
  scope,
  role,
  cred,
])
