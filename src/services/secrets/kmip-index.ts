import { group } from '../../core/command.ts'

export const kmip = group('kmip', 'Manage the KMIP engine: scopes, roles and client certificates', [])
