import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandsOf, loadProgram } from '../src/cli/catalogue.ts'
import { parseLine } from '../src/cli/parse.ts'
import { findRoute } from '../src/cli/route.ts'
import { TugError } from '../src/core/errors.ts'
import type { Params } from '../src/core/param.ts'
import { flagName, paramsOf } from '../src/core/param.ts'
import { tree, version } from '../src/commands/index.ts'
import type { Literal } from './support/literals.ts'
import { literalsOf } from './support/literals.ts'
import { root } from './support/process.ts'
import { shellWords } from './support/run.ts'

/** As a manual page has it. */
const roffText = (words: string) => words.replaceAll('-', String.raw`\-`)

/** Texts that name commands and flags: the manual, and command lines in messages. */

const program = await loadProgram(tree, version)

test.each(program.entries.flatMap((loaded) => commandsOf(loaded)))(
  'the manual page of %s has all of its flags and those of its group',
  (words, command) => {
    const page = readFileSync(join(root, `man/tug-${words.replaceAll(' ', '-')}.1`), 'utf8')
    expect(page).toContain(`tug ${roffText(words)}`)
    expect(missingFlags(page, command.params)).toEqual([])
    expect(missingFlags(page, program.groupParams[words.split(' ')[0] ?? ''] ?? {})).toEqual([])
  },
)

test('the manual page of tug has every command and the flags of all of them', () => {
  const page = readFileSync(join(root, 'man/tug.1'), 'utf8')
  const commands = program.entries.flatMap(commandsOf).map(([words]) => `\\fBtug ${roffText(words)}\\fR`)
  expect(commands.filter((words) => !page.includes(words))).toEqual([])
  expect(missingFlags(page, program.globals)).toEqual([])
})

function missingFlags(page: string, params: Params): string[] {
  const names = paramsOf(params, 'flag').map(([key]) => flagName(key))
  return names.filter((name) => !page.includes(`\\fB${roffText(name)}\\fR`))
}

/** Words after the program's name that aren't a command. */
const prose = new Set([
  'again',
  'does',
  'first',
  'for',
  'itself',
  'is',
  'left',
  'makes',
  'manages',
  'manual',
  'nor',
  'writes',
])

test('every command line in a message exists', async () => {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^(?!dev[/\\]).*\.ts$/.test(file),
  )
  const named = files.flatMap((file) =>
    literalsOf(readFileSync(join(root, 'src', file), 'utf8')).flatMap((literal) =>
      commandLines(literal).map((lines) => ({ file, lines })),
    ),
  )
  const wrong: string[] = []
  for (const { file, lines } of named) {
    let isCommand = false
    for (const line of lines) isCommand ||= await beginsWithCommand(line)
    if (!isCommand) wrong.push(`${file}: tug ${lines[0]}`)
  }
  expect(named.length).toBeGreaterThan(60)
  expect(wrong).toEqual([])
})

/** The words after each `tug` in a text, with a reading per value that an expression may have. */
function commandLines({ text, inserted }: Literal): string[][] {
  const lines = [...text.matchAll(/(?<![\w./-])tug (?=[a-z])((?:\$\{\d+\}|[^;,\n\\(`}]|,(?! ))*)/g)].map(
    ([, line]) => line as string,
  )
  return lines
    .filter((line) => !/[<…]/.test(line) && !prose.has(line.split(/\W/)[0] as string))
    .map((line) =>
      inserted.reduce<string[]>(
        (readings, expression, index) =>
          readings.flatMap((reading) => {
            const mark = `\${${index}}`
            return reading.includes(mark)
              ? valuesOf(expression).map((value) => reading.replace(mark, value))
              : [reading]
          }),
        [line],
      ),
    )
}

/** Possible values of an expression: the words in it, a number, a service, a command. */
function valuesOf(expression: string): string[] {
  const words = [...expression.matchAll(/'([\w -]*)'/g)].map(([, word]) => word as string)
  return [...words, '1', 'secrets', 'generate']
}

/** True if the words up to the last flag are a command line; what follows may be the rest of a sentence. */
async function beginsWithCommand(line: string): Promise<boolean> {
  const words = shellWords(line).map((word) => word.replace(/[,.:)]+$/, ''))
  for (let count = words.length; count > 0; count -= 1) {
    if (await isCommandLine(words.slice(0, count))) return true
    if (words[count - 1]?.startsWith('-') === true) return false
  }
  return false
}

async function isCommandLine(argv: string[]): Promise<boolean> {
  try {
    const route = await findRoute(argv, tree)
    const { target, help } = route
    if (help) return true
    if (target?.kind !== 'command') return false
    await parseLine(target, route)
    return true
  } catch (error) {
    // A command's name without its arguments.
    return error instanceof TugError && /^<[\w-]+> is required|^the command to run is missing/.test(error.message)
  }
}
