import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { keysOf, parseJson, stringifyJson } from '../../../src/core/json.ts'
import { toYaml } from '../../../src/output/yaml.ts'
import { parseDotenv, toDotenv } from '../../../src/commands/kv/data/dotenv.ts'
import { checkValues } from '../../../src/commands/kv/data/check.ts'
import { parseYaml } from '../../../src/commands/kv/data/yaml.ts'
import { startDevServer } from '../../support/dev.ts'
import type { Machine } from '../../support/run.ts'
import { failure, tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import { mentions, told } from '../../support/told.ts'

const folder = mkdtempSync(join(tmpdir(), 'tug-test-'))
writeFileSync(join(folder, 'value'), '\ufeffline\n\n')
writeFileSync(join(folder, 'latin'), Buffer.from([0x61, 0xff]))
writeFileSync(join(folder, 'map.json'), '{"b":1.0,"a":{"x":12345678901234567890}}')
writeFileSync(
  join(folder, 'map.yaml'),
  '# comment\nb: 1.0\nyes: no\nhex: 0x10\ndate: 2026-01-01\nmulti: |\n  one\n  two\n',
)
writeFileSync(join(folder, '.env.local'), "a=1 # c\nexport B='x y'\n")
writeFileSync(join(folder, 'bom.json'), '\ufeff{"a":1}')
writeFileSync(join(folder, 'utf16.json'), Buffer.from('\ufeff{}', 'utf16le'))

/** The `data` that a put with these arguments sends. */
async function sent(words: string[], machine: Machine = {}): Promise<string> {
  const { env, seen } = await serve((_, response) => json(response, 200, '{"data":{"version":1}}'))
  const { exit, stderr } = await tug(['kv', 'put', 'x', '--no-verify', ...words], { env, cwd: folder, ...machine })
  expect(exit, stderr).toBe(0)
  return (seen[0]?.body ?? '').replace(/^\{"data":/, '').replace(/\}$/, '')
}

const accepted: readonly (readonly [string[], string, string?])[] = [
  [['a=b', 'c='], '{"a":"b","c":""}'],
  [['{x}=1'], '{"{x}":"1"}'],
  [['a=b=c', 'url=http://x:8=1'], '{"a":"b=c","url":"http://x:8=1"}'],
  [['n:=1.50', 'o:={"z":1,"a":[null]}', 's:="x"'], '{"n":1.50,"o":{"z":1,"a":[null]},"s":"x"}'],
  [['a=@value'], '{"a":"\ufeffline\\n\\n"}'],
  [['a=-'], '{"a":"-----BEGIN\\nx\\n"}', '-----BEGIN\nx\n'],
  [['a=-'], '{"a":"x\\r\\n"}', 'x\r\n'],
  [['a=-'], '{"a":"\\n"}', '\n'],
  [['@.env.local'], '{"a":"1","B":"x y"}'],
  [['a:=-'], '{"a":[1]}', '[1]'],
  [['a:=@map.json'], '{"a":{"b":1.0,"a":{"x":12345678901234567890}}}'],
  [[String.raw`a=\@x`, String.raw`b=\-`, String.raw`c=\x`], String.raw`{"a":"@x","b":"-","c":"\\x"}`],
  [['@map.json', 'c=d'], '{"b":1.0,"a":{"x":12345678901234567890},"c":"d"}'],
  [['@map.yaml'], '{"b":1.0,"yes":"no","hex":16,"date":"2026-01-01","multi":"one\\ntwo\\n"}'],
  [['-'], '{"10":"a","9":"b","__proto__":"c"}', '{"10":"a","9":"b","__proto__":"c"}'],
  [['-'], '{"a":1}', 'a: 1\n'],
  [['@bom.json'], '{"a":1}'],
  [['a:=@bom.json'], '{"a":{"a":1}}'],
  [['-'], '{"a":1}', '\ufeffa: 1\r\n'],
]

for (const [words, expected, stdin] of accepted) {
  test(`${words.join(' ')} is read${stdin === undefined ? '' : `: ${stdin.slice(0, 30)}`}`, async () => {
    expect(await sent(words, stdin === undefined ? {} : { stdin })).toBe(expected)
  })
}

const refused: readonly (readonly [string[], string, string?])[] = [
  [['a=1', 'a=2'], "'a' … repeated"],
  [['@map.json', 'a=2'], "'a' … repeated"],
  [['{"a":"topsecret="}'], '…'],
  [['a=1', ' ["topsecret"]'], '…'],
  [['=topsecret'], '… = sign'],
  [['a:=topsecret'], 'a: … at offset 0'],
  [['a:={"x":1,"x":2}'], 'key at offset 7'],
  [['a=@latin'], '…latin …'],
  [['a=@nosuch'], ' nosuch'],
  [['@utf16.json'], 'utf16.json … UTF-16 …'],
  [['-'], 'input … list', '["topsecret"]'],
  [['-'], 'input … single value', '"topsecret"'],
  [['-'], '…', ' \n'],
  [['-'], '…', '{"a":"topsecret"'],
  [['-'], 'key at offset 17', '{"a":"topsecret","a":"b"}'],
  [['-'], '…: line 2: duplicate key', 'a: topsecret\na: b\n'],
  [['-'], 'input … single value; …\nhint: …: tug kv import <file> <path> --format dotenv', 'A=topsecret\n'],
  [['-'], '…: line 1: …\nhint: …: tug kv import <file> <path> --format dotenv', 'A=1\nB="topsecret: x"\n'],
  [
    ['-'],
    'input … response without data',
    '{"data":null,"metadata":{"version":1,"created_time":"2026-11-20T00:00:00Z"}}',
  ],
  [['-'], '…', 'a: "topsecret\n'],
  [['-'], 'input … single value', 'topsecret'],
  [['-'], '…', 'a: .inf\n'],
  [['-', 'a=-'], "… '-', …", '{"b":1}'],
  [['a=-'], "a: …\nhint: … 'a='", ''],
  [['a'], '…: … a …'],
]

for (const [words, reason, stdin] of refused) {
  test(`${words.join(' ')} is refused: ${reason}`, async () => {
    const { exit, stdout, stderr } = await tug(['kv', 'put', 'x', ...words], {
      cwd: folder,
      ...(stdin === undefined ? {} : { stdin }),
    })
    expect(stderr).toMatch(mentions(reason))
    expect(stderr).not.toContain('topsecret')
    expect(stdout).toBe('')
    expect(exit).toBe(2)
  })
}

test('a key cannot be both written and removed', async () => {
  expect((await tug('kv patch x a=b --remove a')).exit).toBe(2)
})

test.each([
  ['9007199254740993', true],
  ['12345678901234567890', true],
  ['1e400', true],
  ['0.12345678901234567890', true],
  ['9007199254740992', false],
  ['1.0', false],
  ['1e3', false],
  ['-0.10', false],
  ['100.50', false],
  ['1.0050e3', false],
  ['0.00', false],
  ['-12345678901234567890', true],
  ['1.00000000000000000001', true],
  ['100000000000000000000', false],
])('%s changes in a double: %s', (text, lossy) => {
  const warnings: string[] = []
  const check = () =>
    checkValues({ warnAlways: (words: string) => warnings.push(words) } as never, [['', { a: parseJson(text) }]])
  if (text === '1e400') expect(check).toThrow('larger than a 64-bit float')
  else expect([check(), warnings.length]).toEqual([undefined, lossy ? 1 : 0])
})

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string({ unit: 'grapheme' }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 3 }),
  ),
})).value
const secret = fc.dictionary(fc.string({ unit: 'grapheme', minLength: 1 }), value, { maxKeys: 5 })

