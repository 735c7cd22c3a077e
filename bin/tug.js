#!/usr/bin/env node
'use strict'
const { argv } = process
const start = () => require('../dist/load.cjs').start(`${__dirname}/../dist`, process)
if (argv.length === 3 && (argv[2] === '--version' || argv[2] === '-V')) {
  try {
    require('node:fs').writeSync(1, `${require('../package.json').version}\n`)
  } catch {
    // A closed pipe or a full disk is put into words, and a status, by the whole program.
    start()
  }
} else {
  start()
}
