import { describe, expect, it } from 'vitest'
import { views } from '../../../src/dev/explorer/fields.ts'
import { caller, explorerPath, query, rowsOf } from './calls.ts'

const call = caller()
const csvPath = `${explorerPath}/export/csv`

/** Cells of CSV in which every value is quoted. */
function cellsOf(text: string): string[][] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .slice(1, -1)
        .split('","')
        .map((cell) => cell.replaceAll('""', '"')),
    )
}

describe('the export', () => {
  it('is the whole result under a bare header, every value quoted', async () => {
    const { status, headers, text } = await call('GET', query({ type: 'workspaces', 'page[size]': '5' }, csvPath))
    const [header = '', ...lines] = text.split('\n')
    const shown = views.workspaces.fields.filter(({ presence }) => presence === 'always')
    expect(status).toBe(200)
    expect(headers).toMatchObject({ 'content-type': 'text/csv', 'x-ratelimit-limit': '30' })
    expect(header).toBe(shown.map(({ name }) => name).join(','))
    expect(lines.pop()).toBe('')
    expect(lines).toHaveLength(291)
    expect(lines.every((line) => /^"(?:[^"]|"")*"(?:,"(?:[^"]|"")*"){24}$/.test(line))).toBe(true)
  })

  it('holds what the rows hold: nothing for null, times without a fraction', async () => {
    const rows = await rowsOf(call, { type: 'workspaces' })
    const { text } = await call('GET', query({ type: 'workspaces' }, csvPath))
    const expected = rows.map((row) =>
      Object.entries(row).map(([key, value]) =>
        key.endsWith('-at') && value !== null ? value.replace(/\.\d{3}/, '') : String(value ?? ''),
      ),
    )
    expect(cellsOf(text.slice(text.indexOf('\n') + 1))).toEqual(expected)
    expect(text).toContain('"Research, ""Moonshot"""')
    expect(text).toContain('東京リージョン')
  })

  it.each([
    ['neutral', 'resources_drifted,workspace_name'],
    ['hashicorp', 'workspace_name,resources_drifted'],
  ] as const)('%s: the columns that were asked for are %s', async (dialect, header) => {
    const parameters = { type: 'workspaces', fields: 'workspace_name,resources_drifted' }
    const { text } = await call('GET', query(parameters, csvPath), { dialect })
    expect(text.split('\n')[0]).toBe(header)
  })
})
