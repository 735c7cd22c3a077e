import { defineConfig } from 'vitest/config'

const all = 'test/**/*.test.ts'

/**
 * Files that share the modules that they load: to load them again for each file takes longer than most files. A test of theirs may
 * replace no module, and has to restore what it changes of Node.
 */
const sharing = 'test/{commands,api,dev}/**/*.test.ts'

export default defineConfig({
  test: {
    pool: 'threads',
    maxWorkers: 2,
    // What Node deprecates fails the test that uses it.
    execArgv: ['--throw-deprecation'],
    env: { NODE_EXTRA_CA_CERTS: '' },
    testTimeout: 30_000,
    projects: [
      { extends: true, test: { name: 'sharing', include: [sharing], isolate: false } },
      { extends: true, test: { name: 'isolated', include: [all], exclude: [sharing, '**/node_modules/**'] } },
    ],
  },
})
