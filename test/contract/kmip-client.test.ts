import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratchFolder } from '../support/folder.ts'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'
import { serveRaw } from './kmip-raw-server.ts'
import { outOfScope, read, refused } from './kmip-client-scope.ts'
import type { Reading } from './kmip-client-scope.ts'
import { mentions } from '../support/told.ts'

/**
 * Gives every recorded answer of the certificate engine to its command, and checks what the command sends, its exit status, its
 * result, and that the server's own words come out. Private keys are made here; the recordings hold none.
 */

interface Exchange {
  readonly name: string
  readonly request: { readonly method: string; readonly path: string; readonly body?: Record<string, string> }
  readonly response: { readonly status: number; readonly body?: Answer }
}

interface Answer {
  readonly data?: Record<string, unknown>
  readonly errors?: readonly string[]
  readonly warnings?: readonly string[]
}

const folder = new URL('recordings/kmip/', import.meta.url)
const recordings = new Map(readdirSync(folder).map((file) => [file, exchangesOf(file)]))
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-521' })
const key = privateKey.export({ type: 'sec1', format: 'pem' }).toString().trim()
const bare = privateKey.export({ type: 'sec1', format: 'der' }).toString('base64')
const secret = key.split('\n')[2] as string

describe.each([...recordings])('%s', (file, exchanges) => {
  it('is read, refused, or omitted for a reason', () => {
    const tables = [read, refused, outOfScope].flatMap((table) => Object.keys(table[file] ?? {}))
    expect(tables.toSorted()).toEqual(exchanges.map(({ name }) => name).toSorted())
  })

  it.each(Object.entries(read[file] ?? {}))('%s', async (name, reading) => {
    const exchange = exchangeOf(file, name)
    const isRaw = reading.line.startsWith('kmip ca')
    const { exit, stdout, stderr, request, answer } = await replay(exchange, reading, isRaw ? '' : '-o json')
    expect(request).toEqual({
      method: exchange.request.method,
      path: exchange.request.path,
      body: reading.body ?? withFormat(exchange.request.body),
    })
    expect(exit).toBe(reading.exit)
    const result = exit === 0 ? resultOf(exchange, answer, isRaw) : ''
    if (exit === 0 && request.method === 'POST' && result === '') {
      const { certificate: _, ...body } = (request.body ?? {}) as Record<string, unknown>
      expect(JSON.parse(stdout)).toMatchObject(body)
    } else if (exit === 0 && request.method === 'POST')
      expect(JSON.parse(stdout)).toMatchObject(JSON.parse(result) as object)
    else expect(stdout).toBe(reading.done === undefined ? result : `${reading.done}\n`)
    for (const words of serverWords(answer)) expect(isRaw ? stderr : unescaped(stderr)).toContain(words)
    if (reading.words !== undefined) expect(stderr).toMatch(mentions(reading.words))
    expect(stderr).not.toContain(secret)
  })

  it.each(Object.entries(refused[file] ?? {}))('%s: refused before it is sent', async (name, line) => {
    const { env, seen } = await serve((_, response) => json(response, 200, '{}'))
    const { exit, stdout } = await tug(line, { env, stdin: exchangeOf(file, name).request.body?.['certificate'] ?? '' })
    expect({ exit, stdout, requests: seen.length }).toEqual({ exit: 2, stdout: '', requests: 0 })
  })
})

