import { group } from '../../core/command.ts'
import { ca, config } from './kmip-config.ts'
import { cred } from './kmip-cred.ts'
import { role } from './kmip-role.ts'
import { scope } from './kmip-scope.ts'

export const kmip = group('kmip', 'Manage the KMIP engine: scopes, roles and client certificates', [
  config,
  ca,
  scope,
  role,
  cred,
])
