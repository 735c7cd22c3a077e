import { group } from '../../../core/command.ts'
import { get } from './get.ts'
import { set } from './set.ts'

export const config = group('config', 'Settings of the whole engine', [get, set])
