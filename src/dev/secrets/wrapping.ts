import { randomBytes } from 'node:crypto'
import type { DevClock, DevReply, DevRequest } from '../http.ts'
import type { EngineReply } from './reply.ts'
import { Refusal, secondsOf } from './fields.ts'
import { hasEnvelope, timeText, toReply } from './reply.ts'

/** Answers that were asked for in a wrapping: each is handed out once, to whoever has its token. */
export class Wrappings {
  private readonly clock: DevClock
  private readonly answers = new Map<string, { readonly answer: EngineReply; readonly until: number }>()

  constructor(clock: DevClock) {
    this.clock = clock
  }

  /** The answer, or a wrapping of it if the request asks for one and the answer has a body. Throws Refusal. */
  reply(request: DevRequest, answer: EngineReply, path: string): DevReply {
    const header = String(request.headers['x-vault-wrap-ttl'] ?? request.headers['x-secrets-wrap-ttl'] ?? '').trim()
    if (header === '') return toReply(answer)
    const ttl = secondsOf(header)
    if (ttl === undefined || ttl < 0) throw new Refusal(400, `error parsing the wrap TTL: invalid duration "${header}"`)
    if (ttl === 0 || !hasEnvelope(answer)) return toReply(answer)
    const now = this.clock.now()
    const token = `wrap-${randomBytes(18).toString('base64url')}`
    const accessor = randomBytes(18).toString('base64url')
    this.answers.set(token, { answer, until: now.getTime() + ttl * 1000 })
    const wrapInfo = { token, accessor, ttl, creation_time: timeText(now), creation_path: path }
    return toReply({ status: 200, data: null }, { request_id: '', wrap_info: wrapInfo })
  }

  /** The wrapped answer of a token, which is then used up. Throws Refusal. */
  unwrap(token: string): EngineReply {
    const wrapped = this.answers.get(token)
    this.answers.delete(token)
    if (wrapped === undefined || wrapped.until < this.clock.now().getTime()) {
      throw new Refusal(400, 'wrapping token is not valid or does not exist')
    }
    return wrapped.answer
  }
}
