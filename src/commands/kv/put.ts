import * as api from '../../api/kv.ts'
import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { keysOf } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import type { Decision, Shown, Work } from '../../write/work.ts'
import { onlyTarget, unseen } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { dataArguments, dataDescription, literalFlag, readDocument } from './data/arguments.ts'
import { generateFlags, withGenerated } from './data/generate.ts'
import { secretPath } from './data/paths.ts'
import { changeWords, keyChanges, mapOf, same } from './data/values.ts'
import { refuseMisplaced, refuseVersion1 } from './mount/index.ts'
import { checkVersion, findSubkeys, guardedWrite, keyColumns, keyFacts, readPresent } from './secret/index.ts'

export const put = write({
  name: 'put',
  summary: 'Write a secret, replacing its whole value',
  description: `The data becomes the whole value: other keys are not in the new version. Every run writes a new version. On a terminal it reads the names of the present keys first, and asks before any would vanish; in scripts it is one write. kv set and kv patch change single keys and keep the others.

${dataDescription}`,
  repeats: 'each run writes a new version',
  endpoint: api.writeData,
  also: [api.readSubkeys, api.readData, api.list, api.readMount],
  params: {
    path: secretPath,
    data: dataArguments,
    ...generateFlags,
    cas: flag.integer("write only if this is the current version (0: only if the secret doesn't exist)", { min: 0 }),
    literal: literalFlag,
    noVerify: flag.boolean('send only the request itself, without reading which keys would vanish'),
  },
  examples: [
    { line: 'kv put app/queue password user=app', note: 'asks for the password without showing it' },
    { line: 'kv put app/queue user=app --generate password=40', note: 'with a random password' },
    { line: 'kv put app/queue @queue.json --cas 0', note: 'a whole map from a file, only if the secret is new' },
    { line: 'kv put app/tls key=@tls.key port:=8443', note: 'the text of a file and a number' },
  ],
  async open({ path, data: words, generate, symbols, cas: typed, literal, noVerify, plan }, context): Promise<Work> {
    if (words.length === 0 && generate.length === 0)
      throw usageError(
        'nothing to write',
        'give key=value, @file.json, --generate <key> or - to read JSON from standard input (key=- for one value)',
      )
    const { data: given, cas } = await readDocument(context, path, words, { literal, cas: typed })
    const data = await withGenerated(context, path, given, { generate, symbols })
    await refuseMisplaced(context, path)
    const asks = context.io.asks && context.io.interactive && noVerify !== true && cas !== 0
    const writing: Writing = { path, data, cas, generated: generate.map(({ key }) => key) }
    return {
      action: 'put',
      target: 'path',
      noun: 'secret',
      columns: keyColumns,
      ...onlyTarget(path, {
        async decide(): Promise<Decision> {
          if (noVerify === true) return decideUnseen(writing)
          if (plan === true) return decidePlanned(context, writing)
          if (asks) return decideAsking(context, writing)
          await refuseVersion1(context, `data/${path}`)
          return decideUnseen(writing)
        },
        ...(asks ? { ask: (shown: readonly Shown[]) => lossQuestion(context, path, shown), keeps: true } : {}),
      }),
    }
  },
})

interface Writing {
  readonly path: string
  readonly data: JsonObject
  readonly cas: number | undefined
  readonly generated: readonly string[]
}

/** The one write of a script. */
function decideUnseen(writing: Writing): Decision {
  const names = keysOf(writing.data)
  return { action: 'write', words: `write ${names.join(', ') || 'no key'}`, ...applying(writing, []) }
}

/** What a plan can read: the value that would be replaced. */
async function decidePlanned(context: Context, writing: Writing): Promise<Decision> {
  const { path, data, cas, generated } = writing
  const present = await readPresent(context, path)
  if (present.state === 'unreadable' || present.state === 'missing') await refuseVersion1(context, `data/${path}`)
  if (present.state === 'unreadable') return { ...decideUnseen(writing), ...unseen }
  checkVersion(context, path, present.state === 'missing' ? undefined : present.version, cas)
  const before = present.state === 'live' ? present.data : null
  const keys = keyChanges(mapOf(before), data)
  const isEqual = present.state === 'live' && same(before, data)
  return {
    action: present.state === 'live' ? 'write' : 'create',
    words: changeWords(keys, generated).join('   ') || 'no key',
    facts: { ...keyFacts(keys), ...(isEqual ? { equal: true } : {}) },
    ...applying(writing, []),
  }
}

/** The names of the keys that a person would lose, or nothing if they may not be read. */
async function decideAsking(context: Context, writing: Writing): Promise<Decision> {
  const { path, data, cas } = writing
  const found = await findSubkeys(context, path, { version: undefined, depth: 1 }).catch((error: unknown) => {
    if (error instanceof TugError && [400, 403, 405, 501].includes(error.facts.status ?? 0)) return undefined
    throw error
  })
  const decision = decideUnseen(writing)
  if (found?.state !== 'live') {
    await refuseVersion1(context, `data/${path}`)
    return decision
  }
  const lost = keysOf(mapOf(found.subkeys)).filter((key) => !Object.hasOwn(data, key))
  // What was shown is what is replaced.
  const guarded = { ...writing, cas: cas ?? found.metadata.version }
  return { ...decision, facts: { keys_removed: lost }, ...applying(guarded, lost) }
}

function applying({ path, data, cas }: Writing, lost: readonly string[]) {
  const changes = lost.length === 0 ? [] : [`removed: ${lost.join(', ')}`]
  return guardedWrite(path, data, cas, { from: undefined, changes: () => changes })
}

function lossQuestion(context: Context, path: string, shown: readonly Shown[]): string | undefined {
  const lost = shown[0]?.facts['keys_removed']
  if (!Array.isArray(lost) || lost.length === 0) return undefined
  context.io.hint(`to change single keys and keep the rest: ${context.commandLine('kv set', path)} …`)
  return `${path} also has ${lost.map(String).join(', ')}; kv put drops ${lost.length === 1 ? 'it' : 'them'}. Continue?`
}
