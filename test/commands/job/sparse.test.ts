import { expect, test } from 'vitest'
import type { Json } from '../../../src/core/json.ts'
import { json, serve } from '../../support/serve.ts'
import { tug } from '../../support/run.ts'

/** What a server leaves out is empty in every column. */

const failed = { ID: 'a', ClientStatus: 'failed', TaskStates: { t: {} } }
const group = { Name: 'g', Tasks: [{ Name: 't' }] }

test.each<[line: string, answer: Json, wide: string, csv: string]>([
  ['job list', [{ ID: 'a' }], 'a 0 0 0 0 0 0 0', 'a,,,,,,0,0,0,0,,,,,,,,,0,0,,0'],
  ['job allocs web', [{ ID: 'a' }], 'a 0', 'a,,,,,,0,,,,,,,,,,,,,,,,,,,,,,,'],
  ['job allocs web', [failed], 'a failed 0 t', 'a,,,failed,,,0,,,,,,,,,,,,,,,,,,,,,,,t'],
  ['job evals web', [{ ID: 'a' }], 'a', 'a,,,,,,,,,,,,,,,,,,,,,'],
  ['job deployments web', [{ ID: 'a' }], 'a', 'a,,,,,,,,,,,,'],
  ['job deployments web', [{ ID: 'a', TaskGroups: { g: {} } }], 'a g 0/0 healthy g placed 0', ''],
  ['job versions web', { Versions: [{ ID: 'a' }] }, '', ',false,,,,,'],
  ['job summary web', { JobID: 'a', Summary: { g: {} } }, 'g', 'g,,,,,,,,,,,,'],
  ['job scale-status web', { JobID: 'a', TaskGroups: { g: {} } }, 'g no', 'g,,,,,,,,false,,,'],
  ['job scale-status web', { JobID: 'a', TaskGroups: { g: { Events: [{}, {}] } } }, 'g no', 'g,,,,,,,,false,,,'],
  ['job services web', [{ ID: 'a', Address: 'h', Port: 80 }], 'h:80 a', ',h:80,,,,,a,,'],
  ['job actions web', [{ Name: 'a', Command: 'c' }], 'a c', 'a,,,c'],
  ['job deployment web', { ID: 'a' }, '', 'a,,,,,,,,,,,,,'],
  ['job submission web --version 1', { Source: '' }, '', ',,,,,,,'],
  ['job get web', { ID: 'a' }, '', `a${','.repeat(56)}`],
  ['job get web', { ID: 'a', TaskGroups: [group] }, '', `a${','.repeat(13)}g: t ()${','.repeat(43)}`],
])('%s: %j', async (line, answer, wide, csv) => {
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify(answer)))
  const shown = async (format: string) => (await tug(`${line} -o ${format} --no-headers`, { env })).stdout.trim()
  if (wide !== '') expect((await shown('wide')).replaceAll(/\s+/g, ' ')).toBe(wide)
  if (csv !== '') expect(await shown('csv')).toBe(csv)
})
