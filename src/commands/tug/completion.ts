import { completionScripts, shells } from '../../cli/completion/shells.ts'
import { argument } from '../../core/param.ts'
import { tugCommand } from './context.ts'

export const completion = tugCommand({
  name: 'completion',
  summary: 'Print the completion script of a shell',
  description: `At every TAB the script runs the program. Names of jobs, secrets, scopes and views are read from the services within a second, and cached for ten.

  bash   eval "$(tug completion bash)"                              in ~/.bashrc
  zsh    tug completion zsh > "\${fpath[1]}/_tug"                    once
  fish   tug completion fish > ~/.config/fish/completions/tug.fish  once`,
  rawOutput: true,
  params: { shell: argument.choice('the shell', shells, { required: true }) },
  examples: [
    { line: 'completion bash', note: 'for eval in ~/.bashrc' },
    { line: 'completion fish > ~/.config/fish/completions/tug.fish', note: 'stored in a file' },
  ],
  async run({ shell }) {
    return { raw: completionScripts[shell] }
  },
})
