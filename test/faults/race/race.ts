import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DevServer } from '../../../src/dev/server.ts'
import { Random } from '../../support/random.ts'
import type { Outcome } from '../../support/run.ts'
import { tug } from '../../support/run.ts'
import { FaultyNetwork } from './network.ts'
import type { Claim, Claims, Write, Writer } from './writers.ts'
import { claimsOf, contested, makeWriter } from './writers.ts'

/** How a race ended. */
export interface Race {
  readonly seed: number
  /** What each command reported of each of its writes. */
  readonly claims: readonly Claim[]
  /** What is wrong; undefined if nothing is. */
  readonly fault: string | undefined
  /** What happened, line by line. */
  readonly story: readonly string[]
}

/** Where the local server is, and how many of a hundred messages meet a fault. */
export interface RaceOptions {
  readonly server: DevServer
  readonly faultRate?: number
}

type Data = Readonly<Record<string, string>>

/** Lets a few commands write to the same secrets at once over a faulty network, and compares what they report with what is there. */
export async function race(seed: number, { server, faultRate = 25 }: RaceOptions): Promise<Race> {
  const random = new Random(seed)
  const folder = `race-${seed}`
  const scratch = mkdtempSync(join(tmpdir(), 'tug-race-'))
  const store = storeOf(server)
  const network = new FaultyNetwork(server.origin, random)
  await network.open()
  try {
    const names = Array.from({ length: 2 + random.below(5) }, (_, index) => `w${index + 1}`)
    const writers = names.map((name) => {
      mkdirSync(join(scratch, name))
      return makeWriter(name, folder, join(scratch, name), random)
    })
    if (random.chance(0.8)) await store.write(`${folder}/c/a`, { writer: 'nobody', base: '1' })
    for (const { name } of writers)
      for (const path of contested) await store.write(`${folder}/s/${name}/${path}`, { writer: name, [name]: '1' })
    const outcomes = new Map<Writer, Outcome>()
    const works = writers.map(
      (writer) => [writer.name, async () => void outcomes.set(writer, await run(writer))] as const,
    )
    const run = ({ name, line, env }: Writer) =>
      tug(line, {
        cwd: scratch,
        env: {
          PATH: process.env['PATH'],
          TUG_SECRETS_ADDR: network.addressOf(name),
          TUG_SECRETS_TOKEN: server.credentials.secrets.token,
          ...env,
        },
      })
    await network.run(new Map(works), faultRate)
    const histories = new Map<string, readonly Data[]>()
    const paths = writers.flatMap(({ writes }) => writes.flatMap(({ target, source }) => [target, source ?? target]))
    for (const path of new Set(paths)) histories.set(path, await store.history(path))
    const faults: string[] = []
    const claims: Claim[] = []
    for (const [writer, outcome] of outcomes) {
      const claimed = claimsOf(writer, outcome)
      claims.push(...[...claimed.values()].map(({ written }) => written))
      const found = [
        ...[...claimed].flatMap(([write, claim]) => faultsOfWrite(writer, write, claim, histories)),
        ...(/internal error/.test(outcome.stderr) ? ['a bug'] : []),
        ...(writer.env['EDITOR'] === undefined ? [] : faultsOfEdit(join(scratch, writer.name), outcome)),
      ]
      faults.push(...found.map((fault) => `${writer.name}: ${fault}`))
    }
    faults.push(...[...histories].flatMap(([path, history]) => faultsOfHistory(path, history, writers)))
    const reports = writers.map((writer) => {
      const { exit, stderr } = outcomes.get(writer) as Outcome
      return `${writer.name}: tug ${writer.line}: exit ${exit}\n${stderr.trimEnd()}`
    })
    const kept = [...histories].map(([path, history]) => `${path}: ${JSON.stringify(history)}`)
    return { seed, claims, fault: faults[0], story: [...network.story, ...reports, ...kept, ...faults] }
  } finally {
    await network.close()
    rmSync(scratch, { recursive: true, force: true })
  }
}

function versionsBy(name: string, history: readonly Data[]): number {
  return history.filter(({ writer }) => writer === name).length
}

/**
 * What is reported as done is there, what is reported as refused is not, nothing that is guarded is there twice, and what is moved
 * is somewhere.
 */
function faultsOfWrite(
  { name, isGuarded, moves }: Writer,
  { target, source = '' }: Write,
  { written, removed }: Claims,
  histories: ReadonlyMap<string, readonly Data[]>,
): string[] {
  const count = versionsBy(name, histories.get(target) ?? [])
  const isSourceThere = histories.get(source)?.length !== 0
  const rules: readonly (readonly [isBroken: boolean, fault: string])[] = [
    [written === 'done' && count === 0, `${target} was reported as written and is not there`],
    [written === 'refused' && count > 0, `${target} was reported as not written and is there`],
    [isGuarded && count > 1, `${target} was written ${count} times`],
    [!isSourceThere && (count === 0 || !moves), `${source} is lost`],
    [moves && removed === 'done' && isSourceThere, `${source} was reported as removed and is there`],
    [moves && removed === 'refused' && !isSourceThere, `${source} was reported as not removed and is not there`],
  ]
  return rules.filter(([isBroken]) => isBroken).map(([, fault]) => fault)
}

/** A change keeps what others wrote before; a replacement is as it was sent. */
function faultsOfHistory(path: string, history: readonly Data[], writers: readonly Writer[]): string[] {
  return history.flatMap((data, index) => {
    const author = writers.find(({ name }) => name === data['writer'])
    if (author === undefined) return []
    const before = author.merges ? (history[index - 1] ?? {}) : {}
    const expected = { ...before, writer: author.name, [author.name]: '1' }
    return sorted(expected) === sorted(data)
      ? []
      : [`version ${index + 1} of ${path} is ${sorted(data)}, not ${sorted(expected)}`]
  })
}

function sorted(data: Data): string {
  return JSON.stringify(Object.entries(data).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** A text that was not written is kept; all others leave the disk. */
function faultsOfEdit(scratch: string, { exit, stderr }: Outcome): string[] {
  const kept = readdirSync(scratch, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'))
  const named = /your text is in (\S+)/.exec(stderr)?.[1]
  if (exit === 0 && kept.length > 0) return ['the edited text is still on the disk']
  if (named === undefined ? kept.length > 0 : !named.endsWith(kept[0] ?? 'none'))
    return [`the message says ${named ?? 'nothing'} of ${kept.join(' ')}`]
  return []
}

interface Store {
  write(path: string, data: Data): Promise<void>
  /** The data of every version, the first one first; empty if there is no such secret. */
  history(path: string): Promise<readonly Data[]>
}

/** The server without the network. */
function storeOf({ origin, credentials }: DevServer): Store {
  const headers = { 'x-secrets-token': credentials.secrets.token, 'content-type': 'application/json' }
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${origin}/v1/secret/${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok && answer.status !== 404) throw new Error(`${method} ${path}: ${answer.status}`)
    return answer.status === 200 ? ((await answer.json()) as { data: Record<string, unknown> }).data : {}
  }
  return {
    write: async (path, data) => void (await send('POST', `data/${path}`, { data })),
    async history(path) {
      const { versions = {} } = (await send('GET', `metadata/${path}`)) as { versions?: object }
      const numbers = Object.keys(versions).map(Number)
      return Promise.all(
        numbers.map(async (number) => (await send('GET', `data/${path}?version=${number}`))['data'] as Data),
      )
    },
  }
}
