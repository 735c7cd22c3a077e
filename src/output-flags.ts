import { usageError } from './core/errors.ts'
import { flagName } from './core/param.ts'
import type { Invocation } from './invocation.ts'

/** Rejects output flags that contradict each other, the format, or raw output, for which `TUG_OUTPUT` is ignored. */
export async function checkOutputFlags({ command, parsed, flags, route, session }: Invocation): Promise<void> {
  const { rawOutput = false } = command
  const given = (['query', 'columns', 'csvSafe', 'csvBom', 'null'] as const).filter(
    (name) => flags[name] !== undefined && flags[name] !== false,
  )
  if (flags.raw === true) {
    const { output = 'json' } = flags
    const other = given.find((name) => name === 'query' || name === 'columns')
    if (output !== 'json' || other !== undefined)
      throw usageError(
        `--raw prints the response body unchanged; it cannot be used together with ${output === 'json' ? `--${other}` : `-o ${output}`}`,
      )
  }
  const isCsvOutput = rawOutput === 'csv'
  const name = flags.output === undefined ? given.find((one) => !isCsvOutput || !one.startsWith('csv')) : 'output'
  if (name !== undefined && (typeof rawOutput === 'function' ? rawOutput(parsed.input) : rawOutput)) {
    const flag = { output: '-o', null: '-0' }[name as string] ?? flagName(name)
    const { otherToolAdvice } = await import('./cli/other-tools.ts')
    const word = route.line.find(({ role, key }) => role === 'flag' && key === name)
    const advice = word && otherToolAdvice(word, route)
    const hints = advice === undefined ? [] : [advice]
    throw usageError(`this command prints raw output; ${flag} is not supported`, ...hints)
  }
  const { format } = session.commandSettings
  if (flags.null === true && format !== 'name') throw usageError('-0 needs -o name')
  const ofCsv = given.find((one) => one.startsWith('csv'))
  if (ofCsv !== undefined && !isCsvOutput && format !== 'csv' && format !== 'tsv')
    throw usageError(`${flagName(ofCsv)} needs -o csv or -o tsv`)
  if (flags.query !== undefined) (await import('./output/query.ts')).compileQuery(flags.query)
}
