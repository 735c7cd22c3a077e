import { expect, test } from 'vitest'
import { tableNames, referenceTables, replaceBetweenMarkers } from '../../src/cli/reference.ts'
import { settingFacts } from '../../src/config/profile-keys.ts'
import { smallProgram } from './small-program.ts'

const tables = referenceTables(smallProgram, settingFacts())

test('every table row has as many cells as the header', () => {
  for (const name of tableNames) {
    const rows = tables[name].trimEnd().split('\n')
    const widths = new Set(rows.map((row) => row.split(/(?<!\\)\|/).length))
    expect(rows.length).toBeGreaterThan(3)
    expect(widths.size).toBe(1)
  }
})

test('the tables match the program', () => {
  expect(tables['exit-codes']).toContain('| `0` | done; an empty list is done |')
  expect(tables.endpoints).toContain('| `GET` | `/v1/job/{job}` | namespace:read-job | yes | `tug job get` |')
  expect(tables.endpoints).toContain('| `tug kv get` |')
  expect(tables.settings).toContain('`TUG_EXPLORER_ADDR`, `TUG_SECRETS_ADDR`, `TUG_SCHEDULER_ADDR`')
  expect(tables.settings).toContain('`VAULT_ADDR`')
})

test('a table replaces the text between its markers, repeatedly', () => {
  const readme = 'before\n<!-- tug:endpoints -->\nold\n<!-- /tug:endpoints -->\nafter\n'
  const once = replaceBetweenMarkers(readme, 'endpoints', '| a |\n')
  expect(once).toBe('before\n<!-- tug:endpoints -->\n\n| a |\n\n<!-- /tug:endpoints -->\nafter\n')
  expect(replaceBetweenMarkers(once, 'endpoints', '| a |\n')).toBe(once)
})

test('a README without the markers is an error', () => {
  expect(() => replaceBetweenMarkers('text', 'settings', '')).toThrow('<!-- tug:settings -->')
})
