/** A filter that cannot be read or applied. `answer` is the text of the server's 400. */
export class FilterError extends Error {
  readonly answer: string

  /** `stage` is what the server was doing: preparing the pages, or reading jobs into one. */
  constructor(message: string, stage = 'failed to read result page') {
    super(message)
    this.answer = `${stage}: ${message}`
  }
}
