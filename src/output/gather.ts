type Write = (text: string | Uint8Array) => Promise<void>

/** Characters that may be gathered or being written before the next rows are read. */
const mostGathered = 8192

/** Makes one write of what is written in one turn of the event loop: many reads find their rows one by one. */
export function gatherTurns(write: Write): { readonly write: Write; flush(): Promise<void> } {
  let text = ''
  /** Characters that are gathered or being written. */
  let unwritten = 0
  let isDue = false
  let written = Promise.resolve()
  const flush = () => {
    const due = text
    text = ''
    if (due !== '')
      written = written.then(async () => {
        await write(due)
        unwritten -= due.length
      })
    return written
  }
  return {
    flush,
    async write(more) {
      text += more as string
      unwritten += more.length
      if (unwritten >= mostGathered) return flush()
      if (isDue) return undefined
      isDue = true
      setImmediate(() => {
        isDue = false
        // The next write fails at once.
        flush().catch(() => (unwritten = Infinity))
      })
      return undefined
    },
  }
}
