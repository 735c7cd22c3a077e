import type { FlagFact, Place, ValueSpec } from './places.ts'

/** For `~/.config/fish/completions/tug.fish`, or to be sourced. */
export function fishScript(places: readonly Place[], globals: readonly FlagFact[]): string {
  return `# fish completion for tug, written by: tug completion fish
# Use it:  tug completion fish > ~/.config/fish/completions/tug.fish   or:  tug completion fish | source

# The flags that take the next word as their value, after these words.
function __tug_takes
    switch "$argv[1]"
${places.map(takesCase).join('')}    end
    printf '%s\\n' ${takers(globals)}
end

# The words that lead somewhere.
function __tug_leads
    contains -- "$argv[1]" ${places.map(({ words }) => quoted(words)).join(' ')}
end

# The words that have words below them.
function __tug_group
    contains -- "$argv[1]" ${places
      .filter(({ subs }) => subs.length > 0)
      .map(({ words }) => quoted(words))
      .join(' ')}
end

${engine}
complete -c tug -e
complete -c tug -f
complete -c tug -n __tug_after -F
${globals.map((flag) => flagLine(flag, undefined)).join('')}${places.map(placeLines).join('')}`
}

function takesCase({ words, flags }: Place): string {
  const names = takers(flags)
  return names === '' ? '' : `        case ${quoted(words)}\n            printf '%s\\n' ${names}\n`
}

function takers(flags: readonly FlagFact[]): string {
  return flags
    .filter(({ spec }) => spec !== '-')
    .flatMap(({ name, short }) => (short === undefined ? [name] : [short, name]))
    .join(' ')
}

function placeLines({ words, subs, args, repeats, flags }: Place): string {
  const at = `__tug_at ${quoted(words)}`
  const subLines = subs.map(
    ({ name, summary }) => `complete -c tug -n ${quoted(at)} -a ${quoted(name)} -d ${quoted(summary)}\n`,
  )
  const argLines = args.map((spec, index) => {
    const range = repeats && index === args.length - 1 ? `${index} more` : String(index)
    const values = valueWords(spec)
    return values === '' ? '' : `complete -c tug -n ${quoted(`${at} ${range}`)} ${values}\n`
  })
  return [...subLines, ...argLines, ...flags.map((flag) => flagLine(flag, at))].join('')
}

function flagLine({ name, short, spec, summary }: FlagFact, at: string | undefined): string {
  const condition = at === undefined ? '-n "not __tug_after"' : `-n ${quoted(at)}`
  const letter = short === undefined ? '' : ` -s ${short.slice(1)}`
  const value = spec === '-' ? '' : ` -r ${valueWords(spec) || '-f'}`
  return `complete -c tug ${condition}${letter} -l ${name.slice(2)}${value} -d ${quoted(summary)}\n`
}

/** What offers the values of a kind. */
function valueWords(spec: ValueSpec): string {
  if (spec === 'file') return '-F'
  if (spec === 'directory') return `-f -a '(__fish_complete_directories (__tug_current))'`
  if (spec.startsWith('='))
    return `-f -a ${quoted(
      spec
        .slice(1)
        .split(',')
        .map((word) => `${word}\\t`)
        .join(' '),
    )}`
  return spec.startsWith('@') ? `-f -a '(__tug_names ${spec.slice(1)})'` : ''
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, String.raw`\$&`)}'`
}

const engine = `# Reads the line up to the cursor: the words that lead somewhere, how many arguments follow, whether -- was there.
function __tug_read
    set -l line (commandline -opc)
    if test "$line" = "$__tug_line"
        return
    end
    set -g __tug_line $line
    set -g __tug_path ''
    set -g __tug_count 0
    set -g __tug_dashes 0
    set -l pending 0
    set -l index 1
    for word in $line[2..-1]
        set index (math $index + 1)
        if test $pending = 1
            set pending 0
            continue
        end
        switch $word
            case --
                # What follows \`dev -- tug\` is a command line of tug again.
                set -l next (math $index + 1)
                if test "$__tug_path" = dev; and test "$line[$next]" = tug
                    set -g __tug_path ''
                    set -g __tug_count 0
                    set pending 1
                    continue
                end
                set -g __tug_dashes 1
                return
            case '--*=*'
            case '-*'
                if string match -qr '^-([0-9]|$)' -- $word
                    set -g __tug_count (math $__tug_count + 1)
                else if contains -- $word (__tug_takes "$__tug_path")
                    set pending 1
                else if not string match -q -- '--*' $word; and contains -- -(string sub -s -1 -- $word) (__tug_takes "$__tug_path")
                    set pending 1
                end
            case '*'
                if __tug_group "$__tug_path"
                    set -g __tug_path (string trim -- "$__tug_path $word")
                    if not __tug_leads "$__tug_path"
                        set -g __tug_path nowhere
                    end
                else
                    set -g __tug_count (math $__tug_count + 1)
                end
        end
    end
end

# Whether the cursor follows these words, and is at this argument ("more": or at a later one).
function __tug_at
    __tug_read
    test $__tug_dashes = 0; or return 1
    test "$__tug_path" = "$argv[1]"; or return 1
    set -q argv[2]; or return 0
    if set -q argv[3]
        test $__tug_count -ge $argv[2]
    else
        test $__tug_count -eq $argv[2]
    end
end

function __tug_after
    __tug_read
    test $__tug_dashes = 1
end

# The value at the cursor, without its flag and its quotes.
function __tug_current
    commandline -ct | string replace -r '^--[^=]*=' '' | string replace -r '^[\\'"]' '' | string replace -ra '\\\\\\\\(.)' '$1'
end

# Asks tug for names. One that begins with ~ is not offered: fish would expand it to a folder.
function __tug_names
    if string match -qr '^--[^=]*$' -- (commandline -ct)
        return
    end
    set -l line (commandline -opc)
    set -l current (__tug_current)
    command $line[1] __complete $argv[1] $line[2..-1] "$current" 2>/dev/null | string match -v '~*' | string replace -r '$' \\t
end
`
