import { number, text } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { usageError } from '../../../core/errors.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { isObject, keysOf } from '../../../core/json.ts'
import { flag } from '../../../core/param.ts'
import { readData } from './arguments.ts'

export const literalFlag = flag.boolean(
  'take a file with the keys data and options, or data and metadata, as the secret itself',
)

/** A secret's data, and the version that it must replace, if one is named. */
interface Document {
  readonly data: JsonObject
  readonly cas: number | undefined
}

/**
 * The data of the arguments. A whole map that is a request of the API (`{"options", "data"}`) or what `kv get -o json` prints
 * (`{"data", "metadata"}`) means the data in it, which a note says, unless `literal`.
 */
export async function readDocument(
  context: Context,
  path: string,
  words: readonly string[],
  { literal, cas }: { literal: boolean | undefined; cas: number | undefined },
): Promise<Document> {
  const data = await readData(context, path, words)
  const isWhole = words.length === 1 && /^[@-]/.test(words[0] ?? '')
  const found = isWhole && literal !== true ? wrapped(data) : undefined
  if (found === undefined) return { data, cas }
  if (cas !== undefined && found.cas !== undefined && cas !== found.cas)
    throw usageError(`--cas ${cas} contradicts options.cas ${found.cas} of the data`, 'omit one of them')
  context.io.note(`using the data of ${found.kind}; --literal writes the whole document`)
  return { data: found.data, cas: cas ?? found.cas }
}

function wrapped(map: JsonObject): (Document & { readonly kind: string }) | undefined {
  const { data, options, metadata } = map
  if (!isObject(data) || keysOf(map).length !== 2) return undefined
  if (isOptions(options)) return { data, cas: number(options, 'cas'), kind: 'a request of the API' }
  const isAnswer = number(metadata, 'version') !== undefined && text(metadata, 'created_time') !== undefined
  return isAnswer ? { data, cas: undefined, kind: 'an answer of kv get' } : undefined
}

function isOptions(options: Json | undefined): boolean {
  return isObject(options) && keysOf(options).every((key) => key === 'cas' && Number.isSafeInteger(options[key]))
}