describe('recorded certificates are stored', () => {
  const filed = Object.entries(read['05_credential.json'] ?? {}).filter(
    ([, { line, exit }]) => exit === 0 && /generate|sign|lookup/.test(line),
  )

  it.each(filed)('%s', async (name, reading) => {
    const cwd = scratchFolder()
    const { exit, stdout, stderr, answer } = await replay(
      exchangeOf('05_credential.json', name),
      reading,
      '--out-dir out',
      cwd,
    )
    expect(exit).toBe(0)
    expect(stdout).toContain(String(answer.data?.['serial_number']))
    expect(stdout + stderr).not.toContain(secret)
    const contents = readdirSync(join(cwd, 'out')).map((file) => readFileSync(join(cwd, 'out', file)))
    const extension = reading.line.endsWith('--format der') ? 'der' : 'pem'
    const isBundle = reading.line.includes('generate') && reading.line.includes('pem_bundle')
    const names = isBundle
      ? ['ca-chain', 'client']
      : reading.line.includes('generate')
        ? ['ca-chain', 'certificate', 'private-key']
        : ['ca-chain', 'certificate']
    expect(readdirSync(join(cwd, 'out'))).toEqual(names.map((file) => `${file}.${extension}`))
    expect(BigInt(`0x${new X509Certificate(contents[1] as Buffer).serialNumber}`).toString()).toBe(
      answer.data?.['serial_number'],
    )
    expect(contents[0]?.equals(contents[1] as Buffer)).toBe(false)
    if (isBundle) expect(contents[1]?.toString()).toContain(key)
    if (names.length === 3) {
      expect(contents[2]?.toString(extension === 'der' ? 'base64' : 'utf8')).toBe(
        extension === 'der' ? bare : `${key}\n`,
      )
    }
    expect(Buffer.concat(contents.slice(0, isBundle ? 1 : 2)).includes('PRIVATE KEY')).toBe(false)
  })
})

/** Gives the recorded answer to the command, with a fresh key in place of the one that was removed. */
async function replay({ request, response }: Exchange, reading: Reading, more: string, cwd = '/nonexistent') {
  const fresh = request.body?.['format'] === 'der' ? bare : key
  const text = JSON.stringify(response.body ?? null).replaceAll('(removed)', JSON.stringify(fresh).slice(1, -1))
  const isWrite = request.method === 'POST' || request.method === 'DELETE'
  const { origin, seen } = await serveRaw(response.status, text, isWrite)
  const TUG_LIST_METHOD = request.method === 'LIST' ? 'list' : 'get'
  const env = { TUG_SECRETS_ADDR: origin, TUG_SECRETS_TOKEN: 'recorded-token', TUG_LIST_METHOD }
  const stdin = reading.stdin === undefined ? '' : (request.body?.[reading.stdin] ?? '')
  const outcome = await tug(`${reading.line} ${more}`, { env, cwd, stdin })
  const [sent = { method: '', path: '', body: '' }] = seen
  const body = sent.body === '' ? undefined : (JSON.parse(sent.body) as unknown)
  return { ...outcome, answer: (JSON.parse(text) ?? {}) as Answer, request: { ...sent, body } }
}

/** The format is always sent; a PEM text ends with a newline. */
function withFormat(recorded: Record<string, string> | undefined): unknown {
  if (recorded === undefined) return undefined
  const certificate = recorded['certificate']
  return {
    ...recorded,
    ...('csr' in recorded ? { format: 'pem' } : {}),
    ...(certificate === undefined ? {} : { certificate: `${certificate.trim()}\n` }),
  }
}

/** The expected stdout: the unchanged data, names as an array, PEM as text, nothing for a write. */
function resultOf({ request, response }: Exchange, { data }: Answer, isRaw: boolean): string {
  if (isRaw) return `${String(data?.['ca_pem'])}\n`
  if (request.method === 'LIST' || request.path.includes('list=true'))
    return `${JSON.stringify(data?.['keys'] ?? [])}\n`
  return response.status === 204 ? '' : `${JSON.stringify(data)}\n`
}

function serverWords({ errors = [], warnings }: Answer): string[] {
  return [...errors, ...(warnings ?? [])]
    .flatMap((text) => text.split('\n'))
    .map((line) => line.replace(/^\s*\*\s*/, '').trim())
    .filter((line) => line !== '' && !/^\d+ errors? occurred:$/.test(line))
}

/** Errors as JSON have escaped quotes. */
function unescaped(text: string): string {
  return text.replaceAll(String.raw`\"`, '"')
}

function exchangesOf(file: string): Exchange[] {
  const [, ...exchanges] = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Exchange[]
  return exchanges
}

function exchangeOf(file: string, name: string): Exchange {
  const exchange = recordings.get(file)?.find((candidate) => candidate.name === name)
  if (exchange === undefined) throw new Error(`${file} has no "${name}"`)
  return exchange
}