test('any text survives dotenv', () => {
  const texts = fc.dictionary(fc.stringMatching(/^[\w.-]+$/), fc.string({ unit: 'grapheme' }))
  fc.assert(
    fc.property(texts, (data) => {
      fc.pre(!Object.values(data).some((text) => text.includes('\0')))
      const kept = parseJson(stringifyJson(data)) as JsonObject
      expect(stringifyJson(parseDotenv(toDotenv(kept)))).toBe(stringifyJson(kept))
    }),
  )
})

test('any secret survives YAML', () => {
  fc.assert(
    fc.property(secret, (data) => {
      const kept = parseJson(stringifyJson(data)) as JsonObject
      expect(stringifyJson(parseYaml(toYaml(kept)))).toBe(stringifyJson(kept))
    }),
  )
})

test('deep nesting is refused', () => {
  expect(() => parseYaml(`a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`)).toThrow('line 1: nested too deeply')
})

/** A number of lines for which work on each pair of them would take minutes. */
const many = Array.from({ length: 20_000 }, (_, index) => index)

test('tens of thousands of keys, anchors and aliases are read', () => {
  const lines = many.map(
    (index) => `k${index}: ${index % 2 === 0 ? `&a${index}` : `*a${index - 1}`}${index % 2 === 0 ? ' x' : ''}`,
  )
  const read = parseYaml(lines.join('\n')) as Record<string, string>
  expect([Object.keys(read).length, read[`k${many.length - 1}`]]).toEqual([many.length, 'x'])
  const digits = parseYaml(many.map((index) => `"${index}": v`).join('\n'))
  expect(keysOf(digits as JsonObject).at(-1)).toBe(`${many.length - 1}`)
  expect(() => parseYaml([...lines, 'k0: again'].join('\n'))).toThrow(`line ${many.length + 1}: duplicate key`)
})

test('an alias stands for the last anchor before it', () => {
  expect(parseYaml('a: &x 1\nb: *x\nc: &x [2]\nd: *x\n')).toEqual({ a: 1, b: 1, c: [2], d: [2] })
  expect(() => parseYaml('a: *x\nb: &x 1\n')).toThrow('undefined anchor')
})

