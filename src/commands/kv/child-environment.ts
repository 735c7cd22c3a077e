import type { Context } from '../../core/context.ts'
import { flag } from '../../core/param.ts'

export const keepTokensFlag = flag.boolean('pass on the variables with tokens')

const tokenVariable = /^(?:TUG_[A-Z]+|VAULT|BAO|NOMAD|TFE)_TOKEN$|^TF_TOKEN_/

/** A child's environment: ours, without its tokens unless they are to be kept. */
export function childEnvironment({ io }: Context, keepTokens: boolean | undefined): Record<string, string | undefined> {
  if (keepTokens === true) return { ...io.env }
  return Object.fromEntries(Object.entries(io.env).filter(([name]) => !tokenVariable.test(name)))
}
