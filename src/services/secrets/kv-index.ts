import { group } from '../../core/command.ts'

export const kv = group('kv', 'Read and write versioned secrets', [])
