/** Other names of commands, which people know from other tools. */

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
