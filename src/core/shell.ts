let isWindowsShell = false

/** Selects the shell that hints are quoted for: cmd and PowerShell on Windows, except in Git Bash. Called once per run. */
export function quoteFor(platform: string, env: Readonly<Record<string, string | undefined>>): void {
  isWindowsShell = platform === 'win32' && !env['MSYSTEM']
}

/** Quotes a word, if needed, for the user's shell. */
export function shellQuote(word: string): string {
  return isWindowsShell ? windowsQuote(word) : posixQuote(word)
}

/**
 * Quotes a word, if needed, for POSIX shells and fish, where a backslash escapes a quotation mark or a backslash even inside single
 * quotation marks. Control
 * characters are escaped with `$'…'`, which bash and zsh read, so a word never starts a new line; in dash it stays one word.
 */
export function posixQuote(word: string): string {
  // zsh replaces `=ls` with the path of ls.
  if (/^(?!=)[\w@%+=:,./-]+$/.test(word)) return word
  if (!/\p{Cc}/u.test(word)) {
    const quoted = word.replace(/'|\\{2,}|\\(?='|$)/g, (one) =>
      one === "'" ? String.raw`'\''` : `'"${one.replaceAll('\\', '\\\\')}"'`,
    )
    return `'${quoted}'`
  }
  const escaped = word
    .replaceAll('\\', '\\\\')
    .replaceAll("'", String.raw`\047`)
    .replace(/\p{Cc}/gu, (character) => {
      const bytes = [...Buffer.from(character)]
      return bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
    })
  return `$'${escaped}'`
}

/**
 * Quotes a word for PowerShell and, unless it has one of `"$%!` or a backtick, for cmd as well. `--` is quoted too, because
 * PowerShell doesn't pass it on to scripts such as npm's `tug.ps1`.
 */
function windowsQuote(word: string): string {
  // PowerShell splits an argument such as `-a.b`.
  if (/^(?!-[^-].*[.:])[\w+=:./\\-]+$/.test(word) && word !== '--') return word
  // Typographic quotes count as plain ones in PowerShell.
  if (!/["$%!`\u201c-\u201e]/.test(word)) return `"${word.replace(/\\+$/, '$&$&')}"`
  return `'${word.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`
}

/** A line that sets environment variables in the user's shell; `…` is a placeholder. */
export function setVariables(variables: Readonly<Record<string, string>>): string {
  const entries = Object.entries(variables)
  if (isWindowsShell)
    return entries.map(([name, value]) => `$env:${name} = '${value.replaceAll("'", "''")}'`).join('; ')
  return `export ${entries.map(([name, value]) => `${name}=${value === '…' ? value : posixQuote(value)}`).join(' ')}`
}

/** A flag of a suggested command line: literal, or a name with a value, which is quoted. */
export type LineFlag = readonly [literal: string] | readonly [name: string, value: string]

/** A word of a suggested command line: any argument, or a flag. */
export type LineWord = string | LineFlag

/** Detects flags that were not marked as such. */
export type Marked<Words extends readonly LineWord[]> = {
  [Index in keyof Words]: Words[Index] extends `-${string}` ? LineFlag : Words[Index]
}

/** Flags that select the target, as hints spell them. */
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

/** Target flags of some commands only, with those commands. */
const takenBy: Readonly<Record<string, RegExp>> = {
  '--mount': /^(?:kv|kmip) /,
  '--org': /^(?:login )?explorer\b/,
  '--region': /^job /,
  // `login` must not store a rejected token file.
  '--token-file': /^(?!login )/,
}

/**
 * A command line for a hint: `words` unchanged, then `args` quoted, then the target flags (`targetFlags` of the settings) that the
 * command takes. An argument that looks like a flag comes last, after `--`. All command lines in hints are built here.
 */
export function commandLine<const Words extends readonly LineWord[]>(
  targetFlags: readonly string[],
  words: string,
  ...args: Words & Marked<Words>
): string {
  const [command = '', ...passedOn] = words.split(/ (?=-- )/)
  const target: LineFlag[] = []
  for (let index = 0; index < targetFlags.length; index += 2) {
    const [name = '', value] = targetFlags.slice(index, index + 2)
    // A switch, such as `--insecure`, is the last one.
    if (takenBy[name]?.test(words) ?? true) target.push(value === undefined ? [name] : [name, value])
  }
  const all: LineWord[] = [...args, ...target]
  const plain = all.filter((word) => typeof word === 'string')
  // A lone dash is standard input.
  const isRisky = plain.some((word) => /^-./s.test(word))
  const shown = isRisky
    ? [...all.filter((word) => typeof word !== 'string').map(flagText), shellQuote('--'), ...plain.map(shellQuote)]
    : all.map((word) => (typeof word === 'string' ? shellQuote(word) : flagText(word)))
  return ['tug', command, ...shown, ...passedOn.map((part) => part.replace(/^--/, shellQuote('--')))].join(' ')
}

/** A reference to `tug status` to append to a hint; '' with `--token-file`, which `status` of all services doesn't take. */
export function seeStatus(targetFlags: readonly string[]): string {
  return targetFlags.includes('--token-file') ? '' : ` (see ${commandLine(targetFlags, 'status')})`
}

/** A flag for a hint that is not a whole line: `--mount 'a b'`; a value that looks like a flag is a part of the word. */
export function flagText([name, value]: LineFlag): string {
  if (value === undefined) return name
  return value.startsWith('-') ? `${name}=${shellQuote(value)}` : `${name} ${shellQuote(value)}`
}

/** The flags without those of this name. */
export function withoutFlag(targetFlags: readonly string[], name: string): string[] {
  return targetFlags.filter((word, index) => word !== name && targetFlags[index - 1] !== name)
}
