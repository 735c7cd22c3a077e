import { group } from '../../../core/command.ts'
import { generate } from './generate.ts'
import { credList } from './list.ts'
import { lookup } from './lookup.ts'
import { renew } from './renew.ts'
import { revoke } from './revoke.ts'
import { sign } from './sign.ts'

export const cred = group('cred', 'Client certificates: issue, renew, look up, list, revoke', [
  generate,
  sign,
  lookup,
  credList,
  renew,
  revoke,
])
