import { expect, test } from 'vitest'
import type { Machine } from './run.ts'
import { tug } from './run.ts'

/**
 * One line in, one line out: each pair is a command line (without `tug`) and the requests that `--dry-run` prints for it,
 * without the parts that all share (`curl -X`, the origin, the token's header).
 */
export function requests(
  title: string,
  pairs: readonly (readonly [line: string, ...curl: string[]])[],
  machine?: Machine,
): void {
  for (const [line, ...expected] of pairs) {
    test(`${title}: ${line}`, async () => {
      const { exit, stdout, stderr } = await tug(withDryRun(line), machine)
      expect(stderr).toBe('')
      const lines = stdout.split('\n').filter((one) => one !== '')
      for (const one of lines) expect(one.startsWith('# '), one).toBe(/<redacted>|<from request \d/.test(one))
      expect(lines.map(bare)).toEqual(expected)
      expect(exit).toBe(0)
    })
  }
}

function withDryRun(line: string): string {
  return line.includes(' -- ') ? line.replace(' -- ', ' --dry-run -- ') : `${line} --dry-run`
}

/** A curl line without the parts that all share. */
function bare(line: string): string {
  return line
    .replace(/^(?:# )?curl -X /, '')
    .replace(/ {2}# (?:withheld|needs)\b.*$/, '')
    .replace(/http:\/\/127\.0\.0\.1:\d/, '')
    .replace(/ -H "[^"]*\$TUG_\w+_TOKEN"/, '')
    .replace(/ -H 'Content-Type: application\/(?:vnd\.api\+)?json'/, '')
    .replaceAll("'", '')
}
