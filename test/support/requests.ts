import { expect, test } from 'vitest'
import type { Dialect } from '../../src/core/service.ts'
import { dialects } from '../../src/core/service.ts'
import type { Machine } from './run.ts'
import { configured, tug } from './run.ts'

/**
 * One line in, one line out: each pair is a command line (without `tug`) and the requests that `--dry-run` prints for it in the
 * neutral dialect, without the parts that all share (`curl -X`, the origin, the token's header). Each line is tried in all
 * dialects, or in those named: the lines of one that isn't neutral stand there as they are.
 */
export function requests(
  title: string,
  pairs: readonly (readonly [line: string, ...curl: string[]])[],
  machine: Machine = {},
  spokenIn: readonly Dialect[] = dialects,
): void {
  const env = machine.env ?? configured
  const isNeutral = spokenIn.includes('neutral')
  for (const [line, ...expected] of pairs) {
    test.each(spokenIn)(`${title}, %s: ${line}`, async (dialect) => {
      const typed = withDryRun(line)
      const { exit, stdout, stderr } = await tug(typed, { ...machine, env: { ...env, TUG_DIALECT: dialect } })
      // Of a command that reads more once it has answers, nothing else.
      expect(stderr).toMatch(/^(?:hint: more requests may follow.*\n)?$/)
      const lines = stdout.split('\n').filter((one) => one !== '')
      for (const one of lines) expect(one.startsWith('# '), one).toBe(/<redacted>|<from request \d/.test(one))
      expect(lines.map(bare)).toEqual(isNeutral ? expected.map((one) => spoken(one, dialect)) : expected)
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
    .replaceAll(/ -H "[^"]*\$TUG_\w+_TOKEN"/g, '')
    .replace(" -H 'X-Vault-Request: true'", '')
    .replace(/ -H 'Content-Type: application\/(?:vnd\.api\+)?json'/, '')
    .replaceAll("'", '')
}

/** What is a product's spelling of a part of a line; `auto` sends both. */
const spellings: readonly (readonly [part: RegExp, product: string, between: string])[] = [
  [/-H X-Secrets-Namespace: (\S+)/, '-H X-Vault-Namespace: $1', ' '],
  [/-H X-Secrets-Wrap-TTL: (\S+)/, '-H X-Vault-Wrap-TTL: $1', ' '],
  [/\bIdempotencyToken=([^& ]+)/, 'idempotency_token=$1', '&'],
  [/"SecretsToken":"([^"]+)"/, '"VaultToken":"$1"', ','],
  [/"DiscoveryToken":"([^"]+)"/, '"ConsulToken":"$1"', ','],
]

/** A line of the neutral dialect in another one. */
function spoken(line: string, dialect: Dialect): string {
  if (dialect === 'neutral') return line
  let words = line
  for (const [part, product, between] of spellings) {
    words = words.replace(part, (found) => {
      const other = found.replace(part, product)
      return dialect === 'auto' ? found + between + other : other
    })
  }
  return words
}
