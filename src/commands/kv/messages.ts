import { TugError } from '../../core/errors.ts'

/** A path that is not to be replaced; `error` is the server's own conflict. */
export const alreadyExists = (
  path: string,
  hint: string,
  error = new TugError('conflict', '', { service: 'secrets' }),
) => error.with({ message: `${path} already exists`, hints: [hint] })

export const passForce = 'pass --force to write a new version of it'
