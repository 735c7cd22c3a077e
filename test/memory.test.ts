import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { program, root } from './support/process.ts'
import { json, serve } from './support/serve.ts'

/** The most memory that a command holds, in MiB, beside answers of tens of megabytes. */
async function peakOf(words: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const child = spawn(process.execPath, ['--require', join(root, 'bench/usage.cjs'), program, ...words], {
    env: { PATH: process.env['PATH'], TUG_CONFIG_DIR: '/nonexistent', ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  let usage = ''
  child.stdio[3]?.on('data', (piece: Buffer) => (usage += piece.toString()))
  const status = await new Promise<number | null>((done) => child.on('close', done))
  expect(status).toBe(0)
  return (JSON.parse(usage) as { peak: number }).peak / 2 ** 20
}

test('the state of 10,000 jobs', async () => {
  const counts = { Running: 3, Queued: 0, Starting: 0, Failed: 0, Lost: 0, Complete: 0 }
  const jobs = Array.from({ length: 10_000 }, (_, index) => ({
    ID: `service-${index}`,
    Name: `service-${index}`,
    Namespace: 'default',
    Type: 'service',
    Status: 'running',
    Datacenters: ['dc1', 'dc2'],
    JobSummary: { JobID: `service-${index}`, Namespace: 'default', Summary: { app: counts, proxy: counts } },
    SubmitTime: index,
  }))
  const list = JSON.stringify(jobs)
  const { env, seen } = await serve((_, response) => json(response, 200, list))
  const peak = await peakOf(['job', 'status', '-n', '*'], env)
  expect(peak).toBeLessThan(200)
  expect(seen).toHaveLength(1)
})

test('who uses a provider in 100,000 workspaces', async () => {
  const pages = 1000
  const names = (from: number, count: number) => Array.from({ length: count }, (_, n) => `team-workspace-${from + n}`)
  const page = (number: number, total: number, data: unknown) =>
    JSON.stringify({ data, meta: { pagination: { 'current-page': number, 'total-pages': total } } })
  const { env, seen } = await serve(({ url }, response) => {
    const number = Number(/page%5Bnumber%5D=(\d+)/.exec(url)?.[1] ?? 1)
    if (url.includes('type=workspaces')) {
      const rows = names(number * 100, 100).map((name) => ({
        id: `ws-${name}`,
        attributes: { 'workspace-name': name, 'project-name': 'Payments', drifted: false },
      }))
      return json(response, 200, page(number, pages, rows))
    }
    const provider = (version: string, workspaces: string[]) => ({
      id: version,
      attributes: { name: 'aws', source: 'hashicorp/aws', version, workspaces: workspaces.join(', ') },
    })
    json(response, 200, page(1, 1, [provider('5.9.0', names(100, 50_000)), provider('6.1.0', names(50_100, 50_000))]))
  })
  const peak = await peakOf(['explorer', 'usage', 'providers', 'aws', '--below', '6', '-o', 'csv'], env)
  expect(peak).toBeLessThan(256)
  expect(seen).toHaveLength(pages + 1)
})
