/** Quotes a word for a POSIX shell if needed. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : singleQuoted(word)
}

/** A text in single quotes, as POSIX shells, bash and zsh read it. */
function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Flags that select the server and the place in it, as hints spell them. */
export const targetSpellings = {
  profile: '-p',
  address: '--address',
  tokenFile: '--token-file',
  org: '--org',
  mount: '--mount',
  namespace: '-n',
  region: '--region',
  dialect: '--dialect',
  caCert: '--ca-cert',
  caPath: '--ca-path',
  clientCert: '--client-cert',
  clientKey: '--client-key',
  tlsServerName: '--tls-server-name',
} as const

/** Target flags that not every command takes, with the commands that take them. */
const takenBy: Readonly<Record<string, RegExp>> = {
  '--mount': /^(?:kv|kmip) /,
  '--org': /^(?:login )?explorer\b/,
  '--region': /^job /,
  // What it would store is what was not accepted.
  '--token-file': /^(?!login )/,
}

/**
 * A command line for a hint: `words` as they are, each of `args` quoted, then those of the flags that chose the target (`targetFlags`
 * of the settings) that the command takes. Every command line that a hint suggests is made here.
 */
export function commandLine(targetFlags: readonly string[], words: string, ...args: readonly string[]): string {
  const [before = '', ...after] = words.split(/ (?=-- )/)
  const place = targetFlags.filter((word, index) => {
    const flag = word.startsWith('-') && index % 2 === 0 ? word : (targetFlags[index - 1] as string)
    return takenBy[flag]?.test(words) ?? true
  })
  return ['tug', before, ...args.map(shellQuote), ...place.map(shellQuote), ...after].join(' ')
}

/** The flags without those of this name. */
export function withoutFlag(targetFlags: readonly string[], name: string): string[] {
  return targetFlags.filter((word, index) => word !== name && targetFlags[index - 1] !== name)
}
