// Loaded ahead of what is measured: writes the most memory that it held, in bytes, and its cpu time in milliseconds when it ends, to file
// descriptor 3 or the file in TUG_BENCH_USAGE.
'use strict'
const { readFileSync, writeFileSync } = require('node:fs')

process.once('exit', () => {
  const { user, system } = process.cpuUsage()
  const usage = JSON.stringify({ peak: peakBytes(), cpu: (user + system) / 1000 })
  writeFileSync(process.env['TUG_BENCH_USAGE'] ?? 3, usage)
})

/** Linux counts a parent's memory into `maxRSS` of a child, so there the high-water mark of the process itself is read. */
function peakBytes() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024
}
