import { expect, test } from 'vitest'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'

const hostile = 'a\u001b]0;owned\u0007\u009b31m\u007f\rb\u061c\u200e\u200f\u202a\u202e\u2066\u2069'

function service() {
  const row = { id: `ws-${hostile}`, type: 'visibility-workspace', attributes: { 'workspace-name': hostile } }
  return serve((_, response) => json(response, 200, JSON.stringify({ data: [row] })))
}

test.each(['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'tsv', 'md', 'box', 'name'])(
  "a server's control characters never reach a terminal: -o %s",
  async (format) => {
    const { env } = await service()
    const line = `explorer query workspaces --fields workspace_name --color never -o ${format}`
    const { exit, stdout } = await tug(line, { env, terminals: { stdout: 200, stderr: 200 } })
    expect(exit).toBe(0)
    expect(stdout.replaceAll('\n', '')).not.toMatch(/(?!\t)[\p{Cc}\p{Bidi_Control}]/u)
    expect(stdout).toMatch(/\\x1b|\\u001b/)
  },
)

test('JSON has the same value on a terminal and in a pipe; other formats are whole in a pipe', async () => {
  const { env } = await service()
  const line = 'explorer query workspaces --fields workspace_name'
  const [piped, shown] = [
    await tug(`${line} -o json`, { env }),
    await tug(`${line} -o json`, { env, terminals: { stdout: 200 } }),
  ]
  expect(JSON.parse(piped.stdout)).toEqual([{ id: `ws-${hostile}`, workspace_name: hostile }])
  expect(shown.stdout.replace(/\n\s*/g, '').replaceAll('": ', '":')).toBe(piped.stdout.trimEnd())
  expect((await tug(`${line} -o name`, { env })).stdout).toBe(`ws-${hostile}\n`)
})

test('an error as JSON has no control characters either', async () => {
  const { env } = await serve((_, response) => json(response, 422, JSON.stringify({ errors: [{ title: hostile }] })))
  const { stderr } = await tug('explorer query workspaces -o json', { env })
  expect(stderr.trimEnd()).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
  expect(JSON.parse(stderr)).toHaveProperty('error.message', `explorer query: ${hostile}`)
})

test('a trace is free of them too', async () => {
  const { env } = await serve((_, response) => json(response, 200, '{"data":[]}', { server: 'a\u009b31m' }))
  const { exit, stderr } = await tug('explorer query workspaces --trace', { env })
  expect(exit).toBe(0)
  expect(stderr).toContain(String.raw`server: a\x9b31m`)
})
