import type { HttpResponse } from '../core/context.ts'
import type { ErrorFacts } from '../core/errors.ts'
import { TugError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { parseJson } from '../core/json.ts'
import type { Answer } from './transport.ts'

/** All pieces of a body in one. */
export async function readWhole(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces)
}

/** An answer with its body; `place` is what an error about the body names. */
export function wholeResponse({ status, headers }: Answer, body: Uint8Array, place: ErrorFacts): HttpResponse {
  const text = () => new TextDecoder().decode(body)
  return {
    status,
    headers,
    body,
    text,
    json(): Json {
      const content = text()
      if (content.trim() === '') return null
      try {
        return parseJson(content)
      } catch (error) {
        const type = headers['content-type'] ?? 'no content type'
        throw new TugError('failed', `the answer is not JSON (${type}): ${(error as Error).message}`, {
          ...place,
          status,
          hints: ['is the address right? a proxy or a login page may stand in front of the service'],
        })
      }
    },
  }
}