test('exponentially growing aliases are refused', () => {
  const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]']
  for (let level = 1; level < 9; level += 1) {
    lines.push(
      `a${level}: &a${level} [${Array(10)
        .fill(`*a${level - 1}`)
        .join(',')}]`,
    )
  }
  expect(() => parseYaml(lines.join('\n'))).toThrow('aliases of aliases make it too large')
})

test.each([
  ['a: *nowhere\n', 'line 1: an alias (*) names an undefined anchor (&)'],
  ['b: 1\na: &x [*x]\n', 'line 2: an alias (*) is inside its own anchor'],
  ['b: 1\n\n? [a]\n: 1\n', 'line 3: a key is not plain text'],
  ['b: 1\r\na: .inf\r\n', 'line 2: a value that JSON cannot express (infinity, a date, bytes)'],
  ['a: 1\nb: "\n', 'line 3: a closing quotation mark or bracket is missing'],
  ['a: 1\n\tb: 2\n', 'line 2: a tab in the indentation; use blanks'],
])('YAML %j is refused, never written as null', async (stdin, reason) => {
  const { exit, stderr } = await tug('kv put x -', { stdin })
  expect(stderr).toMatch(told(`tug: …: ${reason}\n`))
  expect(exit).toBe(2)
})

test("an alias repeats its anchor's value", async () => {
  const { env } = await startDevServer()
  await tug('kv put x -', { env, stdin: 'a: &one {b: 1}\nc: [*one, *one]\n' })
  expect((await tug('kv get x -o json --query data', { env })).stdout).toBe('{"a":{"b":1},"c":[{"b":1},{"b":1}]}\n')
})

test("a map that isn't UTF-8 and an @ without a file are not reported as a missing file", async () => {
  expect((await tug('kv put x -', { stdin: Buffer.from([0x61, 0xff]) })).stderr).toMatch(told('tug: … UTF-8 …\n'))
  expect((await tug('kv put x @')).stderr).toMatch(told('tug: … @ sign\n'))
  expect((await tug('kv put x a=@')).exit).toBe(2)
})

test("a path that wasn't UTF-8 on the command line is refused", async () => {
  const { exit, stderr } = await tug('kv get a\ufffdb')
  expect(stderr).toContain('not valid Unicode')
  expect(exit).toBe(2)
})

test("the server's silent refusal of an invisible character is explained", async () => {
  const { env } = await startDevServer()
  const { exit, stderr } = await tug(['kv', 'put', 'a\u00a0b', 'k=v'], { env })
  expect(exit).toBe(6)
  expect(stderr).toMatch(/^hint: .* invisible /m)
})

test.each(['pin: 0123', 'phone: +491234567', 'pin: -007'])(
  'YAML %j keeps what it begins with, or is refused',
  async (stdin) => {
    const { exit, stderr } = await tug('kv put x -', { stdin })
    expect(stderr).toMatch(mentions('… + or 0, …'))
    expect(exit).toBe(2)
    expect(parseYaml(stdin.replace(': ', ": '").concat("'"))).toEqual(parseYaml(stdin.replace(': ', ': !!str ')))
  },
)

test('an import names numbers that would be rounded, and an error about the root names the command', async () => {
  const { env } = await startDevServer()
  const stdin = '{"a/b":{"id":12345678901234567890,"n":1},"c":{}}'
  const { stderr, exit } = await tug('kv import -', { env, stdin })
  expect(exit).toBe(0)
  expect(stderr).toMatch(mentions('warning: a/b id: … 64-bit float'))
  expect((await tug('kv import - --mount kv1', { env, stdin })).stderr).toMatch(
    mentions('tug: kv import: kv1/ … version 1 …'),
  )
})

test('a key with a line end stays on one line in the message of set', async () => {
  const { env } = await startDevServer()
  expect((await tug(['kv', 'set', 'x', 'a\nb=1'], { env })).stderr).toContain(String.raw`added: a\nb`)
})

test.each([
  [19, ''],
  [20, ''],
  [21, ' and 1 more'],
  [23, ' and 3 more'],
])('of %i keys whose numbers would be rounded, twenty are named', async (count, more) => {
  const keys = Array.from({ length: count }, (_, index) => `k${index}`)
  const stdin = JSON.stringify(Object.fromEntries(keys.map((key) => [key, 0]))).replaceAll(
    ':0',
    ':12345678901234567890',
  )
  const { env } = await serve((_, response) => json(response, 200, '{"data":{"version":1}}'))
  const { stderr } = await tug('kv put x - --no-verify', { env, stdin })
  expect(stderr).toMatch(mentions(`warning: ${keys.slice(0, 20).join(', ')}${more}: …`))
})

test.each([
  ['kv set app/db password hunter2', 'password=…'],
  ['kv put app/db user name', 'user=…'],
  ['kv patch app/db a=1 hunter2', ''],
])('a word without = after the first is refused, and not repeated: %s', async (line, meant) => {
  const { exit, code, message } = await failure(line)
  expect({ exit, code }).toEqual({ exit: 2, code: 'usage' })
  expect(message).toContain(meant)
  expect(message).not.toContain(line.split(' ').at(-1))
})
