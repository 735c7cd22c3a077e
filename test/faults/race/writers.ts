import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../../support/random.ts'
import type { Outcome } from '../../support/run.ts'

/** What a command reports of one of its writes. */
export type Claim = 'done' | 'refused' | 'unknown'

/** A command that writes, beside others that write to the same secrets. Its name marks each value that it writes. */
export interface Writer {
  readonly name: string
  readonly line: string
  readonly env: Readonly<Record<string, string>>
  readonly writes: readonly Write[]
  /** True if it writes on top of what is there, false if it replaces all of it. */
  readonly merges: boolean
  /** True if check-and-set keeps a repeated request from writing twice. */
  readonly isGuarded: boolean
  /** True if it removes the sources. */
  readonly moves: boolean
}

/** One of the writes of a command. */
export interface Write {
  readonly target: string
  /** Where a copied secret comes from. */
  readonly source?: string
}

/** The secrets that all write to, below the folder of the race. */
export const contested = ['a', 'b'] as const

/** A writer at random. Files that it needs are made in the scratch folder; its own sources are below `s/` and its name. */
export function makeWriter(name: string, folder: string, scratch: string, random: Random): Writer {
  const target = `${folder}/c/${random.pick(contested)}`
  const source = `${folder}/s/${name}`
  const facts = { name, env: {}, writes: [{ target }], merges: false, isGuarded: true, moves: false }
  const copied = { ...facts, writes: [{ target, source: `${source}/a` }] }
  const below = {
    ...facts,
    writes: contested.map((one) => ({ target: `${folder}/c/${one}`, source: `${source}/${one}` })),
  }
  const force = random.pick(['', '--force'])
  const file = join(scratch, `${name}.json`)
  const kinds: (() => Writer)[] = [
    () => ({ ...facts, line: `kv set ${target} writer=${name} ${name}=1`, merges: true }),
    () => ({
      ...facts,
      line: `kv edit ${target}`,
      env: { EDITOR: editorOf(name, scratch), XDG_RUNTIME_DIR: scratch },
      merges: true,
    }),
    () => importOf(facts, folder, file, '--update'),
    () => importOf(facts, folder, file, force),
    () => ({ ...copied, line: `kv copy ${source}/a ${target} ${force}` }),
    () => ({ ...copied, line: `kv move ${source}/a ${target} --yes ${force}`, moves: true }),
    () => ({ ...below, line: `kv copy ${source} ${folder}/c --recursive ${force}` }),
    () => ({ ...below, line: `kv move ${source} ${folder}/c --recursive --yes ${force}`, moves: true }),
    () => ({ ...facts, line: `kv put ${target} writer=${name} ${name}=1`, isGuarded: false }),
    () => ({ ...facts, line: `kv patch ${target} writer=${name} ${name}=1`, merges: true, isGuarded: false }),
  ]
  const writer = random.pick(kinds)()
  return { ...writer, line: `${writer.line} --retries ${random.pick([0, 1, 2, 4])}` }
}

function importOf(facts: Omit<Writer, 'line'>, folder: string, file: string, flag: string): Writer {
  const { name } = facts
  const paths = [...contested, `only-${name}`]
  writeFileSync(file, JSON.stringify(Object.fromEntries(paths.map((path) => [path, { writer: name, [name]: '1' }]))))
  return {
    ...facts,
    writes: paths.map((path) => ({ target: `${folder}/c/${path}` })),
    line: `kv import ${file} ${folder}/c ${flag}`,
  }
}

/** A program that changes a YAML file like a person would. */
function editorOf(name: string, scratch: string): string {
  const file = join(scratch, `${name}.sh`)
  writeFileSync(file, `sed -i /^writer:/d "$1"; printf 'writer: ${name}\\n${name}: "1"\\n' >> "$1"\n`)
  chmodSync(file, 0o700)
  return `sh ${file}`
}

/** What an outcome says of a write, and of the removal of its source. */
export interface Claims {
  readonly written: Claim
  readonly removed: Claim
}

/** What the outcome says of each write. */
export function claimsOf({ writes }: Writer, { exit, stderr }: Outcome): ReadonlyMap<Write, Claims> {
  const isBulk = /^tug: .*\b\d+ of \d+ secrets? (?:failed|with|not sent)\b/m.test(stderr)
  const lines = stderr.replaceAll(/^ {2}unknown: /gm, '  ').split('\n')
  return new Map(
    writes.map((write) => {
      const names = [write.source, write.target].filter((name) => name !== undefined)
      const line = lines.find((one) =>
        names.some(
          (name) =>
            one.startsWith(`  ${name}: `) ||
            one.startsWith(`  ${name} `) ||
            (one.startsWith('  not sent: ') && one.slice(12).split(', ').includes(name)),
        ),
      )
      return [write, exit === 0 || (isBulk && line === undefined) ? allDone : claimOf(write, line ?? stderr)]
    }),
  )
}

const allDone: Claims = { written: 'done', removed: 'done' }

/** What a failure says. */
function claimOf({ target, source }: Write, text: string): Claims {
  if (text.startsWith('  not sent: ')) return { written: 'refused', removed: 'refused' }
  const failed: Claim = /outcome (?:is )?unknown/.test(text) ? 'unknown' : 'refused'
  const isWritten = source !== undefined && text.includes(`wrote ${target}, but `)
  return isWritten ? { written: 'done', removed: failed } : { written: failed, removed: 'refused' }
}
