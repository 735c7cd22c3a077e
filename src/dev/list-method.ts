import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** What Node's HTTP parser, which refuses the method LIST, reads in its place: a method of the same length that no service has. */
const substitute = 'LINK'

/** The method that the client sent. */
export function methodOf({ method = 'GET' }: IncomingMessage): string {
  return method === substitute ? 'LIST' : method
}

/** The connection for `http.Server` to read: each request with the method LIST has the substitute. */
export function acceptList(socket: Socket): Duplex {
  const rewrite = methodRewriter()
  const stream = new Duplex({
    read: () => void socket.resume(),
    write: (piece: Buffer, _encoding, done) => void socket.write(piece, done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy()
      done(error)
    },
  })
  socket.on('data', (piece) => {
    const bytes = rewrite(piece)
    if (bytes.length > 0 && !stream.push(bytes)) socket.pause()
  })
  socket.on('end', () => stream.push(null))
  socket.on('error', (error) => stream.destroy(error))
  socket.on('close', () => stream.destroy())
  return stream
}

/** Replaces the method LIST in the bytes of a connection, wherever a request starts. They may come in any pieces. */
export function methodRewriter(): (piece: Buffer) => Buffer {
  let reading: 'request line' | 'headers' | 'chunk size' | 'trailers' | 'upgraded' = 'request line'
  let line = ''
  let headers = ''
  /** Bytes of the body before the next line. */
  let skip = 0
  let held = Buffer.alloc(0)

  function endLine(): void {
    const isBlank = line.trim() === ''
    if (reading === 'request line' && !isBlank) {
      reading = 'headers'
      headers = '\n'
    } else if (reading === 'headers' && !isBlank) {
      headers += line.toLowerCase()
    } else if (reading === 'headers') {
      const isUpgrade = /\nconnection:[^\n]*upgrade/.test(headers) && headers.includes('\nupgrade:')
      const isChunked = /\ntransfer-encoding:[^\n]*chunked/.test(headers)
      reading = isUpgrade ? 'upgraded' : isChunked ? 'chunk size' : 'request line'
      if (!isChunked) skip = Number(/\ncontent-length:\s*(\d+)/.exec(headers)?.[1] ?? 0)
    } else if (reading === 'chunk size') {
      const size = Number.parseInt(line, 16)
      if (size > 0) skip = size + 2
      else reading = 'trailers'
    } else if (reading === 'trailers' && isBlank) {
      reading = 'request line'
    }
    line = ''
  }

  return (piece) => {
    const bytes = Buffer.concat([held, piece])
    held = Buffer.alloc(0)
    let at = 0
    while (at < bytes.length && reading !== 'upgraded') {
      if (skip > 0) {
        const skipped = Math.min(skip, bytes.length - at)
        skip -= skipped
        at += skipped
        continue
      }
      if (reading === 'request line' && line === '') {
        const start = bytes.toString('latin1', at, at + 5)
        if (start.length < 5 && 'LIST '.startsWith(start)) {
          held = bytes.subarray(at)
          return bytes.subarray(0, at)
        }
        if (start === 'LIST ') bytes.write(substitute, at, 'latin1')
      }
      const newline = bytes.indexOf('\n', at)
      const end = newline < 0 ? bytes.length : newline + 1
      line += bytes.toString('latin1', at, end)
      at = end
      if (newline >= 0) endLine()
    }
    return bytes
  }
}
