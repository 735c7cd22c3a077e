import type { Context } from '../../../core/context.ts'
import { usageError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { entriesOf, objectFrom } from '../../../core/json.ts'
import { flag, readInteger } from '../../../core/param.ts'
import { registerSecrets } from './values.ts'

/** A value to generate: its key and its number of characters. */
export interface Generated {
  readonly key: string
  readonly length: number
}

const usualLength = 32
const longest = 4096

/** The flags of commands that can generate values. */
export const generateFlags = {
  generate: flag.each(`set this key to a random value (default: ${usualLength} characters)`, readGenerated, {
    placeholder: 'key[=length]',
  }),
  symbols: flag.boolean('generated values contain symbols too', { needs: ['generate'] }),
}

function readGenerated(text: string): Generated {
  const equals = text.lastIndexOf('=')
  const key = equals === -1 ? text : text.slice(0, equals)
  if (key === '') throw new RangeError(`'${text}' has no key; use key or key=length`)
  return { key, length: equals === -1 ? usualLength : readInteger(text.slice(equals + 1), 1, longest) }
}

const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const symbolsToo = `${lettersAndDigits}!#$%&()*+,-./:;<=>?@[]^_{|}~`

/** The data with the generated values added; they are registered as secrets and never printed. Throws for a key given twice. */
export async function withGenerated(
  context: Context,
  path: string,
  data: JsonObject,
  { generate, symbols }: { generate: readonly Generated[]; symbols: boolean | undefined },
): Promise<JsonObject> {
  const entries = new Map(entriesOf(data))
  const alphabet = symbols === true ? symbolsToo : lettersAndDigits
  for (const { key, length } of generate) {
    if (entries.has(key)) throw usageError(`the key '${key}' is repeated`)
    const { randomInt } = await import('node:crypto')
    const value = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
    registerSecrets(context.io, value, path, { name: key })
    entries.set(key, value)
  }
  return objectFrom(entries)
}
