import { Agent, createServer, request } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Random } from '../../support/random.ts'

/** A request that was received and not yet passed on. */
interface Message {
  readonly client: string
  readonly method: string
  readonly target: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
  /** Undefined for a copy whose first try was answered already. */
  readonly response: ServerResponse | undefined
}

interface Reply {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** What the network does to a message; each must leave no more than the doubt that its name describes. */
const faults = [
  'lost request',
  'lost answer',
  'cut answer',
  'late request',
  'repeated request',
  'gateway error before',
  'gateway error after',
  'rate limit',
] as const

/**
 * The network between several clients and one server. It waits until every client that runs has sent something, and then passes
 * on one message of its choice, so that a seed decides who wins each race and which messages are lost, late, cut or repeated.
 * Each client has an address of its own.
 */
export class FaultyNetwork {
  readonly story: string[] = []
  readonly #upstream: URL
  readonly #random: Random
  readonly #agent = new Agent({ keepAlive: true })
  readonly #server: Server
  readonly #running = new Set<string>()
  #waiting: Message[] = []
  #isBusy = false
  /** How many of a hundred messages meet a fault. */
  #faultRate = 0
  #drained = () => {}

  constructor(upstream: string, random: Random) {
    this.#upstream = new URL(upstream)
    this.#random = random
    this.#server = createServer((incoming, response) => void this.#receive(incoming, response))
  }

  async open(): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done))
  }

  async close(): Promise<void> {
    this.#agent.destroy()
    this.#server.closeAllConnections()
    await new Promise((done) => this.#server.close(done))
  }

  /** The address of a client. */
  addressOf(client: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${client}`
  }

  /** Runs the clients at once; resolves when all have ended and the late messages have arrived too. */
  async run(clients: ReadonlyMap<string, () => Promise<void>>, faultRate: number): Promise<void> {
    this.#faultRate = faultRate
    for (const client of clients.keys()) this.#running.add(client)
    await Promise.all(
      [...clients].map(async ([client, work]) => {
        await work()
        this.#running.delete(client)
        this.#next()
      }),
    )
    if (this.#isBusy || this.#waiting.length > 0) await new Promise<void>((done) => (this.#drained = done))
  }

  async #receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of incoming as AsyncIterable<Buffer>) pieces.push(piece)
    const { method = '', url = '', headers } = incoming
    const [, client = '', target = ''] = /^\/([^/]+)(\/.*)$/.exec(url) ?? []
    this.#waiting.push({ client, method, target, headers, body: Buffer.concat(pieces), response })
    this.#next()
  }

  /** Passes one message on, if all that run wait for an answer. */
  #next(): void {
    if (this.#isBusy) return
    const asking = new Set(this.#waiting.filter(({ response }) => response !== undefined).map(({ client }) => client))
    if ([...this.#running].some((client) => !asking.has(client))) return
    if (this.#waiting.length === 0) return this.#drained()
    // The order of arrival is the machine's; the choice must be the seed's.
    const sorted = this.#waiting.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
    const message = this.#random.pick(sorted)
    this.#waiting = this.#waiting.filter((one) => one !== message)
    this.#isBusy = true
    void this.#deliver(message).finally(() => {
      this.#isBusy = false
      this.#next()
    })
  }

  async #deliver(message: Message): Promise<void> {
    const { response } = message
    if (response === undefined) {
      await this.#forward(message, 'late')
      return
    }
    const fault = this.#random.below(100) < this.#faultRate ? this.#random.pick(faults) : undefined
    switch (fault) {
      case 'lost request':
        this.#log(message, fault)
        response.socket?.destroy()
        return
      case 'late request':
        this.#log(message, fault)
        this.#waiting.push({ ...message, response: undefined })
        response.socket?.destroy()
        return
      case 'lost answer':
        await this.#forward(message, fault)
        response.socket?.destroy()
        return
      case 'cut answer': {
        const { status, headers, body } = await this.#forward(message, fault)
        response.writeHead(status, { ...headers, 'content-length': String(body.length + 1) })
        response.write(body.subarray(0, this.#random.below(body.length + 1)), () => response.socket?.destroy())
        return
      }
      case 'gateway error before':
        this.#log(message, fault)
        response.writeHead(this.#random.pick([502, 503, 504])).end()
        return
      case 'gateway error after':
        await this.#forward(message, fault)
        response.writeHead(this.#random.pick([502, 503, 504])).end()
        return
      case 'rate limit':
        this.#log(message, fault)
        response.writeHead(429, { 'retry-after': '1' }).end()
        return
    }
    const { status, headers, body } = await this.#forward(message, fault)
    // A repeat of what was refused could be accepted later, which no client can know.
    if (fault === 'repeated request' && status < 300) this.#waiting.push({ ...message, response: undefined })
    response.writeHead(status, headers).end(body)
  }

  #forward(message: Message, note: string | undefined): Promise<Reply> {
    const { method, target, headers, body } = message
    return new Promise((resolve, reject) => {
      const { hostname, port, host } = this.#upstream
      const sent = request({
        agent: this.#agent,
        hostname,
        port,
        method,
        path: target,
        headers: { ...headers, host },
      })
      sent.on('error', reject)
      sent.on('response', (answer) => {
        const pieces: Buffer[] = []
        answer.on('data', (piece: Buffer) => pieces.push(piece))
        answer.on('error', reject)
        answer.on('end', () => {
          const reply = { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(pieces) }
          this.#log(message, note, reply)
          resolve(reply)
        })
      })
      sent.end(body)
    })
  }

  #log({ client, method, target, body }: Message, note: string | undefined, reply?: Reply): void {
    const came = reply === undefined ? 'not passed on' : `${reply.status} ${shortened(reply.body)}`
    const fault = note === undefined ? '' : `  (${note})`
    this.story.push(`${client.padEnd(4)} ${method} ${target} ${shortened(body)} → ${came}${fault}`)
  }
}

function keyOf({ client, method, target, body, response }: Message): string {
  return [client, method, target, body.toString(), response === undefined].join(' ')
}

function shortened(body: Buffer): string {
  return body.toString().trim().slice(0, 160)
}
