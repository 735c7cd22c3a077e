import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'threads',
    maxWorkers: 2,
    env: { NODE_EXTRA_CA_CERTS: '' },
    testTimeout: 30_000,
  },
})
