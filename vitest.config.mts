import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'threads',
    maxWorkers: 2,
    // What Node deprecates fails the test that uses it.
    execArgv: ['--throw-deprecation'],
    env: { NODE_EXTRA_CA_CERTS: '' },
    testTimeout: 30_000,
  },
})
