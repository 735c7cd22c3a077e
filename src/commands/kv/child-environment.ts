import type { Context } from '../../core/context.ts'
import { changedEnvironment } from '../../core/child-environment.ts'
import { flag } from '../../core/param.ts'

export const keepTokensFlag = flag.boolean('pass on the variables with tokens and headers')

/** Variables that tug reads tokens or other credentials from. */
const tokenVariable =
  /^(?:TUG_[A-Z]+|VAULT|BAO|NOMAD|TFE)_TOKEN$|^TF_TOKEN_|^(?:TUG_[A-Z]+|VAULT|BAO)_HEADERS$|^NOMAD_HTTP_AUTH$/

/** A child's environment: that of tug with `added`, and without its tokens unless they are to be kept. */
export function childEnvironment(
  { io }: Pick<Context, 'io'>,
  keepTokens: boolean | undefined,
  added: Readonly<Record<string, string>> = {},
): Record<string, string | undefined> {
  return changedEnvironment(io.env, io.platform, keepTokens === true ? { added } : { drop: tokenVariable, added })
}
