import { TugError } from '../core/errors.ts'
import type { Memory, RefusalOf, Send } from '../core/http.ts'
import type { HttpRequest } from '../core/request.ts'
import type { RightsQuestion, Service } from '../core/service.ts'
import { failureOf } from './failure.ts'

/** What the token may do on one server. */
export interface Rights {
  /** See `rights` of the HTTP client. */
  ask(writes: readonly HttpRequest[]): Promise<RefusalOf | undefined>
}

export function createRights(
  service: Service,
  { send, memory }: { readonly send: Send; readonly memory: Memory },
  question: RightsQuestion,
): Rights {
  // A failure here prevents nothing: the response only informs.
  const tryTo = async <T>(call: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof TugError) || error.code === 'interrupted') throw error
      return undefined
    }
  }
  let shown: Promise<boolean> | undefined
  const isProduct = (write: HttpRequest) => {
    if (memory.dialect !== 'auto') return memory.dialect === 'hashicorp'
    return (shown ??= tryTo(() => send(question.shownBy(write))).then((answer) => answer !== undefined))
  }
  const refusalOf = (request: HttpRequest) =>
    failureOf(service, { request, status: 403, headers: {}, body: question.refusal, dialect: memory.dialect })
  return {
    async ask(writes) {
      const [first] = writes
      if (first === undefined || !(await isProduct(first))) return undefined
      const answer = await tryTo(async () => (await send(question.ask(writes))).json())
      if (answer === undefined) return undefined
      if (writes.some((request) => question.isRefused(request, answer) === undefined)) return undefined
      return (request) => (question.isRefused(request, answer) === true ? refusalOf(request) : undefined)
    },
  }
}
