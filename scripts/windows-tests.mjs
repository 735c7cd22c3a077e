// Prints the test files that can run on Windows: those that need nothing of a POSIX system. `npx vitest run $(node scripts/windows-tests.mjs)`
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** What only a POSIX system has, as tests use it. */
const needs = [
  [
    'a shell or another program',
    /'(?:sh|bash|zsh|fish|openssl|mkfifo|sleep|man|mandoc|git)'|\bsh -c\b|#!\/bin\/sh|\b\w*Shell\(/,
  ],
  [
    'helpers that need one of these',
    /\bstory\(|action-server\.ts|action\/terminal\.ts|\/race\/|'\.\/run\.ts'|'\.\/credentials\.ts'/,
  ],
  ['file modes and owners', /0o[0-7]{3}|\bchmod|\bgetuid|\bgeteuid/],
  ['symbolic links', /symlinkSync|\bsymlink\(/],
  ['signals', /\.kill\(|SIGKILL|SIGSTOP|SIGHUP|process\.on\('SIG/],
  ['sockets and devices in the file system', /\.sock\b|[uU]nix socket|(?<!src)\/dev\/|\/proc\//],
  ['paths of POSIX', /'\/(?:home|tmp|etc|usr|nonexistent)\b/],
]

const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'))
const fitting = files.filter((name) => {
  const source = readFileSync(join('test', name), 'utf8')
  return !needs.some(([, pattern]) => pattern.test(source))
})
console.log(
  fitting
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .toSorted()
    .join('\n'),
)
