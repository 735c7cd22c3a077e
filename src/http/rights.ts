import { TugError } from '../core/errors.ts'
import type { RefusalOf, Send } from '../core/http.ts'
import type { HttpRequest } from '../core/request.ts'
import { bindSettings } from '../core/request.ts'
import type { RightsQuestion } from '../core/service.ts'
import { failureOf } from './failure.ts'
import type { Here } from './here.ts'

/** What the token may do on one server. */
export interface Rights {
  /** See `rights` of the HTTP client. */
  ask(writes: readonly HttpRequest[]): Promise<RefusalOf | undefined>
}

export function createRights({ service, route, memory }: Here, send: Send, question: RightsQuestion): Rights {
  // A failure here prevents nothing: the response only informs.
  const tryTo = async <T>(call: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof TugError) || error.code === 'interrupted') throw error
      return undefined
    }
  }
  const full = (request: HttpRequest) => bindSettings(request, route)
  let shown: Promise<boolean> | undefined
  const isProduct = (write: HttpRequest) => {
    if (memory.dialect !== 'auto') return memory.dialect === 'hashicorp'
    return (shown ??= tryTo(() => send(question.shownBy(write))).then((answer) => answer !== undefined))
  }
  const refusalOf = (request: HttpRequest) =>
    failureOf(service, { request, status: 403, headers: {}, body: question.refusal, dialect: memory.dialect }).with({
      isAsked: true,
    })
  return {
    async ask(asked) {
      const writes = asked.map(full)
      const [first] = writes
      if (first === undefined || !(await isProduct(first))) return undefined
      const answer = await tryTo(async () => (await send(question.ask(writes))).json())
      if (answer === undefined) return undefined
      if (writes.some((request) => question.isRefused(request, answer) === undefined)) return undefined
      return (write) => {
        const request = full(write)
        return question.isRefused(request, answer) === true ? refusalOf(request) : undefined
      }
    },
  }
}
