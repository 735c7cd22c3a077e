import { exitMeanings } from '../core/errors.ts'
import type { Program } from './catalogue.ts'
import { commandsOf } from './catalogue.ts'
import { argumentWords } from './help.ts'
import { commandEffect } from './machine-help.ts'

/** The page that teaches an agent to use `tug`: rules, exit codes, and every command with its effect. */
export function skillPage(program: Program): string {
  const commands = program.entries.flatMap((loaded) =>
    commandsOf(loaded).map(([words, command]) => {
      const line = `tug ${words} ${argumentWords(command.params)}`.trimEnd()
      return `| \`${line.replaceAll('|', String.raw`\|`)}\` | ${commandEffect(command)} | ${command.summary} |`
    }),
  )
  return `---
name: tug
description: Query HCP Terraform's explorer, read and write secrets of Vault or OpenBao (KV version 2, KMIP), and plan, deploy and follow Nomad jobs with the command line tool tug. Use it whenever a task is about workspaces, drift, module and provider versions, secrets, KMIP certificates or Nomad jobs.
---

# tug

## Rules

- Add \`-o json\` to read a result, and \`--query '<JMESPath>'\` to select from it. stdout has the result and nothing else.
- Add \`--no-input\`: a question then fails with exit 2 instead of waiting. \`--yes\` answers it; ask the user before you add it.
- Before a change, run the same line with \`--plan\` (what would change) or \`--dry-run\` (the requests). Neither changes anything.
- Add \`--read-only\` to everything while you only explore: a request that could change something is then refused.
- Branch on the exit code, or on \`code\` in the JSON error on stderr; never on a message.
- Never put a secret into a command line: \`key=-\` reads standard input, \`key=@file\` a file, \`--generate key\` makes a value.
- Don't print secrets that the task doesn't need: \`tug kv subkeys\` and \`tug kv diff\` show keys without values.
- Exit 8 means that the work failed although the request succeeded; \`tug job status <job>\` shows why.
- If an outcome is reported as unknown, run the command in the hint. Don't repeat the write.

\`tug status\` shows which services are configured. \`tug <command> --help\` has flags and examples, \`tug help <command> -o json\` the same as data.

## Exit codes

| code | meaning |
|---|---|
${exitMeanings.map(([codes, meaning]) => `| ${codes} | ${meaning.replaceAll('|', String.raw`\|`)} |`).join('\n')}

## Commands

\`reads\` changes nothing, \`writes\` changes something, \`destroys\` can remove something, \`local\` sends no request.

| command | effect | what it does |
|---|---|---|
${commands.join('\n')}
`
}
