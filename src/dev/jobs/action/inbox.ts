import type { RawData, WebSocket } from 'ws'

/** Frames in order of arrival, kept until they are wanted. */
export class Inbox {
  readonly #waiting: string[] = []
  #deliver: ((text: string) => void) | undefined

  constructor(webSocket: WebSocket) {
    webSocket.on('message', (data: RawData) => {
      const text = textOf(data)
      if (this.#deliver === undefined) this.#waiting.push(text)
      else this.#deliver(text)
    })
  }

  /** The next frame, however long it takes. */
  next(): Promise<string> {
    return new Promise((resolve) => {
      this.deliver((text) => {
        this.#deliver = undefined
        resolve(text)
      })
    })
  }

  /** The first frame, without taking it; undefined if none comes within so many milliseconds. */
  peek(patience: number): Promise<string | undefined> {
    if (this.#waiting.length > 0) return Promise.resolve(this.#waiting[0])
    return new Promise((resolve) => {
      const finish = (text?: string) => {
        clearTimeout(timer)
        this.#deliver = undefined
        if (text !== undefined) this.#waiting.push(text)
        resolve(text)
      }
      const timer = setTimeout(finish, patience)
      this.#deliver = finish
    })
  }

  /** Hands over the frames that wait and all later ones. */
  deliver(to: (text: string) => void): void {
    this.#deliver = to
    while (this.#deliver === to && this.#waiting.length > 0) to(this.#waiting.shift() ?? '')
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString()
  return (data instanceof ArrayBuffer ? Buffer.from(data) : data).toString()
}
