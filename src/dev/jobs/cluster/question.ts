import type { DevRequest } from '../../http.ts'
import type { Service } from '../api/write.ts'

/** What a read beyond the jobs endpoints is asked for: `name` is the last variable part of its path. */
export interface Question extends Service {
  readonly request: DevRequest
  readonly name: string
}
