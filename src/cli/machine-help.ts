import type { Command } from '../core/command.ts'
import { exitMeanings } from '../core/errors.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { Param, Params } from '../core/param.ts'
import { flagName, labelOf, paramsOf } from '../core/param.ts'
import type { Effect } from '../core/request.ts'
import { effectOf } from '../core/request.ts'
import { shapeWords } from '../core/shape.ts'
import type { LoadedEntry, Program, SettingFacts } from './catalogue.ts'
import { commandsOf } from './catalogue.ts'

/** Machine-readable help (`tug help -o json`): all commands, or those below `words`. */
export function machineHelp(
  program: Program,
  settings: SettingFacts,
  words: readonly string[],
): JsonObject & { readonly commands: Json[] } {
  const variables = (flag: string, group: string) => {
    const rows = settings.rows.filter((row) => row.flag === flag)
    // Each engine has its own mount.
    const ofGroup = rows.find((row) => row.variables.some((name) => name.includes(`_${group.toUpperCase()}_`)))
    const row = ofGroup ?? rows[0]
    return row === undefined ? [] : [...row.variables, ...row.vendorVariables]
  }
  const isWanted = (name: string) => `${name} `.startsWith([...words, ''].join(' '))
  const describe = (loaded: LoadedEntry) =>
    commandsOf(loaded)
      .filter(([name]) => isWanted(name))
      .map(([name, command]) => commandFacts(name, command, loaded, program, variables))
  return {
    version: program.version,
    commands: program.entries.flatMap(describe),
    global_flags: flagFacts(program.globals, '', variables),
    exit_codes: exitMeanings.flatMap(([codes, meaning]) =>
      codes.split(', ').map((code) => ({ code: Number(code), meaning })),
    ),
  }
}

/** The variables that set a flag, for a group's commands. */
type Variables = (flag: string, group: string) => readonly string[]

function commandFacts(
  name: string,
  command: Command,
  { entry }: LoadedEntry,
  { groupParams }: Program,
  variables: Variables,
): Json {
  const { params, endpoints } = command
  return {
    command: name,
    summary: command.summary,
    effect: commandEffect(command),
    service: entry.service ?? null,
    arguments: paramsOf(params, 'argument').map(([key, param]) => ({
      name: param.placeholder ?? flagName(key).slice(2),
      ...commonFacts(param),
    })),
    flags: flagFacts({ ...params, ...groupParams[entry.name] }, entry.name, variables),
    endpoints: endpoints.map(({ method, path, acl }) => ({ method, path, capability: acl ?? null })),
    exit_codes: exitCodesOf(command),
    result: resultOf(command, entry.service === 'scheduler'),
    examples: command.examples.map(({ line, note }) => ({ line: `tug ${line}`, note })),
  }
}

/** The strongest effect of the requests that a command may send. */
export function commandEffect({ effect, endpoints }: Command): Effect | 'local' {
  const effects = effect === undefined ? endpoints.map(effectOf) : [effect]
  return (['destroys', 'writes', 'reads'] as const).find((strongest) => effects.includes(strongest)) ?? 'local'
}

function flagFacts(params: Params, group: string, variables: Variables): Json[] {
  return paramsOf(params, 'flag').map(([key, param]) => ({
    name: flagName(key),
    short: param.short === undefined ? null : `-${param.short}`,
    ...commonFacts(param),
    default: param.defaultText ?? null,
    environment: [...variables(flagName(key), group)],
    needs: labelsOf(params, param.needs),
    excludes: labelsOf(params, param.excludes),
  }))
}

/** The command's params among these keys, as typed. */
function labelsOf(params: Params, keys: readonly string[] = []): string[] {
  return keys.flatMap((key) => (params[key] === undefined ? [] : [labelOf(key, params[key])]))
}

function commonFacts(param: Param): { readonly [name: string]: Json } {
  return {
    summary: param.summary,
    type: typeOf(param),
    choices: param.choices === undefined ? null : [...param.choices],
    required: param.required,
    repeatable: param.repeatable,
  }
}

function typeOf({ boolean, choices, placeholder, complete }: Param): string {
  if (boolean) return 'boolean'
  if (choices !== undefined) return 'choice'
  if (complete === 'file' || complete === 'directory') return complete
  const types: Readonly<Record<string, string>> = { n: 'integer', duration: 'duration', 'a,b': 'list' }
  return types[placeholder ?? ''] ?? 'string'
}

/** A command's exit codes, except for signals and closed pipes. */
function exitCodesOf(command: Command): number[] {
  const { params, passesThrough, exitsOnDifference, writes } = command
  const has = (...keys: readonly string[]) => keys.some((key) => key in params)
  const isList = paramsOf(params, 'argument').some(([, { repeatable }]) => repeatable)
  const effect = commandEffect(command)
  const sends = effect !== 'local'
  const changes = writes !== undefined || (sends && effect !== 'reads')
  return [
    0,
    1,
    2,
    ...(sends ? [3, 4] : []),
    ...(changes ? [5] : []),
    ...(sends ? [6, 7] : []),
    ...(has('wait', 'until') ? [8] : []),
    ...(has('exitCode') || exitsOnDifference === true ? [9] : []),
    ...(isList || has('recursive', 'filter', 'from', 'prune', 'partial', 'all') ? [10] : []),
    ...(has('waitTimeout') ? [124] : []),
    ...(passesThrough === true ? [125] : []),
  ]
}

/** The format of `-o json` output, and for a body that is passed through unchanged its known members. */
function resultOf({ rawOutput, endpoint, endpoints }: Command, isPassedOn: boolean): Json {
  if (rawOutput === true || rawOutput === 'csv') return { format: 'raw' }
  const [only] = endpoint
  const isShaped = isPassedOn && endpoints.length === 1 && only?.answers.form === 'json'
  return {
    format: 'json',
    ...(isShaped && only.answers.form === 'json' ? { shape: shapeWords(only.answers.shape) } : {}),
  }
}
