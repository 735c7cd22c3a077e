import { defineConfig } from 'vitest/config'

/** Commands against real servers: docs/testing.md, Real servers. */
export default defineConfig({
  test: {
    include: ['test/live/*.live.ts'],
    // The lines of a file build on those before.
    sequence: { concurrent: false },
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
