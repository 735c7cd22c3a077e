import { defineConfig } from 'vitest/config'

// Lines of progress have local times.
process.env['TZ'] = 'UTC'

const all = 'test/**/*.test.ts'

/**
 * Files that share the modules that they load, because loading them for each file takes longer than most tests. Their tests may not
 * replace modules, and must restore what they change in Node.
 */
const sharing = ['test/{commands,api,dev}/**/*.test.ts', 'test/{http,output}/!(lookup|rename).test.ts']

export default defineConfig({
  test: {
    pool: 'threads',
    maxWorkers: 2,
    // What Node deprecates fails the test that uses it.
    execArgv: ['--throw-deprecation'],
    env: { NODE_EXTRA_CA_CERTS: '' },
    testTimeout: 30_000,
    projects: [
      { extends: true, test: { name: 'sharing', include: sharing, isolate: false } },
      { extends: true, test: { name: 'isolated', include: [all], exclude: [...sharing, '**/node_modules/**'] } },
    ],
  },
})
