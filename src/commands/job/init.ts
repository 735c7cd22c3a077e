import type { Result } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import { argument, flag } from '../../core/param.ts'
import { shellQuote } from '../../core/shell.ts'

/** The file it writes unless another is named; the example's comments name it too. */
const defaultFile = 'example.nomad.hcl'

export const init = command({
  name: 'init',
  summary: 'Write an example job file to start from',
  description: 'Sends nothing. A file that exists is not replaced (exit 2).',
  params: {
    file: argument.text(`the file to write; - is standard output`, {
      placeholder: 'file',
      complete: 'file',
      defaultText: defaultFile,
    }),
    short: flag.boolean('without comments'),
  },
  rawOutput: true,
  examples: [
    { line: 'job init', note: `writes ${defaultFile}; then: tug job plan ${defaultFile}` },
    { line: 'job init cache.hcl --short', note: 'another name, without comments' },
    { line: 'job init - | less', note: 'only look at it' },
  ],
  run: async ({ file = defaultFile, short }, context): Promise<Result> => {
    const { example } = await import('./init-example.ts')
    const named = file === '-' ? example : example.replaceAll(defaultFile, shellQuote(file))
    const raw = short === true ? withoutComments(named) : named
    if (file === '-') return { raw }
    return {
      raw,
      file: { path: file, replace: false, remedy: `name another file: ${context.commandLine('job init')} <file>` },
      finish: () => {
        context.io.note(`wrote ${file}`)
        context.io.hint(`see what it would do: ${context.commandLine('job plan', file)}`)
      },
    }
  },
})

function withoutComments(text: string): string {
  const lines = text.split('\n').filter((line) => !/^\s*#/.test(line))
  // No blank line at the start, and none after another.
  return lines.filter((line, index) => line !== '' || (index > 0 && lines[index - 1] !== '')).join('\n')
}
