import { loadProgram } from '../../cli/catalogue.ts'
import { completionScript, shells } from '../../cli/completion/script.ts'
import { argument } from '../../core/param.ts'
import type { Tree } from '../../cli/route.ts'
import { tugCommand } from './context.ts'

export const completion = tugCommand({
  name: 'completion',
  summary: 'Print the completion script of a shell',
  description: `The script contains commands, flags and choices. Names of jobs, secrets, scopes and views are read from the services while you type, within a second, and cached for ten.

  bash   eval "$(tug completion bash)"                              in ~/.bashrc
  zsh    tug completion zsh > "\${fpath[1]}/_tug"                    once
  fish   tug completion fish > ~/.config/fish/completions/tug.fish  once`,
  rawOutput: true,
  params: { shell: argument.choice('the shell', shells, { required: true }) },
  examples: [
    { line: 'completion bash', note: 'for eval in ~/.bashrc' },
    { line: 'completion fish > ~/.config/fish/completions/tug.fish', note: 'stored in a file' },
  ],
  async run({ shell }, context) {
    return { raw: await scriptOf(shell, context) }
  },
})

/** The script of a shell, with the words that never change built in. */
export async function scriptOf(
  shell: (typeof shells)[number],
  { tree, version }: { readonly tree: Tree; readonly version: string },
): Promise<string> {
  const { viewNames } = await import('../../api/explorer-fields.ts')
  const fixed = { 'explorer-view': viewNames('neutral') }
  return completionScript(shell, await loadProgram(tree, version), fixed)
}
