/** What is wrong with a filter, in the server's words; `answer` is the whole text of its 400. contract b.1. */
export class FilterError extends Error {
  readonly answer: string

  /** `stage` is what the server was doing: making the pages, or reading jobs into one. */
  constructor(message: string, stage = 'failed to read result page') {
    super(message)
    this.answer = `${stage}: ${message}`
  }
}
