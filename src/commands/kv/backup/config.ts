import * as api from '../../../api/kv.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import { explainEmpty } from '../version1.ts'
import type { EngineConfig } from './record.ts'

/** The engine's settings; null, with a warning, if the token may not read them. */
export async function readConfig(context: Context): Promise<EngineConfig | null> {
  try {
    const response = await context.http.send(api.readConfig({}, { allow: [404] }))
    if (response.status === 404) {
      await explainEmpty(context)
      throw response.failure()
    }
    const { data } = response.value
    return {
      max_versions: data.max_versions,
      cas_required: data.cas_required === true,
      delete_version_after: data.delete_version_after ?? '0s',
    }
  } catch (error) {
    if (!(error instanceof TugError) || error.code !== 'not_allowed') throw error
    context.io.warn("the engine's settings may not be read")
    return null
  }
}
