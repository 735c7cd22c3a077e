import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

const listMethod = 'LIST '

/**
 * A connection on which requests with the method LIST arrive as GET: Node's HTTP parser refuses LIST, and the official
 * clients of the secrets store send it. Clients wait for each response before the next request, so whatever arrives after
 * {@link expectRequest} starts a request.
 */
export class Connection extends Duplex {
  /** Whether the request that is being answered was a LIST. */
  isList = false
  private readonly socket: Socket
  private atStart = true
  private start: Buffer = Buffer.alloc(0)

  constructor(socket: Socket) {
    super()
    this.socket = socket
    socket.on('data', (piece: Buffer) => {
      const translated = this.translate(piece)
      if (translated.length > 0 && !this.push(translated)) socket.pause()
    })
    socket.on('end', () => this.push(null))
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.destroy())
  }

  /** The response has been sent: what follows is another request. */
  expectRequest(): void {
    this.atStart = true
  }

  private translate(piece: Buffer): Buffer {
    if (!this.atStart) return piece
    this.start = Buffer.concat([this.start, piece])
    const head = this.start.toString('latin1', 0, listMethod.length)
    if (head.length < listMethod.length && listMethod.startsWith(head)) return Buffer.alloc(0)
    this.isList = head === listMethod
    const request = this.isList ? Buffer.concat([Buffer.from('GET '), this.start.subarray(head.length)]) : this.start
    this.start = Buffer.alloc(0)
    this.atStart = false
    return request
  }

  override _read(): void {
    this.socket.resume()
  }

  override _write(piece: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.socket.write(piece, done)
  }

  override _final(done: () => void): void {
    this.socket.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.socket.destroy()
    done(error)
  }
}
