import { group } from '../../../core/command.ts'
import { get } from './get.ts'
import { patch } from './patch.ts'
import { put } from './put.ts'
import { remove } from './delete.ts'

export const metadata = group('metadata', "A secret's settings and custom metadata", [get, put, patch, remove])
