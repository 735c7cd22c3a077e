#!/usr/bin/env node
'use strict'
const { argv } = process
if (argv.length === 3 && (argv[2] === '--version' || argv[2] === '-V')) {
  require('node:fs').writeSync(1, `${require('../package.json').version}\n`)
} else {
  require('../dist/tug.cjs').start(process)
}
