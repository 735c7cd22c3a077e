/** Words that people bring from other tools: some are aliases here, the others get an answer that names what to use instead. */

const aliasesOfName: Readonly<Record<string, readonly string[]>> = {
  list: ['ls'],
  delete: ['rm'],
  copy: ['cp'],
  move: ['mv'],
  get: ['show', 'inspect'],
}

const aliasesOfCommand: Readonly<Record<string, readonly string[]>> = {
  'kv get': ['cat'],
  'job versions': ['history'],
}

interface Named {
  readonly name: string
}

/** The other names of a command (its words after `tug`); a name that a sibling has is not taken from it. */
export function aliasesOf(words: readonly string[], siblings: readonly Named[]): readonly string[] {
  const aliases = [...(aliasesOfCommand[words.join(' ')] ?? []), ...(aliasesOfName[words.at(-1) ?? ''] ?? [])]
  return words.length < 2 ? [] : aliases.filter((alias) => !siblings.some(({ name }) => name === alias))
}

/** The member that a word names, by its name or an alias. */
export function memberNamed<M extends Named>(
  word: string,
  parents: readonly string[],
  members: readonly M[],
): M | undefined {
  return (
    members.find(({ name }) => name === word) ??
    members.find(({ name }) => aliasesOf([...parents, name], members).includes(word))
  )
}

const versioning = `tug api secrets POST sys/mounts/<mount>/tune --data '{"options":{"version":"2"}}'`
const notCovered = 'not among the endpoints of tug'

const otherCommands: Readonly<Record<string, string>> = {
  'job logs': `logs are ${notCovered}; use 'nomad alloc logs -job <job>'`,
  'job restart':
    "use 'tug job stop <job> --wait', then 'tug job start <job>'; for failed allocations 'tug job evaluate <job> --force-reschedule'",
  'job promote': `promoting a deployment is ${notCovered}; use 'nomad deployment promote <deployment>'`,
  'job fail': `failing a deployment is ${notCovered}; use 'nomad deployment fail <deployment>'`,
  'job validate': "use 'tug job plan <file>'",
  'job eval': "use 'tug job evaluate <job>', or 'tug job evals <job>' for the list",
  'job exec': `running a command in a task is ${notCovered}; declared actions run with 'tug job action'`,
  'kmip role create': "use 'tug kmip role set <scope> <role>', which creates it too",
  'kmip cred create': "use 'tug kmip cred generate <scope> <role>', or 'tug kmip cred sign' for a key of your own",
  alloc: `single allocations are ${notCovered}; those of a job are shown by 'tug job allocs <job>'`,
  node: `nodes are ${notCovered}; use 'nomad node status'`,
  deployment: "use 'tug job deployment <job>' or 'tug job deployments <job>'",
  eval: "use 'tug job evals <job>'",
  'kv enable-versioning': `use ${versioning}`,
  read: "use 'tug kv get <path>', or 'tug api secrets GET <path>'",
  write: "use 'tug kv put <path> <data>', or 'tug api secrets POST <path>'",
  secrets: `mounts are ${notCovered}; use 'tug api secrets GET sys/mounts'`,
  workspaces: "use 'tug explorer query workspaces'",
  workspace: "use 'tug explorer query workspaces'",
  config: "use 'tug profile list'",
}

/** What to use instead of a command of another tool; undefined for a word that is only misspelt. */
export function insteadOfCommand(words: readonly string[]): string | undefined {
  return Object.hasOwn(otherCommands, words.join(' ')) ? otherCommands[words.join(' ')] : undefined
}

/** What to use instead of a flag of another tool. */
export function insteadOfFlag(flag: string, value: string | undefined): string | undefined {
  const name = flag.replace(/^-+/, '')
  if (name === 'json' || name === 'yaml') return `use -o ${name}`
  if (name === 'format') return `use -o ${value === undefined || value.startsWith('-') ? '<format>' : value}`
  if (name === 'detach') return 'commands return at once unless --wait is given'
  if (name === 'token') return 'a token is never a flag; use --token-file <file>, a variable, or tug login'
  return undefined
}
