let isWindowsShell = false

/** Chooses the shell that hints are quoted for: cmd and PowerShell on Windows, but for Git Bash. Called once for each run. */
export function quoteFor(platform: string, env: Readonly<Record<string, string | undefined>>): void {
  isWindowsShell = platform === 'win32' && !env['MSYSTEM']
}

/** Quotes a word, if needed, for the user's shell. */
export function shellQuote(word: string): string {
  return isWindowsShell ? windowsQuote(word) : posixQuote(word)
}

/** Quotes a word for a POSIX shell if needed. */
export function posixQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/**
 * Quotes a word for PowerShell and, unless it has one of `"$%!` or a backtick, for cmd as well. `--` is quoted too, because
 * PowerShell doesn't pass it on to a script, as npm's `tug.ps1` is one.
 */
function windowsQuote(word: string): string {
  // PowerShell divides an argument such as `-a.b`.
  if (/^(?!-[^-].*[.:])[\w+=:./\\-]+$/.test(word) && word !== '--') return word
  // Typographic quotes count as plain ones in PowerShell.
  if (!/["$%!`\u201c-\u201e]/.test(word)) return `"${word.replace(/\\+$/, '$&$&')}"`
  return `'${word.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`
}

/** A line that sets variables of the environment in the user's shell; `…` is a placeholder. */
export function setVariables(variables: Readonly<Record<string, string>>): string {
  const entries = Object.entries(variables)
  if (isWindowsShell)
    return entries.map(([name, value]) => `$env:${name} = '${value.replaceAll("'", "''")}'`).join('; ')
  return `export ${entries.map(([name, value]) => `${name}=${value === '…' ? value : posixQuote(value)}`).join(' ')}`
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
  const command = after.map((run) => run.replace(/^--/, shellQuote('--')))
  return ['tug', before, ...args.map(shellQuote), ...place.map(shellQuote), ...command].join(' ')
}

/** The flags without those of this name. */
export function withoutFlag(targetFlags: readonly string[], name: string): string[] {
  return targetFlags.filter((word, index) => word !== name && targetFlags[index - 1] !== name)
}
