// Loaded ahead of what is measured: writes the most memory that it held, in bytes, to file descriptor 3 when it ends.
'use strict'
const { readFileSync, writeSync } = require('node:fs')

process.once('exit', () => writeSync(3, String(peakBytes())))

/** Linux counts a parent's memory into `maxRSS` of a child, so there the high-water mark of the process itself is read. */
function peakBytes() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024
}
